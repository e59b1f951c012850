// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocols/termination/rel_state.hpp"

namespace faultline::termination {

/// RELEAGER (adoption-2013 section 6.3): RELLAZY in which an adopted process tells its potential
/// children of their new grandparent before it replies. Once all replies have come, the job is as
/// vulnerable as before the failure. Survives all failures, except of a process and an interior
/// child of it.
class RelEager final : public TerminationDetector {
 public:
  using Options = RelOptions;
  RelEager(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : state_(job, self, *options), printed_(options->as_printed) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<RelEager>(*this);
  }

  void start(TerminationContext& context) override { state_.adoption.start(context); }
  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override { state_.try_disengage(context); }
  void on_message(TerminationContext& context, const Message& message) override;
  void on_peer_failed(TerminationContext& context, Incarnation peer) override;
  void on_flushed(TerminationContext& context, Incarnation peer) override;
  [[nodiscard]] Rank parent() const override { return state_.adoption.parent; }
  void report(MetricTotals& totals) const override { state_.adoption.report(totals); }
  [[nodiscard]] std::string waiting_for() const override { return state_.adoption.waiting_for(); }

 private:
  /// The points of section 6.3 at which the protocol does what the paper prints.
  struct AsPrinted {
    explicit AsPrinted(const ChosenWords& points)
        : aggregated_response(names(points, "aggregated-response")),
          message_label(names(points, "message-label")),
          window(names(points, "window")) {}

    bool aggregated_response;  ///< see new_grandparent and reply_when_all_have_answered
    bool message_label;        ///< see newest
    bool window;               ///< see tell_parent_when_recovered
  };

  /// The parent of a process that may become this one's parent, as that process reported it last.
  /// `version` counts its adoptions.
  struct KnownParent {
    Rank rank = kNobody;
    std::uint32_t version = 0;
    Rank parent = kNobody;

    void digest(Digest& into) const { into.add(rank, version, parent); }
  };

  void digest_state(Digest& into) const override;
  void failure_happened(TerminationContext& context, Rank failed);
  void try_engage_grandchild(TerminationContext& context, const HeldQuery& held);
  void new_grandparent(TerminationContext& context, const Message& message);
  void answer_to_parent(const Message& message);
  void reply_when_all_have_answered(TerminationContext& context);
  void tell_parent_when_recovered(TerminationContext& context);
  void grandchild_recovered(const Message& message);
  [[nodiscard]] KnownParent newest(const KnownParent& told) const;
  void settle(TerminationContext& context);

  void reply_to_grandparent(const TerminationContext& context, const Message& message);

  RelState state_;
  AsPrinted printed_;
  std::uint32_t version_ = 0;               ///< how often the parent has changed
  std::uint32_t grandparents_version_ = 0;  ///< how often the parent's parent has changed
  std::vector<KnownParent> known_parents_;
  std::vector<Rank> recovering_;         ///< failed children whose children are being adopted
  std::optional<HeldQuery> unanswered_;  ///< the query whose reply waits for answers
};

}  // namespace faultline::termination
