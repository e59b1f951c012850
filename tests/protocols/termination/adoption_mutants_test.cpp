// INDEP and its kin with one mistake each, which the search of analysis/lemma_search.hpp must find:
// this is what shows that its finding nothing in the real ones means something.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "analysis/lemma_search.hpp"
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

/// The first of `schedules` schedules in which the mistake shows, shrunk.
std::optional<LemmaCounterexample> counterexample(const Subject& subject, const Spoil& spoil,
                                                  std::uint64_t schedules) {
  const Judge judge = [&](const FaultSchedule& schedule) {
    return run_lemma(schedule, subject, EngineKind::loggp, spoil).broken;
  };
  for (std::uint64_t number = 1; number <= schedules; ++number) {
    const FaultSchedule schedule = draw_schedule(number);
    const std::string broken = judge(schedule);
    if (broken.empty()) continue;
    const auto grave = [&](const FaultSchedule& simpler) {
      const std::string found = judge(simpler);
      return found.substr(0, 5) == broken.substr(0, 5) ? found : std::string();
    };
    return shrink({schedule, broken}, grave, 20);
  }
  return std::nullopt;
}

void check_found(const std::string& detector, const Spoil& spoil, const std::string& broken,
                 std::uint64_t schedules) {
  const Subject subject{detector};
  const auto found = counterexample(subject, spoil, schedules);
  INFO(detector);
  REQUIRE(found);
  INFO(replay_files(found->schedule, subject, EngineKind::loggp, found->broken, "m.json").scenario);
  CHECK(found->broken.substr(0, broken.size()) == broken);
  CHECK(run_lemma(found->schedule, subject, EngineKind::loggp, spoil).broken == found->broken);
  CHECK(run_lemma(found->schedule, subject, EngineKind::loggp).broken == "");
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
