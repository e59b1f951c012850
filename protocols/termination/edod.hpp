// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocols/termination/control_tree.hpp"
#include "sim/core/component.hpp"

namespace faultline::termination {

struct EdodOptions {
  std::string child_state = "flag";
  ChosenWords as_printed;
  std::uint64_t control_bytes = 16;
};

/// The efficient delay-optimal algorithm (EDOD) of termination-2022 section 3.3, after Mahapatra
/// and Dutt 2007: every primary message is acknowledged. A process whose subtree is idle tells its
/// parent so (STOP). When a message wakes such a process, the acknowledgement of that message waits
/// until RESUME has taken back the STOPs that are no longer true. Every further acknowledgement of
/// a process whose RESUME is on its way waits as well; as printed, the process gives those at once,
/// and EDOD announces too early.
class Edod final : public TerminationDetector {
 public:
  using Options = EdodOptions;
  Edod(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override;
  void on_message(TerminationContext& context, const Message& message) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  /// The sender and the receiver of the primary message that a RESUME or an ACK is about.
  struct PrimaryMessage {
    Rank sender;
    Rank receiver;

    void digest(Digest& into) const { into.add(sender, receiver); }
  };

  void digest_state(Digest& into) const override {
    into.add(stopped_, resuming_, withheld_, child_stops_, unacknowledged_);
  }
  /// Decides what to do about a message that this process or one below it has received: sends
  /// RESUME, sends the acknowledgement back, or withholds it.
  void answer(TerminationContext& context, const PrimaryMessage& primary);
  void on_stop(TerminationContext& context, Rank child);
  void on_resume(TerminationContext& context, Rank child, const PrimaryMessage& primary);
  void on_acknowledge(TerminationContext& context, const PrimaryMessage& primary);
  /// Sends the acknowledgement one step towards the receiver of the message, or to its sender.
  void pass_back(TerminationContext& context, const PrimaryMessage& primary);
  void got_acknowledgement();
  [[nodiscard]] std::int32_t& stops_of(Rank child);
  void send(TerminationContext& context, Rank to, std::uint16_t kind,
            const PrimaryMessage& primary);
  void try_stop(TerminationContext& context);
  void announce(TerminationContext& context) const;
  [[nodiscard]] std::uint32_t children_at_work() const;
  [[nodiscard]] bool is_root() const { return self_ == 0; }

  std::shared_ptr<const Options> options_;
  ControlTree tree_;
  Rank self_;
  bool confirms_early_;
  bool stopped_ = false;                       ///< STOP sent; the root: announced
  bool resuming_ = false;                      ///< RESUME sent; its ACK is still to come
  std::vector<PrimaryMessage> withheld_;       ///< acknowledged when that ACK has come
  std::array<std::int32_t, 2> child_stops_{};  ///< STOP received and not taken back, by child
  std::int64_t unacknowledged_ = 0;            ///< primary messages sent
};

}  // namespace faultline::termination
