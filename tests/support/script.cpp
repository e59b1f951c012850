// SPDX-License-Identifier: Apache-2.0
#include "tests/support/script.hpp"

#include <optional>
#include <utility>

namespace faultline::test {

namespace {

// Calls the handlers of a test that all components have.
template <class Role>
class ScriptedComponent : public Role {
 public:
  using Context = typename Role::OwnContext;
  explicit ScriptedComponent(Handlers handlers) : do_(std::move(handlers)) {}

  void start(Context& context) override { call(do_.start, context); }
  void on_message(Context& context, const Message& message) override {
    call(do_.message, context, message);
  }
  void on_timer(Context& context, std::uint64_t key) override { call(do_.timer, context, key); }
  void on_compute_done(Context& context, std::uint64_t tag) override {
    call(do_.compute_done, context, tag);
  }
  void on_restored(Context& context) override { call(do_.restored, context); }
  void on_sent(Context& context, ActorId to, std::uint16_t kind) override {
    call(do_.sent, context, to, kind);
  }
  void on_flushed(Context& context, Incarnation peer) override { call(do_.flushed, context, peer); }
  void on_request(Context& context, const StackRequest& request) override {
    call(do_.request, context, request);
  }
  void on_answer(Context& context, const StackRequest& answer) override {
    call(do_.answer, context, answer);
  }
  void on_peer_failed(Context& context, Incarnation peer) override {
    call(do_.peer_failed, context, peer);
  }
  void on_peer_restarted(Context& context, Incarnation peer) override {
    call(do_.peer_restarted, context, peer);
  }
  void on_restart_refused(Context& context, Incarnation peer) override {
    call(do_.restart_refused, context, peer);
  }
  void report(MetricTotals& totals) const override {
    if (do_.report) do_.report(totals);
  }
  [[nodiscard]] std::string waiting_for() const override { return do_.waiting_for; }

 protected:
  template <class Function, class... Arguments>
  static void call(Function& function, Context& context, Arguments&&... arguments) {
    if (!function) return;
    ScriptContext script(context);
    function(script, std::forward<Arguments>(arguments)...);
  }
  void digest_state(Digest& into) const override {
    if (do_.digest) do_.digest(into);
  }

  Handlers do_;
};

// A workload that calls the handlers of a test.
class ScriptedWorkload final : public ScriptedComponent<Workload> {
 public:
  using ScriptedComponent::ScriptedComponent;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<ScriptedWorkload>(*this);
  }
  void on_announced(WorkloadContext& context, std::uint32_t phase) override {
    call(do_.announced, context, phase);
  }
};

// Calls the handlers of a test that all layers have.
template <class Role>
class ScriptedLayer : public ScriptedComponent<Role> {
 public:
  using ScriptedComponent<Role>::ScriptedComponent;
  using typename ScriptedComponent<Role>::Context;
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override {
    if (this->do_.sends)
      this->call(this->do_.sends, context, batch, still_active);
    else
      Role::on_sends(context, batch, still_active);
  }
  Passage on_receive(Context& context, Message& message) override {
    if (!this->do_.receive) return Passage::deliver;
    ScriptContext script(context);
    return this->do_.receive(script, message);
  }
  void on_idle(Context& context) override { this->call(this->do_.idle, context); }
};

// A termination detector that calls the handlers of a test.
class ScriptedTerminationDetector final : public ScriptedLayer<TerminationDetector> {
 public:
  using ScriptedLayer::ScriptedLayer;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<ScriptedTerminationDetector>(*this);
  }
  [[nodiscard]] std::optional<Conserved> conserved() const override {
    return do_.conserved ? std::optional(do_.conserved()) : std::nullopt;
  }
  [[nodiscard]] std::int64_t conserved_in(const Message& message) const override {
    return do_.conserved_in ? do_.conserved_in(message) : 0;
  }
};

// Message logging, or transactions, that call the handlers of a test.
class ScriptedRecoveryLayer final : public ScriptedLayer<RecoveryLayer> {
 public:
  using ScriptedLayer::ScriptedLayer;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<ScriptedRecoveryLayer>(*this);
  }
  [[nodiscard]] bool recovers(ActorId peer) const override {
    return do_.recovers && do_.recovers(peer);
  }
  void on_object_moved(RecoveryContext& context, ObjectId object) override {
    call(do_.object_moved, context, object);
  }
};

// A failure detector that calls the handlers of a test.
class ScriptedDetector final : public ScriptedComponent<Detector> {
 public:
  using ScriptedComponent::ScriptedComponent;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<ScriptedDetector>(*this);
  }
  void on_exit_notice(DetectorContext& context, Incarnation dead) override {
    call(do_.exit_notice, context, dead);
  }
  void on_local_exit(DetectorContext& context, Incarnation rank) override {
    call(do_.local_exit, context, rank);
  }
  void on_link_lost(DetectorContext& context, Incarnation peer) override {
    call(do_.link_lost, context, peer);
  }
};

}  // namespace

std::unique_ptr<Component> scripted(Family family, Handlers handlers) {
  switch (place_of(family).role) {
    case Role::workload:
      return std::make_unique<ScriptedWorkload>(std::move(handlers));
    case Role::recovery:
      return std::make_unique<ScriptedRecoveryLayer>(std::move(handlers));
    case Role::termination:
      return std::make_unique<ScriptedTerminationDetector>(std::move(handlers));
    case Role::detector:
      break;
  }
  return std::make_unique<ScriptedDetector>(std::move(handlers));
}

}  // namespace faultline::test
