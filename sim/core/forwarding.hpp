// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "sim/core/component.hpp"

namespace faultline {

/// Passes the handlers that all components have on to another one. `Base` is that one's role:
/// Workload, TerminationDetector, RecoveryLayer or Detector.
template <class Base>
class ForwardingComponent : public Base {
 public:
  using Context = typename Base::OwnContext;

  explicit ForwardingComponent(std::unique_ptr<Component> inner) : inner_(std::move(inner)) {}
  ForwardingComponent(const ForwardingComponent& other)
      : Base(other), inner_(other.inner_->clone()) {}
  ForwardingComponent& operator=(const ForwardingComponent&) = delete;

  void start(Context& context) override { inner().start(context); }
  void on_timer(Context& context, std::uint64_t key) override { inner().on_timer(context, key); }
  void on_compute_done(Context& context, std::uint64_t tag) override {
    inner().on_compute_done(context, tag);
  }
  void on_restored(Context& context) override { inner().on_restored(context); }
  void on_message(Context& context, const Message& message) override {
    inner().on_message(context, message);
  }
  void on_sent(Context& context, ActorId to, std::uint16_t kind) override {
    inner().on_sent(context, to, kind);
  }
  void on_flushed(Context& context, Incarnation peer) override {
    inner().on_flushed(context, peer);
  }
  void on_request(Context& context, const StackRequest& request) override {
    inner().on_request(context, request);
  }
  void on_answer(Context& context, const StackRequest& answer) override {
    inner().on_answer(context, answer);
  }
  void on_peer_failed(Context& context, Incarnation peer) override {
    inner().on_peer_failed(context, peer);
  }
  void on_peer_restarted(Context& context, Incarnation peer) override {
    inner().on_peer_restarted(context, peer);
  }
  void on_restart_refused(Context& context, Incarnation peer) override {
    inner().on_restart_refused(context, peer);
  }
  [[nodiscard]] Rank parent() const override { return inner_->parent(); }
  void report(MetricTotals& totals) const override { inner_->report(totals); }
  [[nodiscard]] std::string waiting_for() const override { return inner_->waiting_for(); }

 protected:
  [[nodiscard]] Base& inner() { return static_cast<Base&>(*inner_); }
  [[nodiscard]] const Base& inner() const { return static_cast<const Base&>(*inner_); }
  /// Puts another component of the same role in the place of the inner one, which is returned.
  std::unique_ptr<Component> replace_inner(std::unique_ptr<Component> other) {
    return std::exchange(inner_, std::move(other));
  }
  /// Whoever wraps a component and has a state of its own adds that, too.
  void digest_state(Digest& into) const override { inner_->digest(into); }

 private:
  std::unique_ptr<Component> inner_;
};

/// A component that wraps another one of the same role and passes every handler on to it. Whoever
/// wraps a component inherits from this and overrides the handlers that it changes.
template <class Role>
class Forwarding;

template <>
class Forwarding<Workload> : public ForwardingComponent<Workload> {
 public:
  using ForwardingComponent::ForwardingComponent;
  void on_announced(WorkloadContext& context, std::uint32_t phase) override {
    inner().on_announced(context, phase);
  }
  [[nodiscard]] std::vector<ObjectId> objects() const override { return inner().objects(); }
  [[nodiscard]] PackedObject pack(ObjectId object) const override { return inner().pack(object); }
  void remove(ObjectId object) override { inner().remove(object); }
  void unpack(WorkloadContext& context, const PackedObject& packed) override {
    inner().unpack(context, packed);
  }
};

/// Passes the handlers that all layers have on to another one of that role.
template <class Base>
class ForwardingLayer : public ForwardingComponent<Base> {
 public:
  using ForwardingComponent<Base>::ForwardingComponent;
  using typename ForwardingComponent<Base>::Context;
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override {
    this->inner().on_sends(context, batch, still_active);
  }
  Passage on_receive(Context& context, Message& message) override {
    return this->inner().on_receive(context, message);
  }
  void on_idle(Context& context) override { this->inner().on_idle(context); }
};

template <>
class Forwarding<TerminationDetector> : public ForwardingLayer<TerminationDetector> {
 public:
  using ForwardingLayer::ForwardingLayer;
  [[nodiscard]] std::optional<Conserved> conserved() const override { return inner().conserved(); }
  [[nodiscard]] std::int64_t conserved_in(const Message& message) const override {
    return inner().conserved_in(message);
  }
};

template <>
class Forwarding<RecoveryLayer> : public ForwardingLayer<RecoveryLayer> {
 public:
  using ForwardingLayer::ForwardingLayer;
  [[nodiscard]] bool recovers(ActorId peer) const override { return inner().recovers(peer); }
  void on_object_moved(RecoveryContext& context, ObjectId object) override {
    inner().on_object_moved(context, object);
  }
};

template <>
class Forwarding<Detector> : public ForwardingComponent<Detector> {
 public:
  using ForwardingComponent::ForwardingComponent;
  void on_exit_notice(DetectorContext& context, Incarnation dead) override {
    inner().on_exit_notice(context, dead);
  }
  void on_local_exit(DetectorContext& context, Incarnation rank) override {
    inner().on_local_exit(context, rank);
  }
  void on_link_lost(DetectorContext& context, Incarnation peer) override {
    inner().on_link_lost(context, peer);
  }
};

}  // namespace faultline
