// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/lemmas/engagement_history.hpp"
#include "analysis/lemmas/fact_log.hpp"
#include "analysis/lemmas/fault_schedule.hpp"

namespace faultline::lemmas {

/// The lemmas of adoption-2013 about giving up. They go by the messages that were really
/// sent and by the real tree; GiveUpCondition, in contrast, goes by the messages that a process has
/// seen. The lemmas do not decide every run: the protocol may give up or not if two related
/// processes did not die together, or if a message or an acknowledgement between them was on its
/// way.
struct RelatedFailures {
  enum Where {
    related,   ///< INDEP: two processes, of which one was engaged and had sent to the other
    interior,  ///< RELEAGER: a process and an interior child of it
    /// RELLAZY, `fallback`: as `interior`, or an adopted child and a process that it had sent to
    lost,
    adopted,          ///< RELLAZY, `strict`: as `interior`, or an adopted child alone
  } where = related;  ///< the failures after which the protocol may give up
  bool late = false;  ///< a child counts as interior until it disengages
};

/// The lemmas for an adoption protocol with these options.
RelatedFailures related_failures_of(const scenario::ComponentChoice& detector);

/// Lemmas 5.3 and 6.3: a protocol gives up only after related failures, or if the root died.
bool may_give_up(const RelatedFailures& lemma, const FaultSchedule& schedule, const FactLog& log,
                 const EngagementHistory& history);

/// Lemmas 5.4 and 6.4: a protocol gives up if two processes died together before `end_s`, by one
/// fault or by faults that struck together, and were related at that moment.
bool must_give_up(const RelatedFailures& lemma, const FaultSchedule& schedule, const FactLog& log,
                  const EngagementHistory& history, double end_s);

}  // namespace faultline::lemmas
