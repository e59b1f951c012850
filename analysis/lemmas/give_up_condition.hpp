#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/lemmas/fact_log.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// When an adoption protocol must give up, and only then (adoption-2013 sections 5.3, 6.2, 6.3).
///
/// A process that is told of the root's failure gives up. So does a live process g if its successor
/// p fails while it owes acknowledgements, c is a potential child of p according to what g has been
/// told, and all of this is true:
/// - g has been told that p and c have failed.
/// - All messages of p and of c to g have arrived. INDEP does not wait for those of c if g was told
///   of c's failure before all those of p had arrived.
/// - c has not replied to g's query about p.
/// - Under REL*, c has told g that it is an interior child of p. Under RELLAZY it is enough that p
///   named c when g adopted p: then nobody can know whether c is interior.
///
/// RELLAZY as printed (`strict`) also gives up when p fails after g has adopted it.
struct GiveUpCondition {
  enum Protocol { indep, rel_lazy, rel_eager } protocol = indep;
  bool strict = false;         ///< RELLAZY as printed
  bool starts_at_root = true;  ///< if not, the root has engaged all others before the start
};

/// The condition of a run's detector, with its options and under the run's workload; nothing if it
/// is no adoption protocol.
std::optional<GiveUpCondition> condition_of(const RunSpec& spec);

/// Where and when the condition is met, and by whom.
struct GivesUp {
  Rank rank = kNobody;        ///< g, or a process that is told of the root's failure
  Rank failed = kNobody;      ///< p, or the root
  Rank grandchild = kNobody;  ///< c, if there is one
  std::uint64_t number = 0;   ///< Fact::number of the fact with which it is met
  double time_s = 0.0;
};

/// Says in words who had to give up, and because of whom.
std::string said(const GivesUp& gives_up);

/// Does this process ever meet the condition? Faster than first_to_give_up, which asks all.
bool meets(const GiveUpCondition& condition, const FactLog& log, Rank rank);

/// Where and when a run meets the condition first; nothing if it never does.
std::optional<GivesUp> first_to_give_up(const GiveUpCondition& condition, const FactLog& log);

}  // namespace faultline
