// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "protocols/termination/dijkstra_scholten.hpp"

namespace faultline::exploration {

/// Dijkstra and Scholten's detector, which acknowledges every message twice.
class Hasty final : public termination::DijkstraScholten {
 public:
  using termination::DijkstraScholten::DijkstraScholten;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Hasty>(*this);
  }
  Passage on_receive(TerminationContext& context, Message& message) override {
    context.send(message.from, 0, 8);
    return termination::DijkstraScholten::on_receive(context, message);
  }
};

}  // namespace faultline::exploration
