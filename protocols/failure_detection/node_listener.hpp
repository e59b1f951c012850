#pragma once

#include <cstdint>
#include <memory>

#include "sim/core/component.hpp"

namespace faultline {

/// The part of a detector on a rank whose node's daemon does the work: it makes the reports that
/// the daemon sends it. A new incarnation of a rank asks its daemon for those that it has missed.
class NodeListener final : public Detector {
 public:
  /// The kinds of the two messages, and the size of the second.
  NodeListener(std::uint16_t report, std::uint16_t join, std::uint64_t join_bytes)
      : report_(report), join_(join), join_bytes_(join_bytes) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<NodeListener>(*this);
  }

  void start(Context& context) override {
    if (context.incarnation() == 0) return;
    const Placement& placement = context.placement();
    context.send(placement.daemon_of(placement.node_of(context.self())), join_, join_bytes_);
  }
  void on_message(Context& context, const Message& message) override {
    if (message.kind == report_) context.report_failed(message.payload.get<Incarnation>());
  }

 private:
  /// It keeps nothing.
  void digest_state(Digest&) const override {}

  std::uint16_t report_;
  std::uint16_t join_;
  std::uint64_t join_bytes_;
};

}  // namespace faultline
