#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "sim/core/component.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::test {

/// Passes every handler on to a real protocol. `Mistake` inherits from this and overrides the
/// handlers that it gets wrong. Random numbers are not passed on.
template <class Mistake>
class PassThrough : public Component {
 public:
  explicit PassThrough(std::unique_ptr<Component> real) : real_(std::move(real)) {}
  PassThrough(const PassThrough& other) : Component(other), real_(other.real_->clone()) {}
  PassThrough& operator=(const PassThrough&) = delete;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Mistake>(static_cast<const Mistake&>(*this));
  }

  void start(Context& context) override { real_->start(context); }
  void on_message(Context& context, const Message& message) override {
    real_->on_message(context, message);
  }
  void on_timer(Context& context, std::uint64_t key) override { real_->on_timer(context, key); }
  void on_compute_done(Context& context, std::uint64_t tag) override {
    real_->on_compute_done(context, tag);
  }
  void on_sent(Context& context, ActorId to, std::uint16_t kind) override {
    real_->on_sent(context, to, kind);
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
  [[nodiscard]] bool recovers(ActorId peer) const override { return real_->recovers(peer); }
  void on_exit_notice(Context& context, ActorId dead) override {
    real_->on_exit_notice(context, dead);
  }
  [[nodiscard]] std::optional<double> exit_notice_delay_s() const override {
    return real_->exit_notice_delay_s();
  }
  void on_local_exit(Context& context, Rank rank) override { real_->on_local_exit(context, rank); }
  void on_link_lost(Context& context, ActorId peer) override { real_->on_link_lost(context, peer); }
  [[nodiscard]] Rank parent() const override { return real_->parent(); }
  void report(Metrics& metrics) const override { real_->report(metrics); }
  [[nodiscard]] std::string waiting_for() const override { return real_->waiting_for(); }
  [[nodiscard]] std::optional<Conserved> conserved() const override { return real_->conserved(); }
  [[nodiscard]] std::int64_t conserved_in(const Message& message) const override {
    return real_->conserved_in(message);
  }

 private:
  std::unique_ptr<Component> real_;
};

/// Replaces the run's protocol of `family` by one with a mistake: each component becomes a
/// `Mistake`, made from the real component and `arguments`. `mistaken` must outlive the run.
template <class Mistake, class... Arguments>
void make_mistaken(RunSpec& spec, Family family, Registration& mistaken, Arguments... arguments) {
  ComponentChoice& choice = spec.components[static_cast<std::size_t>(family)];
  mistaken = *choice.registration;
  mistaken.make = [make = mistaken.make, arguments...](const OptionValues& options,
                                                       const JobShape& job) -> ComponentFactory {
    return [factory = make(options, job), arguments...](ActorId self) {
      return std::make_unique<Mistake>(factory(self), arguments...);
    };
  };
  choice.registration = &mistaken;
}

}  // namespace faultline::test
