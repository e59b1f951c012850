// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "protocols/transactions/world_layer.hpp"

namespace faultline::transactions {

struct RelaunchOptions : WorldOptions {
  RelaunchOptions() { spawn_s = 30.0; }  // relaunch_s
};

/// What MPI without fault tolerance does under a batch system: a death ends the job, which starts
/// again from its last checkpoint. There are no TryBlocks.
class Relaunch final : public WorldLayer {
 public:
  using Options = RelaunchOptions;
  Relaunch(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Relaunch>(*this);
  }

  // ---- as a layer -----------------------------------------------------------------------------
  void on_message(RecoveryContext& context, const Message& message) override;
  void on_request(RecoveryContext& context, const StackRequest& request) override;

 private:
  enum OwnKind : std::uint16_t {
    kAtEnd = WorldMessage::kinds,  ///< the programs of all ranks below the sender are at their end
    kEnd,                          ///< all programs are at their end: processes may end
  };

  void on_death(RecoveryContext& context, ActorId dead) override;
  void on_world(RecoveryContext& context) override;
  void on_data(RecoveryContext& context) override { world_.resume(context, *this); }
  void on_leader_told(RecoveryContext& context) override;
  void on_late_ready(RecoveryContext& context, ActorId from) override;
  void digest_state(Digest& into) const override;

  void pass_on_end(RecoveryContext& context);
  void end(RecoveryContext& context);
  void tell_end(RecoveryContext& context, ActorId to) const;
  void on_end(RecoveryContext& context, const WorldEpoch& of, ActorId from);
  [[nodiscard]] ActorId leader() const { return world_.members().leader(); }
  [[nodiscard]] bool leads() const { return leader() == world_.members().self(); }

  std::shared_ptr<const Options> options_;
  std::optional<Asked> leave_request_;  ///< the program has come to its end
  std::uint32_t ends_below_ = 0;
  bool knows_end_ = false;  ///< has heard of the end while it waits for a new world
  bool ended_ = false;      ///< the job has ended, and a death means nothing any more
};

}  // namespace faultline::transactions
