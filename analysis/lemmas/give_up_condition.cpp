// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/give_up_condition.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "protocols/termination/adoption.hpp"

namespace faultline::lemmas {

namespace {

using What = Fact::What;
using Facts = std::span<const Fact>;
constexpr std::size_t kNeverInRun = static_cast<std::size_t>(-1);

// ---- what one message says ---------------------------------------------------------------------

bool is_control(const Fact& fact, What what, termination::AdoptionKind kind) {
  return fact.what == what && fact.channel == Family::termination && fact.kind == kind;
}

bool is_work_for(const Fact& fact, Rank peer) {
  return fact.what == What::sent && fact.peer == peer && fact.channel == Family::workload;
}

bool is_query_for(const Fact& fact, Rank peer) {
  return is_control(fact, What::sent, termination::kTryEngageGrandchild) && fact.peer == peer;
}

/// True if this is the reply with which a child reports that it has been adopted.
bool is_adoption_of(const Fact& fact, Rank child) {
  return is_control(fact, What::handled, termination::kReplyToGrandparent) && fact.peer == child &&
         fact.payload.get<termination::ReplyToGrandparent>().debt > 0;
}

/// The number of the successor's acknowledgements that the message carries. The reply of a
/// successor that is not adopted acknowledges the query.
std::uint32_t acknowledged(const Fact& fact, Rank successor) {
  if (fact.peer != successor) return 0;
  if (is_control(fact, What::handled, termination::kAcknowledge))
    return fact.payload.get<termination::Acknowledgement>().count;
  const bool reply = is_control(fact, What::handled, termination::kReplyToGrandparent);
  return reply && fact.payload.get<termination::ReplyToGrandparent>().debt == 0 ? 1 : 0;
}

/// 1 if a child of `parent` reports here that it is interior, -1 if it reports that it is exterior,
/// else 0.
std::int32_t change_of_interior(const Fact& fact, Rank parent) {
  const bool interior = is_control(fact, What::handled, termination::kInformInterior);
  if (!interior && !is_control(fact, What::handled, termination::kInformExterior)) return 0;
  if (fact.payload.get<termination::Signal>().other != parent) return 0;
  return interior ? 1 : -1;
}

/// The number of the successor's engagement that the message is about; 0 if none. An
/// acknowledgement that ends an engagement is about the next one.
std::uint32_t engagement_in(const Fact& fact, Rank successor) {
  if (fact.what != What::handled || fact.channel != Family::termination) return 0;
  if (change_of_interior(fact, successor) != 0)
    return fact.payload.get<termination::Signal>().engagement;
  if (fact.peer != successor) return 0;
  if (fact.kind == termination::kPotentialGrandchild ||
      fact.kind == termination::kGrandchildRecovered)
    return fact.payload.get<termination::Signal>().engagement;
  if (is_adoption_of(fact, successor))
    return fact.payload.get<termination::ReplyToGrandparent>().engagement;
  if (fact.kind != termination::kAcknowledge) return 0;
  const std::uint32_t over = fact.payload.get<termination::Acknowledgement>().over;
  return over == 0 ? 0 : over + 1;
}

/// True if the successor reports that one of its engagements is over.
bool ends_engagement(const Fact& fact, Rank successor) {
  return fact.peer == successor && is_control(fact, What::handled, termination::kAcknowledge) &&
         fact.payload.get<termination::Acknowledgement>().over != 0;
}

/// Adds the potential children of the successor that the message names.
void add_potential_children(const Fact& fact, Rank successor, std::set<Rank>& children) {
  if (change_of_interior(fact, successor) != 0) children.insert(fact.peer);
  if (fact.peer != successor) return;
  if (is_control(fact, What::handled, termination::kPotentialGrandchild))
    children.insert(fact.payload.get<termination::Signal>().other);
  if (is_adoption_of(fact, successor))
    for (const std::uint64_t key : **fact.attachments.get<AttachedWords>(Family::termination))
      children.insert(static_cast<Rank>(key));
}

// ---- what a process g has seen of its successor p ----------------------------------------------

std::size_t place_of(Facts facts, What what, Rank peer) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (facts[i].what == what && facts[i].peer == peer) return i;
  return kNeverInRun;
}

/// The place in the facts from which on the successor owed acknowledgements; nothing if it owes
/// none at the end. Once it is known to be dead, it cannot come to owe any.
std::optional<std::size_t> owing_since(Facts facts, Rank successor, bool owes_at_start) {
  std::uint32_t debt = owes_at_start ? 1 : 0;
  std::size_t since = 0;
  bool known_dead = false;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const Fact& fact = facts[i];
    known_dead = known_dead || (fact.what == What::told_dead && fact.peer == successor);
    const bool to_acknowledge = is_work_for(fact, successor) || is_query_for(fact, successor);
    if (to_acknowledge && !known_dead && debt++ == 0) since = i;
    debt -= std::min(debt, acknowledged(fact, successor));
  }
  return debt > 0 ? std::optional(since) : std::nullopt;
}

/// A successor that failed while it owed acknowledgements, and what g was told about its last
/// engagement in that time. Earlier engagements do not count: "when its debt goes to 0 [...] any
/// potential grandchildren it might have introduced are forgotten" (section 5.1). Later news about
/// a past engagement does not count either.
struct FailedSuccessor {
  Rank rank = kNobody;
  std::size_t owing_since = 0;
  std::size_t flushed = 0;
  std::uint32_t engagement = 0;
  bool adopted = false;
  std::set<Rank> potential_children = {};
  std::set<Rank> named = {};      ///< the children that it named when it was adopted
  std::set<Rank> recovered = {};  ///< the children whose own children it reports to have adopted
};

void tell(FailedSuccessor& p, const Fact& fact) {
  add_potential_children(fact, p.rank, p.potential_children);
  if (is_adoption_of(fact, p.rank)) {
    p.adopted = true;
    add_potential_children(fact, p.rank, p.named);
  }
  if (is_control(fact, What::handled, termination::kGrandchildRecovered))
    p.recovered.insert(fact.payload.get<termination::Signal>().other);
}

std::optional<FailedSuccessor> failed_successor(Facts facts, Rank rank, bool owes_at_start) {
  const std::size_t flushed = place_of(facts, What::flushed, rank);
  if (flushed == kNeverInRun) return std::nullopt;
  const auto since = owing_since(facts.first(flushed), rank, owes_at_start);
  if (!since) return std::nullopt;
  FailedSuccessor p{.rank = rank, .owing_since = *since, .flushed = flushed};
  const Facts owing = facts.first(flushed).subspan(*since);
  for (const Fact& fact : owing) p.engagement = std::max(p.engagement, engagement_in(fact, rank));
  if (p.engagement == 0) return p;
  for (const Fact& fact : facts.first(*since))
    if (ends_engagement(fact, rank))
      p.engagement = std::max(p.engagement, engagement_in(fact, rank));
  for (const Fact& fact : owing)
    if (engagement_in(fact, rank) == p.engagement) tell(p, fact);
  p.potential_children.erase(rank);
  return p;
}

/// True if the signals make c interior, as a child of p in this engagement of p.
bool is_interior(Facts facts, Rank c, Rank p, std::uint32_t engagement) {
  std::int32_t parity = 0;
  for (const Fact& fact : facts)
    if (fact.peer == c && engagement_in(fact, p) == engagement)
      parity += change_of_interior(fact, p);
  return parity > 0;
}

/// True if c has replied to the query about p.
bool has_replied(Facts facts, Rank c, Rank p) {
  return std::any_of(facts.begin(), facts.end(), [=](const Fact& fact) {
    return is_control(fact, What::handled, termination::kReplyToGrandparent) && fact.peer == c &&
           fact.payload.get<termination::ReplyToGrandparent>().failed == p;
  });
}

// ---- the condition -----------------------------------------------------------------------------

/// The place in g's facts at which g gives up because of p and c, if it does.
std::size_t place_for(const GiveUpCondition& condition, Facts facts, const FailedSuccessor& p,
                      Rank c) {
  const bool indep = condition.protocol == GiveUpCondition::indep;
  if (indep && place_of(facts, What::told_dead, c) < p.flushed) return p.flushed;
  const std::size_t c_flushed = place_of(facts, What::flushed, c);
  if (c_flushed == kNeverInRun) return kNeverInRun;
  const std::size_t both = std::max(p.flushed, c_flushed);
  if (has_replied(facts.first(both), c, p.rank)) return kNeverInRun;
  if (indep) return both;
  if (p.recovered.contains(c)) return kNeverInRun;
  const bool unknown = condition.protocol == GiveUpCondition::rel_lazy && p.named.contains(c);
  const Facts since_owing = facts.first(both).subspan(p.owing_since);
  return unknown || is_interior(since_owing, c, p.rank, p.engagement) ? both : kNeverInRun;
}

using Found = std::optional<GivesUp>;

void keep_earliest(Found& earliest, const GivesUp& other) {
  if (!earliest || other.number < earliest->number) earliest = other;
}

void consider_child(const GiveUpCondition& condition, Facts facts, Rank g, Rank failed,
                    Found& earliest) {
  const auto p = failed_successor(facts, failed, g == 0 && !condition.starts_at_root);
  if (!p) return;
  const auto give_up = [&](std::size_t place, Rank c) {
    if (place != kNeverInRun)
      keep_earliest(earliest, {g, failed, c, facts[place].number, facts[place].time_s});
  };
  const bool adopted = condition.protocol == GiveUpCondition::rel_lazy && p->adopted;
  if (adopted && condition.strict) give_up(p->flushed, kNobody);
  for (const Rank c : p->potential_children) give_up(place_for(condition, facts, *p, c), c);
}

/// Splits a process's facts into phases. The detector starts anew in each of them.
std::vector<Facts> phases_of(Facts facts) {
  std::vector<Facts> phases;
  std::size_t begin = 0;
  for (std::size_t i = 1; i < facts.size(); ++i) {
    if (facts[i].what != What::phase_began) continue;
    phases.push_back(facts.subspan(begin, i - begin));
    begin = i;
  }
  phases.push_back(facts.subspan(begin));
  return phases;
}

/// Whom a process was told to be dead, rightly or not: it acts on what it was told.
std::set<Rank> told_dead(Facts facts, std::uint32_t processes) {
  std::set<Rank> told;
  for (const Fact& fact : facts)
    if (fact.what == What::told_dead && fact.peer < processes) told.insert(fact.peer);
  return told;
}

/// The paper assumes that the root does not fail (section 4).
void consider_root(Facts facts, Rank rank, Found& earliest) {
  const std::size_t told = place_of(facts, What::told_dead, 0);
  if (told == kNeverInRun || place_of(facts, What::told_over, kNobody) < told) return;
  keep_earliest(earliest, {rank, 0, kNobody, facts[told].number, facts[told].time_s});
}

}  // namespace

std::optional<GiveUpCondition> condition_of(const scenario::RunSpec& spec) {
  const scenario::ComponentChoice& detector = spec.component(Family::termination);
  if (detector.registration == nullptr) return std::nullopt;
  const Registration* below = spec.component(Family::message_logging).registration;
  if (below != nullptr && below->needs_detection()) return std::nullopt;
  const std::string& name = detector.registration->name;
  GiveUpCondition condition{.starts_at_root = scenario::job_shape(spec).starts_at_root};
  if (name == "indep") return condition;
  condition.protocol = GiveUpCondition::rel_eager;
  if (name == "rel-eager") return condition;
  if (name != "rel-lazy") return std::nullopt;
  condition.protocol = GiveUpCondition::rel_lazy;
  condition.strict = std::get<std::string>(detector.options.at("adopted_child_fails")) == "strict";
  return condition;
}

std::string said(const GivesUp& gives_up) {
  std::string text = std::to_string(gives_up.rank) +
                     " had to give up: " + std::to_string(gives_up.failed) + " has failed";
  if (gives_up.grandchild != kNobody)
    text += " and its potential child " + std::to_string(gives_up.grandchild);
  return text;
}

std::optional<GivesUp> gives_up_at(const GiveUpCondition& condition, const FactLog& log,
                                   Rank rank) {
  Found earliest;
  for (const Facts facts : phases_of(log.facts_of(rank)))
    for (const Rank failed : told_dead(facts, log.processes())) {
      if (failed == 0) consider_root(facts, rank, earliest);
      if (rank != failed) consider_child(condition, facts, rank, failed, earliest);
    }
  return earliest;
}

bool meets(const GiveUpCondition& condition, const FactLog& log, Rank rank) {
  return gives_up_at(condition, log, rank).has_value();
}

std::optional<GivesUp> first_to_give_up(const GiveUpCondition& condition, const FactLog& log) {
  Found earliest;
  for (Rank g = 0; g < log.processes(); ++g)
    if (const Found due = gives_up_at(condition, log, g)) keep_earliest(earliest, *due);
  return earliest;
}

}  // namespace faultline::lemmas
