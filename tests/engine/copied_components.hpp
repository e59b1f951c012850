// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/core/forwarding.hpp"
#include "sim/core/local_events.hpp"
#include "tests/support/job.hpp"

/// Components that run on copies of themselves.
namespace faultline::engine {

using test::ScriptContext;

/// Which of the two goes on after a handler: the copy, or what it was made from.
enum class GoesOn : std::uint8_t { copy, original };

/// What another context knows of peers.
class SameKnowledge final : public Services {
 public:
  explicit SameKnowledge(const Context& context) : context_(context) {}
  [[nodiscard]] Incarnation known(ActorId, ActorId peer) const override {
    return context_.known(peer);
  }

 private:
  const Context& context_;
};

/// A turn like that of `real`, for a handler of which nothing may come: what it sends and asks for
/// is thrown away.
class ScrapTurn {
 public:
  ScrapTurn(const ScriptContext& real, MessagePool& pool) : knowledge_(real) {
    turn_.pool = &pool;
    turn_.services = &knowledge_;
    turn_.placement = &real.placement();
    turn_.job = real.job();
    turn_.now_s = real.now_s();
    turn_.self = real.self();
    turn_.incarnation = real.incarnation();
    turn_.phase = real.phase();
    turn_.computing = real.busy() ? 1 : 0;
    turn_.active = real.active();
    turn_.present = (1U << kFamilies) - 1;
  }
  ScrapTurn(const ScrapTurn&) = delete;
  ScrapTurn& operator=(const ScrapTurn&) = delete;
  ~ScrapTurn() {
    for (const auto* level : {&turn_.outbox, &turn_.upward})
      for (const std::vector<Message*>& messages : *level)
        for (Message* message : messages)
          if ((message->flags & kForwarded) == 0) turn_.pool->give_back(message);
  }

  Turn& turn() { return turn_; }

 private:
  SameKnowledge knowledge_;
  Turn turn_;
};

/// Before each handler its component is cloned, and one of the two first runs the handler with
/// nothing coming of it. If they share something that the handler changes, it has changed for the
/// other one, too, when that one runs the handler and goes on. What the other one has not got of
/// the state shows likewise.
template <class Role>
class CopiedComponent : public Forwarding<Role> {
 public:
  using typename Forwarding<Role>::Context;

  CopiedComponent(std::unique_ptr<Component> inner, Family family, GoesOn goes_on,
                  std::shared_ptr<MessagePool> pool)
      : Forwarding<Role>(std::move(inner)),
        pool_(std::move(pool)),
        family_(family),
        goes_on_(goes_on) {}

  void start(Context& context) override { twice(context, &Role::start); }
  void on_timer(Context& context, std::uint64_t key) override {
    twice(context, &Role::on_timer, key);
  }
  void on_compute_done(Context& context, std::uint64_t tag) override {
    twice(context, &Role::on_compute_done, tag);
  }
  void on_message(Context& context, const Message& message) override {
    twice(context, &Role::on_message, message);
  }
  void on_restored(Context& context) override { twice(context, &Role::on_restored); }
  void on_sent(Context& context, ActorId to, std::uint16_t kind) override {
    twice(context, &Role::on_sent, to, kind);
  }
  void on_flushed(Context& context, Incarnation peer) override {
    twice(context, &Role::on_flushed, peer);
  }
  void on_request(Context& context, const StackRequest& request) override {
    twice(context, &Role::on_request, request);
  }
  void on_answer(Context& context, const StackRequest& answer) override {
    twice(context, &Role::on_answer, answer);
  }
  void on_peer_failed(Context& context, Incarnation peer) override {
    twice(context, &Role::on_peer_failed, peer);
  }
  void on_peer_restarted(Context& context, Incarnation peer) override {
    twice(context, &Role::on_peer_restarted, peer);
  }
  void on_restart_refused(Context& context, Incarnation peer) override {
    twice(context, &Role::on_restart_refused, peer);
  }
  void report(MetricTotals& totals) const override {
    MetricTotals scrap = totals;
    this->inner().report(scrap);
    this->inner().clone()->report(totals);
  }

 protected:
  /// Runs a handler once for nothing and once in earnest.
  template <class Handler, class... Arguments>
  void twice(Context& context, Handler handler, const Arguments&... arguments) {
    const auto call = [&](Role& role, Context& c) { (role.*handler)(c, arguments...); };
    for_nothing_and_in_earnest(context, call, call);
  }
  /// As above, where the handler may change its arguments: `scrap` gives away copies of them.
  /// Returns what `handler` returns.
  template <class Scrap, class Handler>
  auto for_nothing_and_in_earnest(Context& context, Scrap scrap, Handler handler) {
    // The engine has given the random numbers to this component, and takes them from it when a
    // phase begins.
    if (!has_random_) this->inner().random = this->random;
    has_random_ = true;
    std::unique_ptr<Component> other = this->inner().clone();
    if (goes_on_ == GoesOn::copy) other = this->replace_inner(std::move(other));
    {
      const ScriptContext real(context);
      ScrapTurn turn(real, *pool_);
      Context nowhere(turn.turn(), family_);
      scrap(static_cast<Role&>(*other), nowhere);
    }
    const Following following(*this);
    return handler(this->inner(), context);
  }

 private:
  /// Takes over the random numbers when the handler has returned.
  class Following {
   public:
    explicit Following(CopiedComponent& component) : component_(component) {}
    Following(const Following&) = delete;
    Following& operator=(const Following&) = delete;
    ~Following() { component_.random = component_.inner().random; }

   private:
    CopiedComponent& component_;
  };

  std::shared_ptr<MessagePool> pool_;  ///< of all components of the run
  Family family_;
  GoesOn goes_on_;
  bool has_random_ = false;
};

class CopiedWorkload final : public CopiedComponent<Workload> {
 public:
  using CopiedComponent::CopiedComponent;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CopiedWorkload>(*this);
  }
  void on_announced(Context& context, std::uint32_t phase) override {
    twice(context, &Workload::on_announced, phase);
  }
};

template <class Role>
class CopiedLayer : public CopiedComponent<Role> {
 public:
  using CopiedComponent<Role>::CopiedComponent;
  using typename CopiedComponent<Role>::Context;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CopiedLayer>(*this);
  }
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override {
    std::vector<Message> copies(batch.size());
    std::vector<Message*> copied_batch(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      copies[i] = *batch[i];
      copied_batch[i] = &copies[i];
    }
    this->for_nothing_and_in_earnest(
        context, [&](Role& layer, Context& c) { layer.on_sends(c, copied_batch, still_active); },
        [&](Role& layer, Context& c) { layer.on_sends(c, batch, still_active); });
  }
  Passage on_receive(Context& context, Message& message) override {
    Message copy = message;
    return this->for_nothing_and_in_earnest(
        context, [&](Role& layer, Context& c) { layer.on_receive(c, copy); },
        [&](Role& layer, Context& c) { return layer.on_receive(c, message); });
  }
  void on_idle(Context& context) override { this->twice(context, &Role::on_idle); }
};

/// As above, for a layer that says when events above it are handled.
class CopiedOrderingLayer final : public CopiedLayer<RecoveryLayer>, public OrdersLocalEvents {
 public:
  using CopiedLayer::CopiedLayer;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CopiedOrderingLayer>(*this);
  }
  Passage on_local_event(RecoveryContext& context, const LocalEvent& event) override {
    return for_nothing_and_in_earnest(
        context,
        [&](RecoveryLayer& layer, RecoveryContext& c) { ordering(layer).on_local_event(c, event); },
        [&](RecoveryLayer& layer, RecoveryContext& c) {
          return ordering(layer).on_local_event(c, event);
        });
  }
  [[nodiscard]] std::optional<LocalEvent> next_event() const override {
    return dynamic_cast<const OrdersLocalEvents&>(inner()).next_event();
  }
  void leave_out_next(RecoveryContext& context) override {
    const auto leave_out = [](RecoveryLayer& layer, RecoveryContext& c) {
      ordering(layer).leave_out_next(c);
    };
    for_nothing_and_in_earnest(context, leave_out, leave_out);
  }

 private:
  static OrdersLocalEvents& ordering(RecoveryLayer& layer) {
    return dynamic_cast<OrdersLocalEvents&>(layer);
  }
};

class CopiedDetector final : public CopiedComponent<Detector> {
 public:
  using CopiedComponent::CopiedComponent;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CopiedDetector>(*this);
  }
  void on_exit_notice(Context& context, Incarnation dead) override {
    twice(context, &Detector::on_exit_notice, dead);
  }
  void on_local_exit(Context& context, Incarnation rank) override {
    twice(context, &Detector::on_local_exit, rank);
  }
  void on_link_lost(Context& context, Incarnation peer) override {
    twice(context, &Detector::on_link_lost, peer);
  }
};

inline std::unique_ptr<Component> copied(std::unique_ptr<Component> component, Family family,
                                         GoesOn goes_on, const std::shared_ptr<MessagePool>& pool) {
  switch (faultline::place_of(family).role) {
    case Role::workload:
      return std::make_unique<CopiedWorkload>(std::move(component), family, goes_on, pool);
    case Role::recovery:
      if (dynamic_cast<OrdersLocalEvents*>(component.get()) != nullptr)
        return std::make_unique<CopiedOrderingLayer>(std::move(component), family, goes_on, pool);
      return std::make_unique<CopiedLayer<RecoveryLayer>>(std::move(component), family, goes_on,
                                                          pool);
    case Role::termination:
      return std::make_unique<CopiedLayer<TerminationDetector>>(std::move(component), family,
                                                                goes_on, pool);
    case Role::detector:
      return std::make_unique<CopiedDetector>(std::move(component), family, goes_on, pool);
  }
  throw std::logic_error("no such role");
}

/// The registrations of a run whose components all run on copies of themselves.
class Copies {
 public:
  Copies(scenario::RunSpec& spec, GoesOn goes_on) {
    const auto pool = std::make_shared<MessagePool>();
    for (const StackPlace& place : kStack) {
      scenario::ComponentChoice& choice = spec.components[index_of(place.family)];
      if (choice.registration == nullptr) continue;
      Registration& registration = registrations_[index_of(place.family)];
      registration = *choice.registration;
      registration.make = [make = registration.make, family = place.family, goes_on, pool](
                              const OptionValues& options,
                              const JobShape& job) -> ComponentFactory {
        return [factory = make(options, job), family, goes_on, pool](ActorId self) {
          return copied(factory(self), family, goes_on, pool);
        };
      };
      choice.registration = &registration;
    }
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

 private:
  Registration registrations_[kFamilies];
};

}  // namespace faultline::engine
