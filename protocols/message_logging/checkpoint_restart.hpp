#pragma once

#include <memory>
#include <span>
#include <vector>

#include "protocols/message_logging/checkpointed_layer.hpp"

namespace faultline {

/// Coordinated checkpoints and global rollback: when a rank has died, all go back to the last
/// checkpoint. No message is logged. So nothing may be under way when images are taken: while the
/// program waits for a checkpoint, what a termination detector above sends is held back, and part
/// of the checkpoint; and images are taken when everything that was sent before has come.
class CheckpointRestart : public CheckpointedLayer {
 public:
  using Options = CheckpointOptions;
  CheckpointRestart(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : CheckpointedLayer(*options, job, self) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CheckpointRestart>(*this);
  }

  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override;
  void on_timer(Context& context, std::uint64_t key) override;

 private:
  Verdict admit(Context& context, Message& message) override;
  void on_agreed(Context& context) override;
  void on_up(Context& context) override;
  void on_committed(Context&) override { sent_ = received_ = delivered_ = goal_ = 0; }
  [[nodiscard]] bool rolls_back() const override { return true; }
  [[nodiscard]] std::int64_t in_flight() const override { return sent_ - received_; }
  [[nodiscard]] std::vector<Message> unsent() const override { return unsent_; }
  void on_restoring(const Checkpoint& checkpoint) override { unsent_ = checkpoint.unsent; }
  void on_answering(Context& context) override { release_unsent(context); }
  void digest_state(Digest& into) const override;
  void note_progress(Context& context);
  [[nodiscard]] bool holds_back(const Message& message) const;
  void stamp(Message& message);
  void release_unsent(Context& context);

  std::uint64_t history_ = 0;    ///< level of the last rollback: what the program belongs to
  bool begun_ = false;           ///< the program has had its first answer, or never asks
  std::vector<Message> unsent_;  ///< held back, of the layers above
  std::int64_t sent_ = 0;        ///< since the last checkpoint
  std::int64_t received_ = 0;
  std::uint64_t delivered_ = 0;  ///< since the last checkpoint
  std::uint64_t goal_ = 0;       ///< where it was when it was rolled back; 0: nowhere ahead
  double death_s_ = 0.0;
};

}  // namespace faultline
