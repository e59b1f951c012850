#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/lemmas/fact_log.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// When an adoption protocol gives up (adoption-2013 sections 5.3, 6.2, 6.3): if a process is told
/// that the root has failed; or if, for a live process g, its failed successor p and a potential
/// child c of p, as g has been told,
/// - g has been told of the failures of p and c, and has flushed p and, but for INDEP where c is
///   known to have failed before, c;
/// - c has not replied to g that it has heard of the failure of p;
/// - under REL*, what c has told g says that it is p's interior child; or nobody can know, since p
///   has named c when g adopted it (RELLAZY).
/// RELLAZY as printed gives up as well when p itself has been adopted by g and fails.
struct GiveUpCondition {
  enum Protocol { indep, rel_lazy, rel_eager } protocol = indep;
  bool strict = false;         ///< RELLAZY as printed
  bool starts_at_root = true;  ///< else the root has engaged all others before the start
};

/// The condition of a run's detector, with its options and under the run's workload; nothing if it
/// is no adoption protocol.
std::optional<GiveUpCondition> condition_of(const RunSpec& spec);

/// Where and when the condition is met, and by whom.
struct GivesUp {
  Rank rank = kNobody;        ///< g; or whoever is told of the root's failure
  Rank failed = kNobody;      ///< p, or the root
  Rank grandchild = kNobody;  ///< c, if there is one
  std::uint64_t number = 0;   ///< of the fact with which it is met
  double time_s = 0.0;
};

/// In words: who gives up, and because of whom.
std::string said(const GivesUp& gives_up);

/// Does a process ever meet the condition? Sooner answered than who is the first to do so.
bool meets(const GiveUpCondition& condition, const FactLog& log, Rank rank);

/// The first time that a run meets the condition.
std::optional<GivesUp> first_to_give_up(const GiveUpCondition& condition, const FactLog& log);

}  // namespace faultline
