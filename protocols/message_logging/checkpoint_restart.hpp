// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "protocols/message_logging/program_layer.hpp"

namespace faultline::message_logging {

/// Coordinated checkpoints and global rollback: when a rank has died, all go back to the last
/// checkpoint. No message is logged. So nothing may be under way when images are taken: while the
/// program waits for a checkpoint, what a termination detector above sends is held back, and part
/// of the checkpoint; and images are taken when everything that was sent before has come.
class CheckpointRestart : public ProgramLayer {
 public:
  using Options = checkpoints::CheckpointOptions;
  CheckpointRestart(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : ProgramLayer(*options, job, self, Survivors::go_back) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CheckpointRestart>(*this);
  }

  void on_restored(RecoveryContext& context) override;

 protected:
  Admission admit(RecoveryContext& context, Message& message) override;
  void stamp(RecoveryContext& context, Message& message) override;
  void on_committed(RecoveryContext& context) override;
  void on_joined(RecoveryContext& context, Rank root, RestartReport& report) override;
  void on_agreed(RecoveryContext& context) override;
  void on_begun_anew(RecoveryContext& context) override;
  void digest_state(Digest& into) const override { into.add(program_, history_); }

 private:
  void note_progress(RecoveryContext& context);

  std::uint64_t history_ = 0;    ///< level of the last rollback: what the program belongs to
  std::uint64_t delivered_ = 0;  ///< since the last checkpoint
  std::uint64_t goal_ = 0;       ///< where it was when it was rolled back
  bool recovers_ = false;        ///< has gone back, and is not where it was. Only the others
                                 ///< know of a restarted rank
  double death_s_ = kNever;      ///< the first one since it was where it is
};

}  // namespace faultline::message_logging
