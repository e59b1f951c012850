// SPDX-License-Identifier: Apache-2.0

// When the adoption protocols must give up, on histories that are written down by hand. Process 1
// is told of everything: 2 is its successor and fails, 3 is the potential child of 2.

#include "analysis/lemmas/give_up_condition.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "protocols/termination/adoption.hpp"

namespace faultline::lemmas {

namespace {

constexpr Rank kG = 1;
constexpr Rank kP = 2;
constexpr Rank kC = 3;

/// A history in the making: each thing happens a second after the one before.
class History {
 public:
  History() : log_(5) {}

  History& work(Rank from, Rank to) { return message(from, to, Family::workload, 0, 0); }
  template <class Said>
  History& says(Rank from, Rank to, termination::AdoptionKind kind, const Said& said,
                std::vector<std::uint64_t> keys = {}) {
    return message(from, to, Family::termination, kind, said, std::move(keys));
  }
  /// As `says`, but still on its way.
  template <class Said>
  const Message* sends(Rank from, Rank to, termination::AdoptionKind kind, const Said& said) {
    return send(from, to, Family::termination, kind, said, {});
  }
  History& arrives(const Message* message) {
    log_.see({.kind = audit::Sight::Kind::received,
              .time_s = now_s_,
              .until_s = now_s_,
              .actor = message->to,
              .peer = message->from,
              .message = message});
    return later();
  }
  History& dies(Rank rank) {
    log_.see({.kind = audit::Sight::Kind::died, .time_s = now_s_, .actor = rank});
    return later();
  }
  History& told_dead(Rank rank, Rank dead) {
    log_.see(
        {.kind = audit::Sight::Kind::declared_dead, .time_s = now_s_, .actor = rank, .peer = dead});
    return later();
  }
  History& begins_phase(Rank rank) {
    log_.see({.kind = audit::Sight::Kind::phase_began, .time_s = now_s_, .actor = rank});
    return later();
  }
  History& drops(const Message* message) {
    log_.see({.kind = audit::Sight::Kind::lost,
              .time_s = now_s_,
              .actor = message->from,
              .peer = message->to,
              .message = message});
    return later();
  }
  [[nodiscard]] double now_s() const { return now_s_; }
  [[nodiscard]] const FactLog& log() const { return log_; }

  /// 1 engages 2, which tells it of 3 in its engagement `engagement`.
  History& engages(std::uint32_t engagement = 1) {
    work(kG, kP);
    return says(kP, kG, termination::kPotentialGrandchild, termination::Signal{engagement, kC});
  }
  History& queries() {
    return says(kG, kC, termination::kTryEngageGrandchild,
                termination::TryEngageGrandchild{.failed = kP});
  }

 private:
  template <class Said>
  const Message* send(Rank from, Rank to, Family channel, std::uint16_t kind, const Said& said,
                      std::vector<std::uint64_t> keys) {
    Message& message = messages_.emplace_back();
    message.from = from;
    message.to = to;
    message.channel = channel;
    message.kind = static_cast<std::uint8_t>(kind);
    message.payload.put(said);
    message.attachments.put(
        Family::termination,
        AttachedWords(std::make_shared<const std::vector<std::uint64_t>>(std::move(keys))));
    log_.see({.kind = audit::Sight::Kind::sent,
              .time_s = now_s_,
              .until_s = now_s_,
              .actor = from,
              .peer = to,
              .message = &message});
    later();
    return &message;
  }
  template <class Said>
  History& message(Rank from, Rank to, Family channel, std::uint16_t kind, const Said& said,
                   std::vector<std::uint64_t> keys = {}) {
    return arrives(send(from, to, channel, kind, said, std::move(keys)));
  }
  History& later() {
    now_s_ += 1;
    return *this;
  }

  FactLog log_;
  std::deque<Message> messages_;
  double now_s_ = 0.0;
};

constexpr GiveUpCondition kIndep{};
constexpr GiveUpCondition kStrict{.protocol = GiveUpCondition::rel_lazy, .strict = true};
constexpr GiveUpCondition kFallback{.protocol = GiveUpCondition::rel_lazy};
constexpr GiveUpCondition kEager{.protocol = GiveUpCondition::rel_eager};

bool is_met(const GiveUpCondition& condition, const History& history) {
  return first_to_give_up(condition, history.log()).has_value();
}

/// Met with the last thing that has happened, by 1 because of 2 and 3, and not before.
void check_met_now(const GiveUpCondition& condition, const History& history) {
  const auto met = first_to_give_up(condition, history.log());
  REQUIRE(met);
  CHECK(met->rank == kG);
  CHECK(met->failed == kP);
  CHECK(met->grandchild == kC);
  CHECK(met->time_s == history.now_s() - 1);
}

}  // namespace

TEST_CASE("INDEP gives up when a queried process fails before it has replied") {
  History history;
  history.engages().dies(kP).told_dead(kG, kP).queries().dies(kC);
  CHECK_FALSE(is_met(kIndep, history));
  check_met_now(kIndep, history.told_dead(kG, kC));
}

TEST_CASE("INDEP gives up at the flush of the parent where the child has failed before") {
  History history;
  history.engages();
  const Message* last =
      history.sends(kP, kG, termination::kPotentialGrandchild, termination::Signal{1, 4});
  history.dies(kC).told_dead(kG, kC).dies(kP).told_dead(kG, kP);
  CHECK_FALSE(is_met(kIndep, history));
  check_met_now(kIndep, history.arrives(last));
}

TEST_CASE("INDEP goes on where the reply was on its way when its sender failed") {
  History history;
  history.engages().dies(kP).told_dead(kG, kP).queries();
  const Message* reply = history.sends(kC, kG, termination::kReplyToGrandparent,
                                       termination::ReplyToGrandparent{.failed = kP});
  history.dies(kC).told_dead(kG, kC).arrives(reply);
  CHECK_FALSE(is_met(kIndep, history));
}

TEST_CASE("a successor that owes nothing has no potential children") {
  History history;
  history.engages().says(kP, kG, termination::kAcknowledge,
                         termination::Acknowledgement{.count = 1, .over = 1});
  history.dies(kP).dies(kC).told_dead(kG, kP).told_dead(kG, kC);
  CHECK_FALSE(is_met(kIndep, history));
}

TEST_CASE(
    "what was told before a debt was paid is forgotten, and so is an old note that comes later") {
  History history;
  history.work(kG, kP);
  const Message* old_note =
      history.sends(kP, kG, termination::kPotentialGrandchild, termination::Signal{1, 4});
  history.says(kP, kG, termination::kPotentialGrandchild, termination::Signal{1, kC});
  history
      .says(kP, kG, termination::kAcknowledge, termination::Acknowledgement{.count = 1, .over = 1})
      .work(kG, kP);
  History later = history;
  history.dies(kC).told_dead(kG, kC).dies(4).told_dead(kG, 4).dies(kP).told_dead(kG, kP);
  CHECK_FALSE(is_met(kIndep, history));
  later.dies(kC).told_dead(kG, kC).dies(4).told_dead(kG, 4).dies(kP).told_dead(kG, kP);
  CHECK_FALSE(is_met(kIndep, later.arrives(old_note)));
}

TEST_CASE("what has not entered the network at a death is not awaited") {
  FactLog log(3);
  Message message;
  message.from = kP;
  message.to = kG;
  const audit::Sight sent{
      .kind = audit::Sight::Kind::sent, .until_s = 5, .actor = kP, .peer = kG, .message = &message};
  for (const double death_s : {4.0, 5.0}) {
    FactLog of_death = log;
    of_death.see(sent);
    of_death.see({.kind = audit::Sight::Kind::died, .time_s = death_s, .actor = kP});
    of_death.see({.kind = audit::Sight::Kind::declared_dead, .time_s = 6, .actor = kG, .peer = kP});
    INFO(death_s);
    CHECK((of_death.facts_of(kG).back().what == Fact::What::flushed) == (death_s < 5));
  }
}

TEST_CASE("potential children of an engagement that is over are none") {
  History history;
  history.engages().work(kG, kP);
  history.says(kP, kG, termination::kAcknowledge,
               termination::Acknowledgement{.count = 1, .over = 1});
  History later = history;
  history.dies(kC).dies(kP).told_dead(kG, kC).told_dead(kG, kP);
  CHECK_FALSE(is_met(kIndep, history));
  later.says(kP, kG, termination::kPotentialGrandchild, termination::Signal{2, kC});
  check_met_now(kIndep, later.dies(kC).dies(kP).told_dead(kG, kC).told_dead(kG, kP));
}

TEST_CASE("messages to the dead are not debts, and a process is not its own child") {
  History history;
  history.dies(kP).told_dead(kG, kP).work(kG, kP).dies(kC).told_dead(kG, kC);
  CHECK_FALSE(is_met(kIndep, history));
  History adopting;
  adopting.work(kG, kP).says(
      kP, kG, termination::kReplyToGrandparent,
      termination::ReplyToGrandparent{.failed = 4, .debt = 1, .engagement = 1}, {kP});
  CHECK_FALSE(is_met(kIndep, adopting.dies(kP).told_dead(kG, kP)));
}

TEST_CASE("where all have work at the start, the root has engaged them") {
  History history;
  history.says(kP, 0, termination::kPotentialGrandchild, termination::Signal{1, kC});
  history.dies(kC).dies(kP).told_dead(0, kC).told_dead(0, kP);
  CHECK_FALSE(is_met(kIndep, history));
  CHECK(is_met({.starts_at_root = false}, history));
}

TEST_CASE("REL gives up on an interior child, and writes off an exterior one") {
  for (const GiveUpCondition& condition : {kStrict, kFallback, kEager}) {
    History exterior;
    exterior.engages();
    exterior.says(kC, kG, termination::kInformInterior, termination::Signal{1, kP});
    History interior = exterior;
    exterior.says(kC, kG, termination::kInformExterior, termination::Signal{1, kP});
    for (History* history : {&exterior, &interior})
      history->dies(kC).told_dead(kG, kC).dies(kP).told_dead(kG, kP);
    CHECK_FALSE(is_met(condition, exterior));
    check_met_now(condition, interior);
  }
}

TEST_CASE("REL awaits the flush of the child, which can tell that it is exterior") {
  for (const GiveUpCondition& condition : {kStrict, kFallback, kEager}) {
    History history;
    history.engages().says(kC, kG, termination::kInformInterior, termination::Signal{1, kP});
    const Message* last =
        history.sends(kC, kG, termination::kInformExterior, termination::Signal{1, kP});
    history.dies(kC).told_dead(kG, kC).dies(kP).told_dead(kG, kP);
    CHECK_FALSE(is_met(condition, history));
    CHECK_FALSE(is_met(condition, history.arrives(last)));
  }
}

TEST_CASE("signals of another engagement or to another parent say nothing") {
  for (const termination::Signal other : {termination::Signal{1, kP}, termination::Signal{2, 4}}) {
    History history;
    history.engages(2).says(kC, kG, termination::kInformInterior, other);
    history.dies(kC).dies(kP).told_dead(kG, kC).told_dead(kG, kP);
    CHECK_FALSE(is_met(kEager, history));
  }
}

TEST_CASE("RELLAZY counts as interior what an adopted process has named, or all of it") {
  History history;
  history.queries().work(kG, kP);
  const termination::ReplyToGrandparent adopted{.failed = 4, .debt = 1, .engagement = 1};
  history.says(kP, kG, termination::kReplyToGrandparent, adopted, {kC}).dies(kP).told_dead(kG, kP);
  CHECK_FALSE(is_met(kFallback, history));
  CHECK(is_met(kStrict, history));
  CHECK_FALSE(is_met(kEager, history.dies(kC).told_dead(kG, kC)));
  check_met_now(kFallback, history);
}

TEST_CASE("RELEAGER leaves out a process whose children have been adopted by its child") {
  History history;
  history.engages().says(kC, kG, termination::kInformInterior, termination::Signal{1, kP});
  history.dies(kC).told_dead(kG, kC);
  History recovered = history;
  recovered.says(kP, kG, termination::kGrandchildRecovered, termination::Signal{1, kC});
  check_met_now(kEager, history.dies(kP).told_dead(kG, kP));
  CHECK_FALSE(is_met(kEager, recovered.dies(kP).told_dead(kG, kP)));
}

TEST_CASE("a new phase forgets everything except the known deaths") {
  History forgotten;
  forgotten.engages().begins_phase(kG).dies(kC).dies(kP).told_dead(kG, kC).told_dead(kG, kP);
  CHECK_FALSE(is_met(kIndep, forgotten));
  History known;
  known.dies(kC).told_dead(kG, kC).begins_phase(kG).engages();
  known.says(kC, kG, termination::kInformInterior, termination::Signal{1, kP});
  CHECK_FALSE(is_met(kIndep, known));
  known.dies(kP).told_dead(kG, kP);
  for (const GiveUpCondition& condition : {kIndep, kStrict, kFallback, kEager})
    check_met_now(condition, known);
}

TEST_CASE("the root's failure counts for the next phase if this one was over") {
  FactLog over(5);
  over.see({.kind = audit::Sight::Kind::announced, .actor = 4});
  over.see({.kind = audit::Sight::Kind::died, .actor = 0});
  over.see({.kind = audit::Sight::Kind::declared_dead, .actor = 4, .peer = 0});
  CHECK_FALSE(first_to_give_up(kIndep, over));
  over.see({.kind = audit::Sight::Kind::phase_began, .time_s = 7, .actor = 4});
  const auto met = first_to_give_up(kIndep, over);
  REQUIRE(met);
  CHECK(met->rank == 4);
  CHECK(met->time_s == 7);
}

TEST_CASE("a message of a phase that is over is dropped, and no flush awaits it any more") {
  History history;
  history.engages();
  const Message* stale =
      history.sends(kP, kG, termination::kPotentialGrandchild, termination::Signal{1, 4});
  history.dies(kC).told_dead(kG, kC).dies(kP).told_dead(kG, kP);
  CHECK_FALSE(is_met(kIndep, history));
  History dead = history;
  CHECK_FALSE(is_met(kIndep, dead.drops(stale).dies(kG)));  // its inbox has died with it
  history.drops(stale);
  const double dropped_s = history.now_s() - 1;
  const auto met = first_to_give_up(kIndep, history.work(0, 4).log());
  REQUIRE(met);
  CHECK(met->rank == kG);
  CHECK(met->time_s == dropped_s);
}

TEST_CASE("the failure of a node is that of its processes, not of one more process") {
  FactLog log(2);
  log.see({.kind = audit::Sight::Kind::died, .actor = 1});
  log.see({.kind = audit::Sight::Kind::died, .actor = 2});  // the daemon of node 0
  CHECK(log.deaths_s().size() == 1);
}

TEST_CASE("all give up when they are told that the root has failed, but not after the end") {
  for (const GiveUpCondition& condition : {kIndep, kStrict, kFallback, kEager}) {
    History history;
    CHECK_FALSE(is_met(condition, history.dies(0)));
    const auto met = first_to_give_up(condition, history.told_dead(4, 0).told_dead(kG, 0).log());
    REQUIRE(met);
    CHECK(met->rank == 4);
    FactLog over(5);
    over.see({.kind = audit::Sight::Kind::announced, .actor = 4});
    over.see({.kind = audit::Sight::Kind::died, .actor = 0});
    over.see({.kind = audit::Sight::Kind::declared_dead, .actor = 4, .peer = 0});
    CHECK_FALSE(first_to_give_up(condition, over));
  }
}

}  // namespace faultline::lemmas
