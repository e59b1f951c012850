// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/lemmas/fact_log.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::lemmas {

/// The condition under which an adoption protocol must give up; otherwise it must not
/// (adoption-2013 sections 5.3, 6.2, 6.3).
///
/// A process that is told of the root's failure gives up. A live process g also gives up if its
/// successor p fails while it owes g acknowledgements, c is a potential child of p according to
/// what g was told, and all of this is true:
/// - g was told that p and c have failed.
/// - All messages from p and from c to g have arrived. INDEP does not wait for those from c if g
///   was told of c's failure before all those from p had arrived.
/// - c has not replied to g's query about p.
/// - Under REL*, c told g that it is an interior child of p. Under RELLAZY it is enough that p
///   named c when g adopted p: then nobody can know whether c is interior.
///
/// RELLAZY as printed (`strict`) also gives up if p fails after g has adopted it.
struct GiveUpCondition {
  enum Protocol { indep, rel_lazy, rel_eager } protocol = indep;
  bool strict = false;         ///< RELLAZY as printed
  bool starts_at_root = true;  ///< else the root has engaged all others before the start
};

/// The condition for a run's detector with its options and the run's workload; nothing if it is not
/// an adoption protocol, or if message logging, which has to hear of deaths, brings the dead back
/// below it: it is told of none.
std::optional<GiveUpCondition> condition_of(const scenario::RunSpec& spec);

/// Where, when and because of which processes the condition is met.
struct GivesUp {
  Rank rank = kNobody;        ///< g, or a process that is told of the root's failure
  Rank failed = kNobody;      ///< p, or the root
  Rank grandchild = kNobody;  ///< c, if there is one
  std::uint64_t number = 0;   ///< Fact::number of the fact that completes it
  double time_s = 0.0;
};

/// Describes in words which process had to give up, and because of which others.
std::string said(const GivesUp& gives_up);

/// The first place where this process meets the condition; nothing if it never does.
std::optional<GivesUp> gives_up_at(const GiveUpCondition& condition, const FactLog& log, Rank rank);

/// True if this process ever meets the condition. Faster than first_to_give_up, which looks at all
/// processes.
bool meets(const GiveUpCondition& condition, const FactLog& log, Rank rank);

/// The first place where a run meets the condition; nothing if it never does.
std::optional<GivesUp> first_to_give_up(const GiveUpCondition& condition, const FactLog& log);

}  // namespace faultline::lemmas
