// SPDX-License-Identifier: Apache-2.0

// The agreement of all ranks on a restart, without an engine.

#include "protocols/message_logging/restart_wave.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <variant>
#include <vector>

#include "tests/support/part_of_layer.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

constexpr Rank kDead = 2;

/// Ranks whose messages arrive in the order of sending. Rank `kDead` has died and restarted.
class Ranks {
 public:
  explicit Ranks(std::uint32_t processes) : agreed_(processes, false) {
    JobShape job;
    job.processes = job.nodes = processes;
    for (Rank rank = 0; rank < processes; ++rank) {
      around_.push_back(std::make_unique<PartOfLayer>(rank, job));
      waves_.emplace_back(processes, rank, std::uint64_t{32});
      reports_.emplace_back();
    }
  }

  void begin(Rank root, std::uint16_t incarnation) {
    around_[root]->set_incarnation(incarnation);
    waves_[root] = RestartWave(static_cast<std::uint32_t>(waves_.size()), root, 32);
    carry_out(root, waves_[root].begin(around_[root]->context(), 0.5));
  }
  void learn(Rank rank, Incarnation life) {
    around_[rank]->learn(life);
    carry_out(rank, waves_[rank].on_peer_restarted(around_[rank]->context()));
  }
  /// What a rank will report.
  RestartReport& report(Rank rank) { return reports_[rank]; }
  /// All messages arrive. Whoever is told of a restart learns of it at once, if `learns`.
  void deliver_all(bool learns = true) {
    while (!flights_.empty()) {
      const Message message = flights_.front();
      flights_.pop_front();
      carry_out(message.to, waves_[message.to].on_message(around_[message.to]->context(), message));
      for (const Action& action : around_[message.to]->take_actions())
        if (const auto* told = std::get_if<Action::Learn>(&action.request); told && learns)
          learn(message.to, told->peer);
    }
  }
  [[nodiscard]] const RestartWave& wave(Rank rank) const { return waves_[rank]; }
  [[nodiscard]] bool all_agreed() const {
    return agreed_ == std::vector<bool>(agreed_.size(), true);
  }
  [[nodiscard]] bool has_agreed(Rank rank) const { return agreed_[rank]; }

 private:
  void carry_out(Rank rank, RestartWave::Due due) {
    if (due == RestartWave::Due::report) {
      const RestartWave::Due next = waves_[rank].report(around_[rank]->context(), reports_[rank]);
      take_sent(rank);
      return carry_out(rank, next);
    }
    if (due == RestartWave::Due::agreed) agreed_[rank] = true;
    take_sent(rank);
  }
  void take_sent(Rank rank) {
    for (const Message& message : around_[rank]->take_sent()) flights_.push_back(message);
  }

  std::vector<std::unique_ptr<PartOfLayer>> around_;
  std::vector<RestartWave> waves_;
  std::vector<RestartReport> reports_;
  std::vector<bool> agreed_;
  std::deque<Message> flights_;
};

}  // namespace

TEST_CASE("all agree on the largest epoch that anybody has committed") {
  for (const std::uint32_t processes : {3, 6, 9}) {
    CAPTURE(processes);
    Ranks ranks(processes);
    ranks.report(0).epoch = 4;
    ranks.report(1).epoch = 5;
    ranks.report(1).images = {{kDead, 4}};
    ranks.begin(kDead, 1);
    ranks.deliver_all();
    CHECK(ranks.all_agreed());
    for (Rank rank = 0; rank < processes; ++rank) {
      const RestartAgreement& agreement = ranks.wave(rank).agreement();
      CHECK(agreement.level == 1);
      CHECK(agreement.epoch == 5);
      CHECK(agreement.have_images == std::vector<Rank>{kDead});
      CHECK(ranks.wave(rank).incarnation_of(kDead) == 1);
      CHECK(ranks.wave(rank).death_s() == 0.5);
    }
  }
}

TEST_CASE("an image of an earlier checkpoint than the valid one is none") {
  Ranks ranks(3);
  ranks.report(0).epoch = 5;
  ranks.report(1).images = {{kDead, 3}};
  ranks.begin(kDead, 1);
  ranks.deliver_all();
  CHECK(ranks.wave(kDead).agreement().have_images.empty());
}

TEST_CASE("nobody passes a wave on before it knows of the restarts itself") {
  Ranks ranks(4);
  ranks.begin(kDead, 1);
  ranks.deliver_all(false);
  CHECK(!ranks.has_agreed(kDead));
  for (const Rank rank : {3, 0, 1}) {
    ranks.learn(rank, {kDead, 1});
    ranks.deliver_all(false);
  }
  CHECK(ranks.all_agreed());
}

TEST_CASE("a later wave supersedes an earlier one") {
  Ranks ranks(4);
  ranks.begin(kDead, 1);  // and dies before anybody answers
  ranks.begin(kDead, 2);
  ranks.deliver_all();
  CHECK(ranks.all_agreed());
  for (Rank rank = 0; rank < 4; ++rank) CHECK(ranks.wave(rank).agreement().level == 2);
}

TEST_CASE("what is known from before the latest checkpoint is not reported beside what is newer") {
  RestartReport all;
  RestartReport old;
  old.epoch = 1;
  old.determinants.resize(1);
  old.addressed = {3};
  RestartReport latest;
  latest.epoch = 2;
  latest.determinants.resize(2);
  latest.addressed = {4};
  all.add(old);
  all.add(latest);
  all.add(old);
  CHECK(all.epoch == 2);
  CHECK(all.determinants.size() == 2);
  CHECK(all.addressed == std::vector<Rank>{4});
}

}  // namespace faultline::message_logging
