// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "protocols/transactions/recovered_world.hpp"

namespace faultline {

struct RelaunchOptions : WorldOptions {
  RelaunchOptions() { spawn_s = 30.0; }  // relaunch_s
};

/// What MPI without fault tolerance does under a batch system: a death ends the job, which starts
/// again from its last checkpoint. There are no TryBlocks.
class Relaunch final : public RecoveryLayer, private WorldSteps {
 public:
  using Options = RelaunchOptions;
  Relaunch(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Relaunch>(*this);
  }

  // ---- as a layer -----------------------------------------------------------------------------
  void start(RecoveryContext& context) override { world_.start(context); }
  void on_sends(RecoveryContext& context, std::span<Message* const> batch, bool) override {
    world_.on_sends(context, batch);
  }
  Passage on_receive(RecoveryContext& context, Message& message) override {
    return world_.on_receive(context, message);
  }
  void on_message(RecoveryContext& context, const Message& message) override;
  void on_request(RecoveryContext& context, const StackRequest& request) override;
  void on_timer(RecoveryContext& context, std::uint64_t key) override {
    world_.on_timer(context, key, *this);
  }
  void on_peer_failed(RecoveryContext& context, Incarnation peer) override {
    world_.on_peer_failed(context, peer, *this);
  }
  void on_peer_restarted(RecoveryContext& context, Incarnation peer) override {
    world_.on_peer_restarted(context, peer, *this);
  }
  void on_restart_refused(RecoveryContext& context, Incarnation peer) override {
    world_.on_restart_refused(context, peer);
  }
  void report(MetricTotals& totals) const override { world_.report(totals); }
  [[nodiscard]] std::string waiting_for() const override { return world_.waiting_for(); }

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
  RecoveredWorld world_;
  std::optional<Asked> leave_request_;  ///< the program has come to its end
  std::uint32_t ends_below_ = 0;
  bool knows_end_ = false;  ///< has heard of the end while it waits for a new world
  bool ended_ = false;      ///< the job has ended, and a death means nothing any more
};

}  // namespace faultline
