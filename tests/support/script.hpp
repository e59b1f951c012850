#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "sim/core/component.hpp"

namespace faultline::test {

/// The handlers of one scripted component, given by a test. A missing handler does nothing; a layer
/// without handlers passes everything on.
struct Handlers {
  std::function<void(Context&)> start = {};
  std::function<void(Context&, const Message&)> message = {};
  std::function<void(Context&, std::uint64_t)> timer = {};
  std::function<void(Context&, std::uint64_t)> compute_done = {};
  std::function<void(Context&, ActorId, std::uint16_t)> sent = {};
  std::function<void(Context&, ActorId)> flushed = {};
  std::function<void(Context&, ActorId)> peer_failed = {};
  std::function<void(Context&, std::uint32_t)> announced = {};
  std::function<void(Context&, std::span<Message* const>, bool)> sends = {};
  std::function<Passage(Context&, Message&)> receive = {};
  std::function<void(Context&)> idle = {};
  std::function<bool(ActorId)> recovers = {};
  std::function<void(Context&, ActorId)> exit_notice = {};
  std::function<void(Context&, Rank)> local_exit = {};
  std::function<void(Context&, ActorId)> link_lost = {};
  std::function<Conserved()> conserved = {};
  std::function<std::int64_t(const Message&)> conserved_in = {};
  std::function<void(Metrics&)> report = {};
  std::optional<double> exit_notice_delay_s = {};
  std::string waiting_for = {};
};

/// A component that calls the handlers of a test.
class Script final : public Component {
 public:
  explicit Script(Handlers handlers) : do_(std::move(handlers)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Script>(*this);
  }

  void start(Context& context) override { call(do_.start, context); }
  void on_message(Context& context, const Message& message) override {
    call(do_.message, context, message);
  }
  void on_timer(Context& context, std::uint64_t key) override { call(do_.timer, context, key); }
  void on_compute_done(Context& context, std::uint64_t tag) override {
    call(do_.compute_done, context, tag);
  }
  void on_sent(Context& context, ActorId to, std::uint16_t kind) override {
    call(do_.sent, context, to, kind);
  }
  void on_flushed(Context& context, ActorId peer) override { call(do_.flushed, context, peer); }
  void on_peer_failed(Context& context, ActorId peer) override {
    call(do_.peer_failed, context, peer);
  }
  void on_announced(Context& context, std::uint32_t phase) override {
    call(do_.announced, context, phase);
  }
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override {
    if (do_.sends)
      do_.sends(context, batch, still_active);
    else
      Component::on_sends(context, batch, still_active);
  }
  Passage on_receive(Context& context, Message& message) override {
    return do_.receive ? do_.receive(context, message) : Passage::deliver;
  }
  void on_idle(Context& context) override { call(do_.idle, context); }
  [[nodiscard]] bool recovers(ActorId peer) const override {
    return do_.recovers && do_.recovers(peer);
  }
  void on_exit_notice(Context& context, ActorId dead) override {
    call(do_.exit_notice, context, dead);
  }
  [[nodiscard]] std::optional<double> exit_notice_delay_s() const override {
    return do_.exit_notice_delay_s;
  }
  void on_local_exit(Context& context, Rank rank) override { call(do_.local_exit, context, rank); }
  void on_link_lost(Context& context, ActorId peer) override { call(do_.link_lost, context, peer); }
  void report(Metrics& metrics) const override {
    if (do_.report) do_.report(metrics);
  }
  [[nodiscard]] std::string waiting_for() const override { return do_.waiting_for; }
  [[nodiscard]] std::optional<Conserved> conserved() const override {
    return do_.conserved ? std::optional(do_.conserved()) : std::nullopt;
  }
  [[nodiscard]] std::int64_t conserved_in(const Message& message) const override {
    return do_.conserved_in ? do_.conserved_in(message) : 0;
  }

 private:
  template <class Function, class... Arguments>
  static void call(Function& function, Arguments&&... arguments) {
    if (function) function(std::forward<Arguments>(arguments)...);
  }

  Handlers do_;
};

/// Makes the handlers of one actor. What they capture by value is the state of that actor.
using Scripts = std::function<Handlers(ActorId self)>;

}  // namespace faultline::test
