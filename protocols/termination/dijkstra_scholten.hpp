#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "protocols/termination/control_tree.hpp"
#include "sim/core/component.hpp"

namespace faultline {

struct DijkstraScholtenOptions {
  std::uint32_t control_bytes = 16;
};

/// Parental responsibility (Dijkstra and Scholten 1980), as printed in adoption-2013 section 2:
/// every message is acknowledged; the acknowledgement of the message that engaged a process waits
/// until the process is idle and all that it sent has been acknowledged.
class DijkstraScholten final : public Component {
 public:
  using Options = DijkstraScholtenOptions;
  DijkstraScholten(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override;
  Passage on_receive(Context& context, Message& message) override;
  void on_idle(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  [[nodiscard]] Rank parent() const override { return parent_; }
  void report(Metrics& metrics) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  struct CornetEntry {
    Rank predecessor;
    std::uint32_t owed;  ///< acknowledgements
  };

  void got_message(Rank predecessor);
  void processed_message(Context& context);
  void try_acknowledge(Context& context);
  void try_disengage(Context& context);
  void announce(Context& context) const;
  [[nodiscard]] bool is_root() const { return self_ == 0; }

  std::shared_ptr<const Options> options_;
  ControlTree tree_;
  Rank self_;
  Rank parent_ = kNobody;            ///< the cornet's first entry; it leaves last
  std::vector<CornetEntry> cornet_;  ///< owed to others than as their child, by rank
  std::int64_t D_ = 0;               ///< messages sent and not acknowledged
  std::int64_t C_ = 0;               ///< messages processed and not acknowledged
  std::uint64_t engagements_ = 0;
};

}  // namespace faultline
