// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "protocols/termination/adoption.hpp"
#include "sim/core/options.hpp"

namespace faultline::termination {

struct RelOptions {
  std::uint64_t control_bytes = 16;
  std::string exterior_signal = "aggressive";
  std::string adopted_child_fails = "strict";  ///< of RELLAZY alone
  ChosenWords as_printed;
};

/// The options that RELLAZY and RELEAGER both declare. `as_printed` has the points of INDEP, and
/// these.
OptionSet<RelOptions> rel_options(const ChosenWords& as_printed);

/// What RELLAZY and RELEAGER have in common (adoption-2013 sections 6 and 6.1). A process tells its
/// grandparent when it becomes interior, that is when some of its messages are not acknowledged,
/// and when it becomes exterior again. A failed potential grandchild that was exterior is written
/// off. If it was interior, the protocol gives up.
struct RelState {
  RelState(const JobShape& job, Rank self, const RelOptions& options)
      : adoption(job, self, options.control_bytes, AdoptionAsPrinted(options.as_printed)),
        late_exterior(options.exterior_signal == "at-disengagement"),
        silent_adoption(names(options.as_printed, "silent-adoption")) {}

  /// Sends application messages. Each carries its sender's parent and, under RELEAGER, `version`:
  /// how often that parent has changed.
  void send(TerminationContext& context, std::span<Message* const> batch, std::uint32_t version);
  /// def willSendTo(successor). Returns whether a fence is due before the message.
  bool will_send_to(TerminationContext& context, Rank successor);
  /// informGrandparentInterior(self, parent), and below informGrandparentExterior(self, parent).
  /// Nothing is sent if there is no grandparent. Returns whether something was sent.
  bool inform_interior(TerminationContext& context);
  bool inform_exterior(TerminationContext& context);
  /// Takes in such a signal from a grandchild. `change` is 1 for interior, -1 for exterior.
  void grandchild_informs(const Message& message, std::int32_t change);
  /// Handles a control message that both protocols handle alike; returns false for others.
  bool handle(TerminationContext& context, const Message& message);
  /// Signals and disengages if D = 0 and an idle process require it; called at the end of every
  /// handler.
  void settle(TerminationContext& context);
  void try_disengage(TerminationContext& context);

  /// Writes off a potential grandchild that has failed without a reply, after all its messages have
  /// arrived. Gives up and returns false if it was interior, or may have been.
  bool write_off_grandchild(TerminationContext& context, Rank failed);
  /// Queries the potential children that the failed successor has reported.
  void query_potential_children(TerminationContext& context, const Successor& failed,
                                std::uint32_t version);
  /// Takes on the new parent, and the grandparent that comes with it.
  void adopted_by(TerminationContext& context, const HeldQuery& held, Rank new_grandparent);
  void digest(Digest& into) const;

  Adoption adoption;
  Rank grandparent = kNobody;
  bool late_exterior;              ///< informs at disengagement, not as soon as D = 0
  bool silent_adoption;            ///< as printed: see adopted_by
  bool informed_interior = false;  ///< has informed that it is interior, and not exterior since
};

}  // namespace faultline::termination
