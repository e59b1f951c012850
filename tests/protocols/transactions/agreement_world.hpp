// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that can happen to a small group that agrees: each step of it is an event that the test
// chooses, and what must hold is checked after each.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "protocols/transactions/agreement.hpp"

namespace faultline::transactions {

/// A mistake that is put into what the members do.
enum class AgreementMistake : std::uint8_t {
  none,
  no_second_up,       ///< a member whose parent dies does not send its contribution again
  root_asks_nobody,   ///< a new root goes on without asking the members below it
  forgets_on_return,  ///< a decision is forgotten as soon as it is decided
  starts_anew,        ///< a finish that is repeated begins another agreement
};

struct AgreementCase {
  AgreementAlgorithm algorithm = AgreementAlgorithm::era;
  std::uint32_t members = 3;
  std::uint32_t agreements = 1;
  std::uint32_t most_deaths = 1;
  bool fifo = false;
  AgreementMistake mistake = AgreementMistake::none;
};

/// One thing that can happen next.
struct AgreementEvent {
  enum class Kind : std::uint8_t { contribute, repeat, arrival, notice, death };
  Kind kind = Kind::death;
  Rank who = 0;           ///< the member whose turn it is
  std::size_t which = 0;  ///< arrival: the message, of those on their way; notice: the dead member
};

/// The state of a group.
class AgreementWorld {
 public:
  explicit AgreementWorld(const AgreementCase& job) : job_(&job) {
    for (Rank rank = 0; rank < job.members; ++rank)
      lives_.push_back({Agreement(job.algorithm, rank, job.members)});
  }

  [[nodiscard]] std::vector<AgreementEvent> events() const;
  /// Lets it happen. The member whose turn it is dies after that many of its sends. True if it has
  /// sent more, so that it can also die later.
  bool take(const AgreementEvent& event, std::size_t sends);
  void take(const AgreementEvent& event) { take(event, kAll); }

  /// What is wrong with this state, in words; "" if nothing is.
  [[nodiscard]] std::string wrong() const;
  /// A member that died had decided otherwise than one that lives.
  [[nodiscard]] bool has_orphan() const;
  [[nodiscard]] bool may_die() const { return deaths_ < job_->most_deaths; }
  [[nodiscard]] std::size_t decisions() const {
    std::size_t count = 0;
    for (const Life& life : lives_) count += life.decided.size();
    return count;
  }
  /// All live members have decided everything.
  [[nodiscard]] bool is_done() const;
  void digest(Digest& into) const;

 private:
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

  struct Life {
    Agreement member;
    bool alive = true;
    bool repeated = false;
    std::vector<AgreementValue> contributed = {};
    std::vector<AgreementValue> decided = {};
    std::vector<Rank> to_hear = {};  ///< deaths that it has not been told of, ascending
    void digest(Digest& into) const {
      into.add(member, alive, repeated, contributed, decided, to_hear);
    }
  };
  struct Flight {
    Rank from = 0;
    Rank to = 0;
    AgreementMessage message;
    void digest(Digest& into) const { into.add(from, to, message); }
  };

  [[nodiscard]] AgreementOutput happen(const AgreementEvent& event);
  void make_mistakes(const AgreementEvent& event, AgreementOutput& output);
  void die(Rank rank);
  [[nodiscard]] std::string wrong_decision(Rank rank, std::size_t number) const;

  const AgreementCase* job_;
  std::vector<Life> lives_;
  std::vector<Flight> flights_;  ///< in the order of sending
  std::uint32_t deaths_ = 0;
};

inline std::vector<AgreementEvent> AgreementWorld::events() const {
  using Kind = AgreementEvent::Kind;
  std::vector<AgreementEvent> found;
  for (Rank rank = 0; rank < lives_.size(); ++rank) {
    const Life& life = lives_[rank];
    if (!life.alive) continue;
    if (life.contributed.size() == life.decided.size() && !life.repeated &&
        life.decided.size() < job_->agreements)
      found.push_back({Kind::contribute, rank, 0});
    if (job_->mistake == AgreementMistake::starts_anew && !life.repeated &&
        life.contributed.size() > life.decided.size())
      found.push_back({Kind::repeat, rank, 0});
    for (const Rank dead : life.to_hear) found.push_back({Kind::notice, rank, dead});
    if (may_die() && deaths_ + 1 < lives_.size()) found.push_back({Kind::death, rank, 0});
  }
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    const bool waits =
        job_->fifo &&
        std::any_of(flights_.begin(), flights_.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Flight& earlier) {
                      return earlier.from == flights_[i].from && earlier.to == flights_[i].to;
                    });
    if (!waits) found.push_back({Kind::arrival, flights_[i].to, i});
  }
  return found;
}

inline AgreementOutput AgreementWorld::happen(const AgreementEvent& event) {
  using Kind = AgreementEvent::Kind;
  Life& life = lives_[event.who];
  AgreementOutput output;
  switch (event.kind) {
    case Kind::contribute: {
      AgreementValue value{.codes = 1U << (event.who % 32)};
      life.contributed.push_back(value);
      life.contributed.back().failed = life.member.failed();
      life.member.contribute(life.decided.size(), value, output);
      break;
    }
    case Kind::repeat:
      life.repeated = true;
      life.member = Agreement(job_->algorithm, event.who, job_->members);
      life.member.contribute(life.decided.size() + 1, {}, output);
      break;
    case Kind::arrival: {
      const Flight flight = flights_[event.which];
      flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(event.which));
      life.member.on_message(flight.from, flight.message, output);
      break;
    }
    case Kind::notice: {
      const auto dead = static_cast<Rank>(event.which);
      life.to_hear.erase(std::find(life.to_hear.begin(), life.to_hear.end(), dead));
      life.member.on_peer_failed(dead, output);
      break;
    }
    case Kind::death:
      die(event.who);
      break;
  }
  return output;
}

inline void AgreementWorld::make_mistakes(const AgreementEvent& event, AgreementOutput& output) {
  Life& life = lives_[event.who];
  if (job_->mistake == AgreementMistake::no_second_up && event.kind == AgreementEvent::Kind::notice)
    std::erase_if(output.sends, [](const AgreementOutput::Send& send) {
      return send.message.kind == AgreementMessageKind::up;
    });
  if (job_->mistake == AgreementMistake::root_asks_nobody)
    for (std::size_t i = 0; i < output.sends.size(); ++i) {
      const AgreementOutput::Send send = output.sends[i];
      if (send.message.kind != AgreementMessageKind::result_request) continue;
      output.sends.erase(output.sends.begin() + static_cast<std::ptrdiff_t>(i--));
      life.member.on_message(
          send.to, {.kind = AgreementMessageKind::up, .sweep = send.message.sweep}, output);
    }
  if (job_->mistake == AgreementMistake::forgets_on_return)
    for (const AgreementOutput::Decision& decision : output.decisions)
      life.member.forget_through(decision.number);
}

inline bool AgreementWorld::take(const AgreementEvent& event, std::size_t sends) {
  AgreementOutput output = happen(event);
  make_mistakes(event, output);
  for (const AgreementOutput::Decision& decision : output.decisions)
    if (decision.number == lives_[event.who].decided.size())
      lives_[event.who].decided.push_back(decision.value);
  std::size_t sent = 0;
  for (const AgreementOutput::Send& send : output.sends) {
    if (sent == sends) break;
    ++sent;
    if (lives_[send.to].alive) flights_.push_back({event.who, send.to, send.message});
  }
  if (sends != kAll) die(event.who);
  return sent < output.sends.size();
}

inline void AgreementWorld::die(Rank rank) {
  lives_[rank].alive = false;
  lives_[rank].to_hear.clear();
  ++deaths_;
  std::erase_if(flights_, [rank](const Flight& flight) { return flight.to == rank; });
  for (Life& life : lives_)
    if (life.alive)
      life.to_hear.insert(std::lower_bound(life.to_hear.begin(), life.to_hear.end(), rank), rank);
}

inline std::string AgreementWorld::wrong_decision(Rank rank, std::size_t number) const {
  const AgreementValue& decision = lives_[rank].decided[number];
  const auto has_failed = [&](Rank member) {
    return std::binary_search(decision.failed.begin(), decision.failed.end(), member);
  };
  std::uint32_t all = 0;
  for (Rank other = 0; other < lives_.size(); ++other) {
    const Life& life = lives_[other];
    all |= 1U << (other % 32);
    if (life.alive && life.decided.size() > number && life.decided[number] != decision)
      return "survivors have decided differently";
    if (has_failed(other) && life.alive) return "a member that is alive counts as failed";
    if (!life.alive) continue;
    if (life.contributed.size() <= number)
      return "a decision without the contribution of one that is alive";
    const AgreementValue& said = life.contributed[number];
    if ((decision.codes & said.codes) != said.codes)
      return "a contribution is missing in the decision";
    if (!std::all_of(said.failed.begin(), said.failed.end(), has_failed))
      return "a death that was known is missing in the decision";
  }
  if (decision.failed.empty() && decision.codes != all)
    return "nobody has failed, but not all have contributed";
  return "";
}

inline std::string AgreementWorld::wrong() const {
  bool somebody_decides = false;
  for (Rank rank = 0; rank < lives_.size(); ++rank) {
    if (!lives_[rank].alive) continue;
    somebody_decides = true;
    for (std::size_t number = 0; number < lives_[rank].decided.size(); ++number)
      if (std::string found = wrong_decision(rank, number); !found.empty()) return found;
  }
  const bool is_quiet =
      flights_.empty() && std::all_of(lives_.begin(), lives_.end(), [&](const Life& life) {
        return !life.alive ||
               (life.to_hear.empty() && (life.contributed.size() > life.decided.size() ||
                                         life.decided.size() == job_->agreements));
      });
  if (somebody_decides && is_quiet && !is_done()) return "somebody waits for ever";
  return "";
}

inline bool AgreementWorld::is_done() const {
  return std::all_of(lives_.begin(), lives_.end(), [&](const Life& life) {
    return !life.alive || life.decided.size() == job_->agreements;
  });
}

inline bool AgreementWorld::has_orphan() const {
  for (const Life& dead : lives_)
    for (const Life& life : lives_) {
      if (dead.alive || !life.alive) continue;
      for (std::size_t number = 0; number < std::min(dead.decided.size(), life.decided.size());
           ++number)
        if (dead.decided[number] != life.decided[number]) return true;
    }
  return false;
}

inline void AgreementWorld::digest(Digest& into) const {
  into.add(lives_, deaths_);
  if (job_->fifo) {
    // Only the order on each way counts.
    std::vector<Flight> by_way = flights_;
    std::stable_sort(by_way.begin(), by_way.end(), [](const Flight& a, const Flight& b) {
      return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    });
    return into.add(by_way);
  }
  into.add_sorted(flights_, [](const Flight& flight) {
    Digest one;
    one.add(flight);
    return one.value();
  });
}

}  // namespace faultline::transactions
