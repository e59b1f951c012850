// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "protocols/transactions/world_layer.hpp"

namespace faultline {

struct RelaunchOptions : WorldOptions {
  RelaunchOptions() { spawn_s = 30.0; }  // relaunch_s
};

/// What MPI without fault tolerance does under a batch system: a death ends the job, which starts
/// again from its last checkpoint. There are no TryBlocks.
class Relaunch final : public WorldLayer {
 public:
  using Options = RelaunchOptions;
  Relaunch(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Relaunch>(*this);
  }

 private:
  enum OwnKind : std::uint16_t {
    kAtEnd = kOwnKinds,  ///< the programs of all ranks below the sender have come to their end
    kEnd,                ///< all programs have come to their end: processes may end
  };

  void on_death(Context& context, ActorId actor) override;
  void on_world(Context& context) override;
  void on_data(Context& context) override { resume(context); }
  [[nodiscard]] bool commits_blocks() const override { return false; }
  void on_block_request(Context& context, const StackRequest& request) override;
  void on_own_message(Context& context, const Message& message) override;
  void on_leader_told(Context& context) override;
  void on_late_ready(Context& context, Rank rank) override;
  void digest_state(Digest& into) const override;

  void pass_on_end(Context& context);
  void end(Context& context);
  void tell_end(Context& context, Rank to) const;
  void on_end(Context& context, const WorldEpoch& of, Rank from);

  std::optional<Asked> leave_request_;  ///< the program has come to its end
  std::uint32_t ends_below_ = 0;
  bool knows_end_ = false;  ///< has heard of the end while it waits for a new world
  bool ended_ = false;      ///< the job has ended, and a death means nothing any more
};

}  // namespace faultline
