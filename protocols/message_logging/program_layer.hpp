// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "protocols/message_logging/checkpointed_program.hpp"
#include "sim/core/component.hpp"

namespace faultline::message_logging {

/// A layer that only hands its events over to the program that it holds. Every protocol of message
/// logging is one, and adds its steps (ProtocolSteps).
class ProgramLayer : public RecoveryLayer, protected ProtocolSteps {
 public:
  void start(RecoveryContext& context) override { program_.start(context, *this, false); }
  void on_sends(RecoveryContext& context, std::span<Message* const> batch, bool) override {
    program_.on_sends(context, batch, *this);
  }
  Passage on_receive(RecoveryContext& context, Message& message) override {
    return program_.on_receive(context, message, *this);
  }
  void on_message(RecoveryContext& context, const Message& message) override {
    program_.on_message(context, message, *this);
  }
  void on_request(RecoveryContext& context, const StackRequest& request) override {
    program_.on_request(context, request, *this);
  }
  void on_restored(RecoveryContext& context) override {
    program_.on_restored();
    program_.resume(context, *this);
  }
  void on_timer(RecoveryContext& context, std::uint64_t key) override {
    program_.on_timer(context, key, *this);
  }
  void on_peer_failed(RecoveryContext& context, Incarnation peer) override {
    program_.on_peer_failed(context, peer);
  }
  void on_peer_restarted(RecoveryContext& context, Incarnation) override {
    program_.on_peer_restarted(context, *this);
  }
  void on_restart_refused(RecoveryContext& context, Incarnation peer) override {
    program_.on_restart_refused(context, peer);
  }
  [[nodiscard]] bool recovers(ActorId) const override { return true; }
  void report(MetricTotals& totals) const override { program_.report(totals); }
  [[nodiscard]] std::string waiting_for() const override { return program_.waiting_for(); }

 protected:
  ProgramLayer(const checkpoints::CheckpointOptions& options, const JobShape& job, Rank self,
               Survivors survivors)
      : self_(self), program_(options, job, self, survivors) {}

  Rank self_;
  CheckpointedProgram program_;
};

}  // namespace faultline::message_logging
