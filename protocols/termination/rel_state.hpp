#pragma once

#include <span>
#include <string>

#include "protocols/termination/adoption.hpp"
#include "sim/core/options.hpp"

namespace faultline {

struct RelOptions {
  std::uint32_t control_bytes = 16;
  std::string exterior_signal = "aggressive";
  std::string adopted_child_fails = "strict";  ///< of RELLAZY alone
};

/// What both protocols declare.
OptionSet<RelOptions> rel_options();

/// What RELLAZY and RELEAGER have in common (adoption-2013 sections 6 and 6.1): a process tells its
/// grandparent when it becomes interior (it has sent what is not acknowledged) and exterior again.
/// A failed potential grandchild that was exterior can be written off, with an interior one the
/// protocol gives up.
struct RelState {
  RelState(const JobShape& job, Rank self, const RelOptions& options)
      : adoption(job, self, options.control_bytes),
        late_exterior(options.exterior_signal == "at-disengagement") {}

  /// Application messages are about to leave. Each carries its sender's parent, and its `version`:
  /// how often that has changed (RELEAGER).
  void send(Context& context, std::span<Message* const> batch, std::uint32_t version);
  /// def willSendTo(successor). True: a fence is due before the message.
  bool will_send_to(Context& context, Rank successor);
  /// informGrandparentInterior(self, parent); nobody hears it where there is no grandparent.
  bool inform_interior(Context& context);
  bool inform_exterior(Context& context);
  /// The same from a grandchild: 1 interior, -1 exterior.
  void grandchild_informs(const Message& message, std::int32_t change);
  /// A control message that both protocols handle alike. False: it is another.
  bool handle(Context& context, const Message& message);
  /// At the end of a handler: what D = 0 and an idle process call for.
  void settle(Context& context);
  void try_disengage(Context& context);

  /// Potential grandchildren that have failed, and are flushed, without having replied. False: one
  /// of them was interior, or may have been.
  bool write_off_grandchild(Context& context, Rank failed);
  /// Queries what the failed successor has told of.
  void query_potential_children(Context& context, const Successor& failed, std::uint32_t version);
  /// The new parent, and the grandparent that comes with it.
  void adopted_by(Context& context, const HeldQuery& held, Rank new_grandparent);

  Adoption adoption;
  Rank grandparent = kNobody;
  bool late_exterior;              ///< informs at disengagement, not as soon as D = 0
  bool informed_interior = false;  ///< and not exterior since
};

}  // namespace faultline
