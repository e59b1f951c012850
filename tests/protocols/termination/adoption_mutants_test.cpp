// INDEP and its kin with one mistake each, which the search of analysis/lemmas/lemma_search.hpp
// must find. Only then does it mean something that it finds nothing in the real ones.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <utility>

#include "analysis/lemmas/lemma_search.hpp"
#include "protocols/termination/adoption.hpp"
#include "tests/support/pass_through.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// Section 2 as printed: a further message of the parent is added to the parent's entry of the
/// cornet, C becomes 2, and the process never disengages with C = 1. What is left of that when the
/// rest is right: the message is never acknowledged.
class PrintedCornet final : public PassThrough<PrintedCornet> {
 public:
  using PassThrough::PassThrough;
  Passage on_receive(Context& context, Message& message) override {
    return message.from == parent() ? Passage::deliver : PassThrough::on_receive(context, message);
  }
};

/// Decides as soon as it is told of a death, or is queried about one.
class DecidesBeforeTheFlush final : public PassThrough<DecidesBeforeTheFlush> {
 public:
  using PassThrough::PassThrough;
  void on_peer_failed(Context& context, Incarnation peer) override {
    PassThrough::on_peer_failed(context, peer);
    on_flushed(context, peer);
  }
  void on_message(Context& context, const Message& message) override {
    PassThrough::on_message(context, message);
    if (message.kind == kTryEngageGrandchild)
      on_flushed(context, {message.payload.get<TryEngageGrandchild>().failed});
  }
};

/// Does not hear, when a phase begins, of who has died in the ones before.
class ForgetsTheDead final : public PassThrough<ForgetsTheDead> {
 public:
  using PassThrough::PassThrough;
  void start(Context& context) override {
    started_ = true;
    PassThrough::start(context);
  }
  void on_peer_failed(Context& context, Incarnation peer) override {
    if (started_) PassThrough::on_peer_failed(context, peer);
  }

 private:
  void digest_state(Digest& into) const override {
    PassThrough::digest_state(into);
    into.add(started_);
  }
  bool started_ = false;
};

/// Owes itself nothing for what it sends to itself, but waits for it.
class NoWordToItself final : public PassThrough<NoWordToItself> {
 public:
  using PassThrough::PassThrough;
  Passage on_receive(Context& context, Message& message) override {
    return message.from == context.self() ? Passage::deliver
                                          : PassThrough::on_receive(context, message);
  }
};

/// Below the detector: what it sends in one go leaves in another way.
using Tamper = void (*)(Context&, std::span<Message* const>);

class Tampering final : public Layer {
 public:
  explicit Tampering(Tamper tamper) : tamper_(tamper) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Tampering>(*this);
  }
  void on_sends(Context& context, std::span<Message* const> batch, bool) override {
    tamper_(context, batch);
  }

 private:
  void digest_state(Digest&) const override {}
  Tamper tamper_;
};

/// Application messages leave before the control messages that should go first.
void send_first(Context& context, std::span<Message* const> batch) {
  for (const bool application : {true, false})
    for (Message* message : batch)
      if ((message->channel == Family::workload) == application) context.forward(*message);
}

/// The order in which messages are sent is taken for a fence.
void send_without_fence(Context& context, std::span<Message* const> batch) {
  for (Message* message : batch) {
    message->flags &= static_cast<std::uint8_t>(~kFence);
    context.forward(*message);
  }
}

/// Each acknowledgement leaves twice.
void acknowledge_twice(Context& context, std::span<Message* const> batch) {
  for (Message* message : batch) {
    context.forward(*message);
    if (message->channel == Family::termination && message->kind == kAcknowledge)
      context.release(*message);
  }
}

/// Tells the parent of a process that it has not sent to, beside each that it has.
void tell_of_another(Context& context, std::span<Message* const> batch) {
  for (Message* message : batch) {
    context.forward(*message);
    if (message->channel != Family::termination || message->kind != kPotentialGrandchild) continue;
    const auto note = message->payload.get<Signal>();
    Message other = *message;
    other.payload.put(Signal{note.engagement, (note.other + 1) % context.job().processes});
    context.release(other);
  }
}

/// Below the detector, too: sees which queries have no reply.
class SeesQueries : public Layer {
 public:
  void on_sends(Context& context, std::span<Message* const> batch, bool) override {
    for (Message* message : batch) {
      if (message->channel == Family::termination && message->kind == kTryEngageGrandchild)
        unanswered_.emplace(message->to, message->payload.get<TryEngageGrandchild>().failed);
      context.forward(*message);
    }
  }
  Passage on_receive(Context&, Message& message) override {
    if (message.channel == Family::termination && message.kind == kReplyToGrandparent)
      unanswered_.erase({message.from, message.payload.get<ReplyToGrandparent>().failed});
    return Passage::deliver;
  }

 protected:
  void digest_state(Digest& into) const override { into.add(unanswered_); }
  /// By potential grandchild and its failed parent.
  std::set<std::pair<Rank, Rank>> unanswered_;
};

/// Gives up as soon as it is told that a queried process is dead, though its reply may be on its
/// way.
class GivesUpAtTheNotice final : public SeesQueries {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<GivesUpAtTheNotice>(*this);
  }
  void on_peer_failed(Context& context, Incarnation peer) override {
    for (const auto& [grandchild, failed] : unanswered_)
      if (grandchild == peer.actor) context.fatal("a potential grandchild has failed too");
  }
};

/// Takes a dead process for one that has replied that it is not engaged. That ends well where it
/// was not, or had no children.
class AnswersForTheDead final : public SeesQueries {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<AnswersForTheDead>(*this);
  }
  void on_flushed(Context& context, Incarnation peer) override {
    for (const auto& [grandchild, failed] : unanswered_) {
      if (grandchild != peer.actor) continue;
      Message reply;
      reply.from = peer.actor;
      reply.to = context.self();
      reply.kind = kReplyToGrandparent;
      reply.channel = Family::termination;
      reply.payload.put(ReplyToGrandparent{.failed = failed});
      context.deliver(reply);
    }
    std::erase_if(unanswered_, [peer](const auto& query) { return query.first == peer.actor; });
  }
};

template <class Mistake>
Mutation with_mistake(Registration& mistaken) {
  return
      [&mistaken](RunSpec& spec) { make_mistaken<Mistake>(spec, Family::termination, mistaken); };
}

Mutation with_tampering(Tamper tamper, Registration& layer) {
  layer.make = [tamper](const OptionValues&, const JobShape&) -> ComponentFactory {
    return [tamper](ActorId) { return std::make_unique<Tampering>(tamper); };
  };
  return [&layer](RunSpec& spec) {
    spec.components[static_cast<std::size_t>(Family::message_logging)] = {&layer, {}};
  };
}

template <class Mistake>
Mutation with_layer(Registration& layer) {
  layer.make = [](const OptionValues&, const JobShape&) -> ComponentFactory {
    return [](ActorId) { return std::make_unique<Mistake>(); };
  };
  return [&layer](RunSpec& spec) {
    spec.components[static_cast<std::size_t>(Family::message_logging)] = {&layer, {}};
  };
}

/// How a mistake is to show.
struct Way {
  LemmaFigure figure = LemmaFigure::other;
  std::string words = "";  ///< with which the text begins
};

bool shows(const std::optional<BrokenPromise>& broken, const Way& way) {
  return broken && broken->figure == way.figure && broken->text.rfind(way.words, 0) == 0;
}

/// The first of `schedules` schedules in which the mistake shows in that way, shrunk.
std::optional<LemmaCounterexample> counterexample(const ProtocolStack& stack,
                                                  const Mutation& mutation, const Way& way,
                                                  std::uint64_t schedules) {
  const Judge judge = [&](const FaultSchedule& schedule) -> std::optional<BrokenPromise> {
    auto broken = run_lemma(schedule, stack, EngineKind::loggp, mutation).broken;
    return shows(broken, way) ? broken : std::nullopt;
  };
  for (std::uint64_t number = 1; number <= schedules; ++number) {
    const FaultSchedule schedule = draw_schedule(number);
    if (const auto broken = judge(schedule)) return shrink({schedule, *broken}, judge, 20);
  }
  return std::nullopt;
}

void check_found(const std::string& detector, const Mutation& mutation, const Way& way,
                 std::uint64_t schedules) {
  const ProtocolStack stack = under_oracle(detector);
  const auto found = counterexample(stack, mutation, way, schedules);
  INFO(detector);
  REQUIRE(found);
  const FaultSchedule& schedule = found->schedule;
  INFO(replay_files(schedule, stack, EngineKind::loggp, found->broken.text, "m.json").scenario);
  CHECK(run_lemma(schedule, stack, EngineKind::loggp, mutation).broken == found->broken);
  CHECK_FALSE(run_lemma(schedule, stack, EngineKind::loggp).broken);
}

}  // namespace

TEST_CASE("the search finds an INDEP that tells the parent too late") {
  Registration layer;
  check_found("indep", with_tampering(send_first, layer), {LemmaFigure::premature}, 20000);
}

TEST_CASE("the search finds an INDEP that takes order for a fence") {
  Registration layer;
  check_found("indep", with_tampering(send_without_fence, layer), {LemmaFigure::premature}, 100000);
}

TEST_CASE("the search finds a REL that tells of its successors too late") {
  Registration layer;
  check_found("rel-lazy", with_tampering(send_first, layer), {LemmaFigure::premature}, 20000);
  check_found("rel-eager", with_tampering(send_first, layer), {LemmaFigure::premature}, 20000);
}

TEST_CASE("the search finds an INDEP that decides before the flush") {
  Registration mistaken;
  check_found("indep", with_mistake<DecidesBeforeTheFlush>(mistaken), {LemmaFigure::premature},
              20000);
}

TEST_CASE("the search finds an INDEP with the printed cornet") {
  Registration mistaken;
  check_found("indep", with_mistake<PrintedCornet>(mistaken), {LemmaFigure::hung}, 1000);
}

TEST_CASE("the search finds detectors that forget the dead with a new phase") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration mistaken;
    check_found(detector, with_mistake<ForgetsTheDead>(mistaken), {LemmaFigure::hung}, 20000);
  }
}

TEST_CASE("the search finds detectors that do not answer their own messages") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration mistaken;
    check_found(detector, with_mistake<NoWordToItself>(mistaken), {LemmaFigure::hung}, 20000);
  }
}

TEST_CASE("the search finds detectors that give up before they must") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration layer;
    check_found(detector, with_layer<GivesUpAtTheNotice>(layer), {LemmaFigure::given_up}, 20000);
  }
}

TEST_CASE("the search finds detectors that do not give up, though all ends well") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration layer;
    check_found(detector, with_layer<AnswersForTheDead>(layer), {LemmaFigure::not_given_up}, 20000);
  }
}

TEST_CASE("the search finds an INDEP that gives up because of children that it has made up") {
  Registration layer;
  // By their messages it had to: only the truth about who was related tells that it had not.
  const Way against_truth{LemmaFigure::given_up, "given up, although no"};
  check_found("indep", with_tampering(tell_of_another, layer), against_truth, 20000);
}

TEST_CASE("the search finds what breaks an invariant, shrinks the schedule and writes it") {
  // Lai and Wu's messages are Dijkstra and Scholten's; INDEP passes over what nobody owes.
  Registration layer;
  const Mutation mutation = with_tampering(acknowledge_twice, layer);
  const std::string words = "broken invariant: an acknowledgement that nobody owes (lai_wu.cpp:";
  const Way way{LemmaFigure::other, words};
  check_found("lai-wu", mutation, way, 1000);
  const ProtocolStack stack = under_oracle("lai-wu");
  const auto found = counterexample(stack, mutation, way, 1000);
  REQUIRE(found);
  CHECK(found->schedule.processes <= 3);
  const auto seed = ", seed " + std::to_string(found->schedule.seed) + ", replication 0";
  CHECK(found->broken.text.find(seed) != std::string::npos);
  const auto files =
      replay_files(found->schedule, stack, EngineKind::loggp, found->broken.text, "m.json");
  CHECK(files.scenario.find(words) != std::string::npos);
}
