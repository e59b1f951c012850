// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "protocols/message_logging/causal.hpp"
#include "protocols/message_logging/packed_message.hpp"
#include "sim/core/boxed.hpp"
#include "sim/core/component_memory.hpp"

namespace faultline {

/// Pessimistic message logging: a message is delivered when its determinant is stored by a logger,
/// a rank on another node. Nothing is ever sent that depends on a delivery that nobody else knows.
class Pessimistic final : public Causal {
 public:
  using Options = DeterminantOptions;
  Pessimistic(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Pessimistic>(*this);
  }
  [[nodiscard]] std::optional<LocalEvent> next_event() const override;
  void leave_out_next(Context& context) override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  /// What has a ticket that is not known to be stored: a message, or something that has happened
  /// here.
  struct Waiting {
    explicit Waiting(const Delivery& event) : delivery(event) {}
    Waiting(const Delivery& of, const Message& message);
    [[nodiscard]] bool is_message() const { return from != kNobody; }
    /// As it came, but for what only the engine and this layer look at.
    [[nodiscard]] Message message(Rank receiver) const;

    Delivery delivery;
    [[no_unique_address]] PackedMessage packed;
    std::uint16_t from_incarnation = 0;
    ActorId from = kNobody;
    Boxed<Message> whole;  ///< if it cannot be packed
  };
  static_assert(sizeof(Waiting) == kCacheLine);

  Verdict take(Context& context, Message& message) override;
  Passage take_local(Context& context, const Delivery& event) override;
  bool hand_up_next(Context& context) override;
  void store(Context& context, Rank from, const Carried& carried) override;
  /// What has a ticket behind one that nobody stores has never been delivered.
  [[nodiscard]] bool may_have_gaps() const override { return true; }
  std::uint32_t before(Context&, Message&) override { return 0; }
  std::uint32_t before_log(Context&, Rank) override { return 0; }
  void on_stored(Context& context, Rank holder, std::uint64_t first, std::uint64_t last) override;
  void stored_again(Context& context, Rank receiver, std::uint64_t ticket) override;
  void on_joined(Context& context, Rank root, RestartReport& report) override;
  void on_committed(Context& context) override;
  void digest_state(Digest& into) const override;
  void choose_logger(const Context& context);
  void wait(Context& context);
  [[nodiscard]] bool is_next_stored() const {
    return !waiting_.empty() && stored_ahead_.contains(stored() + 1);
  }
  void end_wait();

  Rank logger_ = kNobody;
  SeenNumbers stored_ahead_;  ///< tickets that the logger has, beyond those that are `stored`
  /// In the order of their tickets, from the first one on that is not `stored`.
  std::deque<Waiting, ComponentAllocator<Waiting>> waiting_;
};

}  // namespace faultline
