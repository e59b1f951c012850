// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sim/core/component.hpp"

namespace faultline::failure_detection {

/// The part of a detector on a rank whose node's daemon does the work: it reports the deaths that
/// the daemon tells it, and takes those back that the daemon takes back. A new incarnation of a
/// rank asks its daemon for those that it has missed. A rank that has asked for a new process, and
/// is told that a new daemon has started with it, may be the only one that knows of that daemon. It
/// tells its own daemon, if detectors pass such news on.
class NodeListener final : public Detector {
 public:
  /// Takes the kinds of the messages, and the size of those that it sends; `lives` and `returned`
  /// only if the detector has such messages.
  NodeListener(std::uint16_t report, std::uint16_t join, std::optional<std::uint16_t> lives,
               std::optional<std::uint16_t> returned, std::uint64_t bytes)
      : report_(report), join_(join), lives_(lives), returned_(returned), bytes_(bytes) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<NodeListener>(*this);
  }

  void start(DetectorContext& context) override {
    if (context.incarnation() > 0) context.send(own_daemon(context), join_, bytes_);
  }
  void on_message(DetectorContext& context, const Message& message) override {
    if (message.kind == report_) context.report_failed(message.payload.get<Incarnation>());
    if (returned_ && message.kind == *returned_)
      context.take_back(message.payload.get<Incarnation>());
  }
  void on_peer_restarted(DetectorContext& context, Incarnation peer) override {
    const bool is_other_daemon =
        peer.actor >= context.job().processes && peer.actor != own_daemon(context);
    if (lives_ && is_other_daemon)
      context.send(own_daemon(context), *lives_, bytes_).payload.put(peer);
  }

 private:
  [[nodiscard]] static ActorId own_daemon(const DetectorContext& context) {
    const Placement& placement = context.placement();
    return placement.daemon_of(placement.node_of(context.self()));
  }
  /// The listener keeps no state.
  void digest_state(Digest&) const override {}

  std::uint16_t report_;
  std::uint16_t join_;
  std::optional<std::uint16_t> lives_;
  std::optional<std::uint16_t> returned_;
  std::uint64_t bytes_;
};

}  // namespace faultline::failure_detection
