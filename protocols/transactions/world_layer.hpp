// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "protocols/transactions/recovered_world.hpp"
#include "sim/core/component.hpp"

namespace faultline::transactions {

/// A layer that only hands its events over to the world that it holds. Every protocol of
/// transactions is one, and adds its steps (WorldSteps).
class WorldLayer : public RecoveryLayer, protected WorldSteps {
 public:
  void start(RecoveryContext& context) override { world_.start(context); }
  void on_sends(RecoveryContext& context, std::span<Message* const> batch, bool) override {
    world_.on_sends(context, batch);
  }
  Passage on_receive(RecoveryContext& context, Message& message) override {
    return world_.on_receive(context, message);
  }
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

 protected:
  WorldLayer(const WorldOptions& options, const JobShape& job, Rank self, bool commits_blocks)
      : world_(options, job, self, commits_blocks) {}

  RecoveredWorld world_;
};

}  // namespace faultline::transactions
