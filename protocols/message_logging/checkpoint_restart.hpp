// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "protocols/message_logging/checkpointed_program.hpp"

namespace faultline {

/// Coordinated checkpoints and global rollback: when a rank has died, all go back to the last
/// checkpoint. No message is logged. So nothing may be under way when images are taken: while the
/// program waits for a checkpoint, what a termination detector above sends is held back, and part
/// of the checkpoint; and images are taken when everything that was sent before has come.
class CheckpointRestart : public Layer, protected ProtocolSteps {
 public:
  using Options = CheckpointOptions;
  CheckpointRestart(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : program_(*options, job, self, Survivors::go_back) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CheckpointRestart>(*this);
  }

  // ---- as a layer -----------------------------------------------------------------------------
  void start(Context& context) override { program_.start(context, *this, false); }
  void on_sends(Context& context, std::span<Message* const> batch, bool) override {
    program_.on_sends(context, batch, *this);
  }
  Passage on_receive(Context& context, Message& message) override {
    return program_.on_receive(context, message, *this);
  }
  void on_message(Context& context, const Message& message) override {
    program_.on_message(context, message, *this);
  }
  void on_request(Context& context, const StackRequest& request) override;
  void on_restored(Context& context) override;
  void on_timer(Context& context, std::uint64_t key) override {
    program_.on_timer(context, key, *this);
  }
  void on_peer_failed(Context& context, Incarnation peer) override {
    program_.on_peer_failed(context, peer);
  }
  void on_peer_restarted(Context& context, Incarnation) override {
    program_.on_peer_restarted(context, *this);
  }
  void on_restart_refused(Context& context, Incarnation peer) override {
    program_.on_restart_refused(context, peer);
  }
  [[nodiscard]] bool recovers(ActorId) const override { return true; }
  void report(MetricTotals& totals) const override { program_.report(totals); }
  [[nodiscard]] std::string waiting_for() const override { return program_.waiting_for(); }

 protected:
  Admission admit(Context& context, Message& message) override;
  void stamp(Context& context, Message& message) override;
  void on_committed(Context& context) override;
  void on_joined(Context& context, Rank root, RestartReport& report) override;
  void on_agreed(Context& context) override;
  void on_begun_anew(Context& context) override;
  void digest_state(Digest& into) const override { into.add(program_, history_); }

  CheckpointedProgram program_;

 private:
  void note_progress(Context& context);

  std::uint64_t history_ = 0;    ///< level of the last rollback: what the program belongs to
  std::uint64_t delivered_ = 0;  ///< since the last checkpoint
  std::uint64_t goal_ = 0;       ///< where it was when it was rolled back
  bool recovers_ = false;        ///< has gone back, and is not where it was. Only the others
                                 ///< know of a restarted rank
  double death_s_ = kNever;      ///< the first one since it was where it is
};

}  // namespace faultline
