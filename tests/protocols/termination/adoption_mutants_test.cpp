// INDEP and its kin with one mistake each, which the search of analysis/lemmas/lemma_search.hpp
// must find: this is what shows that its finding nothing in the real ones means something.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <utility>

#include "analysis/lemmas/lemma_search.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "protocols/termination/adoption.hpp"
#include "sim/scenario/scenario.hpp"

using namespace faultline;

namespace {

/// A real detector, passed through: what a mistake changes is overridden.
class Passed : public Component {
 public:
  explicit Passed(std::unique_ptr<Component> real) : real_(std::move(real)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Passed>(real_->clone());
  }
  void start(Context& context) override { real_->start(context); }
  void on_message(Context& context, const Message& message) override {
    real_->on_message(context, message);
  }
  void on_flushed(Context& context, ActorId peer) override { real_->on_flushed(context, peer); }
  void on_peer_failed(Context& context, ActorId peer) override {
    real_->on_peer_failed(context, peer);
  }
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override {
    real_->on_sends(context, batch, still_active);
  }
  Passage on_receive(Context& context, Message& message) override {
    return real_->on_receive(context, message);
  }
  void on_idle(Context& context) override { real_->on_idle(context); }
  [[nodiscard]] Rank parent() const override { return real_->parent(); }
  void report(Metrics& metrics) const override { real_->report(metrics); }
  [[nodiscard]] std::string waiting_for() const override { return real_->waiting_for(); }

 protected:
  [[nodiscard]] Component& real() const { return *real_; }

 private:
  std::unique_ptr<Component> real_;
};

/// Section 2 as printed: a further message of the parent is added to the parent's entry of the
/// cornet, C becomes 2, and the process never disengages with C = 1. What is left of that when the
/// rest is right: the message is never acknowledged.
class PrintedCornet final : public Passed {
 public:
  using Passed::Passed;
  Passage on_receive(Context& context, Message& message) override {
    return message.from == parent() ? Passage::deliver : Passed::on_receive(context, message);
  }
};

/// Decides as soon as it is told of a death, or is queried about one.
class DecidesBeforeTheFlush final : public Passed {
 public:
  using Passed::Passed;
  void on_peer_failed(Context& context, ActorId peer) override {
    Passed::on_peer_failed(context, peer);
    on_flushed(context, peer);
  }
  void on_message(Context& context, const Message& message) override {
    Passed::on_message(context, message);
    if (message.kind == kTryEngageGrandchild)
      on_flushed(context, message.payload.get<TryEngageGrandchild>().failed);
  }
};

/// Does not hear, when a phase begins, of who has died in the ones before.
class ForgetsTheDead final : public Passed {
 public:
  using Passed::Passed;
  void start(Context& context) override {
    started_ = true;
    Passed::start(context);
  }
  void on_peer_failed(Context& context, ActorId peer) override {
    if (started_) Passed::on_peer_failed(context, peer);
  }

 private:
  bool started_ = false;
};

/// Owes itself nothing for what it sends to itself, but waits for it.
class NoWordToItself final : public Passed {
 public:
  using Passed::Passed;
  Passage on_receive(Context& context, Message& message) override {
    return message.from == context.self() ? Passage::deliver : Passed::on_receive(context, message);
  }
};

/// Below the detector: what it sends in one go leaves in another way.
using Tamper = void (*)(Context&, std::span<Message* const>);

class Tampering final : public Component {
 public:
  explicit Tampering(Tamper tamper) : tamper_(tamper) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Tampering>(*this);
  }
  void on_sends(Context& context, std::span<Message* const> batch, bool) override {
    tamper_(context, batch);
  }

 private:
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
class SeesQueries : public Component {
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
  void on_peer_failed(Context& context, ActorId peer) override {
    for (const auto& [grandchild, failed] : unanswered_)
      if (grandchild == peer) context.fatal("a potential grandchild has failed too");
  }
};

/// Takes a dead process for one that has replied that it is not engaged. That ends well where it
/// was not, or had no children.
class AnswersForTheDead final : public SeesQueries {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<AnswersForTheDead>(*this);
  }
  void on_flushed(Context& context, ActorId peer) override {
    for (const auto& [grandchild, failed] : unanswered_) {
      if (grandchild != peer) continue;
      Message reply;
      reply.from = peer;
      reply.to = context.self();
      reply.kind = kReplyToGrandparent;
      reply.channel = Family::termination;
      reply.payload.put(ReplyToGrandparent{.failed = failed});
      context.deliver(reply);
    }
    std::erase_if(unanswered_, [peer](const auto& query) { return query.first == peer; });
  }
};

/// A registration whose components are those of `real` in the hands of `Mistake`.
template <class Mistake>
Spoil with_mistake(Registration& mistaken) {
  return [&mistaken](RunSpec& spec) {
    ComponentChoice& detector = spec.components[static_cast<std::size_t>(Family::termination)];
    mistaken = *detector.registration;
    mistaken.make = [make = mistaken.make](const OptionValues& options,
                                           const JobShape& job) -> ComponentFactory {
      return [factory = make(options, job)](ActorId self) {
        return std::make_unique<Mistake>(factory(self));
      };
    };
    detector.registration = &mistaken;
  };
}

Spoil with_tampering(Tamper tamper, Registration& layer) {
  layer.make = [tamper](const OptionValues&, const JobShape&) -> ComponentFactory {
    return [tamper](ActorId) { return std::make_unique<Tampering>(tamper); };
  };
  return [&layer](RunSpec& spec) {
    spec.components[static_cast<std::size_t>(Family::message_logging)] = {&layer, {}};
  };
}

template <class Mistake>
Spoil with_layer(Registration& layer) {
  layer.make = [](const OptionValues&, const JobShape&) -> ComponentFactory {
    return [](ActorId) { return std::make_unique<Mistake>(); };
  };
  return [&layer](RunSpec& spec) {
    spec.components[static_cast<std::size_t>(Family::message_logging)] = {&layer, {}};
  };
}

/// The first of `schedules` schedules in which the mistake shows in that way, shrunk.
std::optional<LemmaCounterexample> counterexample(const Subject& subject, const Spoil& spoil,
                                                  const std::string& way, std::uint64_t schedules) {
  const Judge judge = [&](const FaultSchedule& schedule) {
    const std::string broken = run_lemma(schedule, subject, EngineKind::loggp, spoil).broken;
    return broken.rfind(way, 0) == 0 ? broken : std::string();
  };
  for (std::uint64_t number = 1; number <= schedules; ++number) {
    const FaultSchedule schedule = draw_schedule(number);
    const std::string broken = judge(schedule);
    if (!broken.empty()) return shrink({schedule, broken}, judge, 20);
  }
  return std::nullopt;
}

void check_found(const std::string& detector, const Spoil& spoil, const std::string& broken,
                 std::uint64_t schedules) {
  const Subject subject{detector};
  const auto found = counterexample(subject, spoil, broken, schedules);
  INFO(detector);
  REQUIRE(found);
  INFO(replay_files(found->schedule, subject, EngineKind::loggp, found->broken, "m.json").scenario);
  CHECK(run_lemma(found->schedule, subject, EngineKind::loggp, spoil).broken == found->broken);
  CHECK(run_lemma(found->schedule, subject, EngineKind::loggp).broken == "");
  CHECK(lemma_figure(found->broken) != "other");  // `reproduce` counts it as what it is
}

}  // namespace

TEST_CASE("the search finds an INDEP that tells the parent too late") {
  Registration layer;
  check_found("indep", with_tampering(send_first, layer), "premature", 20000);
}

TEST_CASE("the search finds an INDEP that takes order for a fence") {
  Registration layer;
  check_found("indep", with_tampering(send_without_fence, layer), "premature", 100000);
}

TEST_CASE("the search finds a REL that tells of its successors too late") {
  Registration layer;
  check_found("rel-lazy", with_tampering(send_first, layer), "premature", 20000);
  check_found("rel-eager", with_tampering(send_first, layer), "premature", 20000);
}

TEST_CASE("the search finds an INDEP that decides before the flush") {
  Registration mistaken;
  check_found("indep", with_mistake<DecidesBeforeTheFlush>(mistaken), "premature", 20000);
}

TEST_CASE("the search finds an INDEP with the printed cornet") {
  Registration mistaken;
  check_found("indep", with_mistake<PrintedCornet>(mistaken), "hung", 1000);
}

TEST_CASE("the search finds detectors that forget the dead with a new phase") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration mistaken;
    check_found(detector, with_mistake<ForgetsTheDead>(mistaken), "hung", 20000);
  }
}

TEST_CASE("the search finds detectors that do not answer their own messages") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration mistaken;
    check_found(detector, with_mistake<NoWordToItself>(mistaken), "hung", 20000);
  }
}

TEST_CASE("the search finds detectors that give up before they must") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration layer;
    check_found(detector, with_layer<GivesUpAtTheNotice>(layer), "given up", 20000);
  }
}

TEST_CASE("the search finds detectors that do not give up, though all ends well") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration layer;
    check_found(detector, with_layer<AnswersForTheDead>(layer), "terminated, though", 20000);
  }
}

TEST_CASE("the search finds an INDEP that gives up because of children that it has made up") {
  Registration layer;
  check_found("indep", with_tampering(tell_of_another, layer), "given up, although no", 20000);
}
