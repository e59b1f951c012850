#pragma once

#include <vector>

#include "analysis/lemmas/engagement_history.hpp"
#include "analysis/lemmas/fact_log.hpp"
#include "analysis/lemmas/fault_schedule.hpp"

namespace faultline {

/// What the lemmas of adoption-2013 say of giving up, by the truth: who has really sent to whom,
/// and who was whose child. Unlike GiveUpCondition this trusts no message of a protocol, but it
/// leaves runs open: pairs that were related and died apart, or of which one had a message or an
/// acknowledgement on its way.
struct RelatedFailures {
  enum Where {
    related,   ///< INDEP: processes have failed of which one, engaged, has sent to the other
    interior,  ///< RELEAGER: a process and an interior child of it have failed
    lost,      ///< RELLAZY, `fallback`: or an adopted child and a process that it has sent to
    adopted,   ///< RELLAZY, `strict`: or an adopted child
  } where = related;
  bool late = false;  ///< interior until it disengages
};

/// What the lemmas say of an adoption protocol, with its options.
RelatedFailures related_failures_of(const ComponentChoice& detector);

/// Lemmas 5.3 and 6.3: without related failures, and with a live root, no protocol gives up.
bool may_give_up(const RelatedFailures& lemma, const FaultSchedule& schedule, const FactLog& log,
                 const EngagementHistory& history);

/// Lemmas 5.4 and 6.4: if two processes that died of one fault, or of faults that struck together,
/// before `end_s` were related at the moment of their death, a protocol gives up.
bool must_give_up(const RelatedFailures& lemma, const FaultSchedule& schedule, const FactLog& log,
                  const EngagementHistory& history, double end_s);

}  // namespace faultline
