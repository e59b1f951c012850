#include "analysis/give_up_condition.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "protocols/termination/adoption.hpp"

namespace faultline {

namespace {

using What = Fact::What;
using Facts = std::span<const Fact>;
constexpr std::size_t kNeverInRun = static_cast<std::size_t>(-1);

// ---- what one message says
// -----------------------------------------------------------------------

bool is_control(const Fact& fact, What what, AdoptionKind kind) {
  return fact.what == what && fact.channel == Family::termination && fact.kind == kind;
}

bool is_work_for(const Fact& fact, Rank peer) {
  return fact.what == What::sent && fact.peer == peer && fact.channel == Family::workload;
}

bool is_query_for(const Fact& fact, Rank peer) {
  return is_control(fact, What::sent, kTryEngageGrandchild) && fact.peer == peer;
}

/// "A successor has been adopted", as its reply says.
bool is_adoption_of(const Fact& fact, Rank child) {
  return is_control(fact, What::handled, kReplyToGrandparent) && fact.peer == child &&
         fact.payload.get<ReplyToGrandparent>().debt > 0;
}

/// How many acknowledgements of the successor the message brings. Who is not adopted acknowledges
/// the query with its reply.
std::uint32_t acknowledged(const Fact& fact, Rank successor) {
  if (fact.peer != successor) return 0;
  if (is_control(fact, What::handled, kAcknowledge))
    return fact.payload.get<Acknowledgement>().count;
  const bool reply = is_control(fact, What::handled, kReplyToGrandparent);
  return reply && fact.payload.get<ReplyToGrandparent>().debt == 0 ? 1 : 0;
}

/// A child of the parent says that it is interior (1) or exterior (-1).
std::int32_t change_of_interior(const Fact& fact, Rank parent) {
  const bool interior = is_control(fact, What::handled, kInformInterior);
  if (!interior && !is_control(fact, What::handled, kInformExterior)) return 0;
  if (fact.payload.get<Signal>().other != parent) return 0;
  return interior ? 1 : -1;
}

/// The engagement of the successor that the message is about; 0: about none. An acknowledgement
/// that ends one is about the next.
std::uint32_t engagement_in(const Fact& fact, Rank successor) {
  if (fact.what != What::handled || fact.channel != Family::termination) return 0;
  if (change_of_interior(fact, successor) != 0) return fact.payload.get<Signal>().engagement;
  if (fact.peer != successor) return 0;
  if (fact.kind == kPotentialGrandchild || fact.kind == kGrandchildRecovered)
    return fact.payload.get<Signal>().engagement;
  if (is_adoption_of(fact, successor)) return fact.payload.get<ReplyToGrandparent>().engagement;
  if (fact.kind != kAcknowledge) return 0;
  const std::uint32_t over = fact.payload.get<Acknowledgement>().over;
  return over == 0 ? 0 : over + 1;
}

/// Adds the potential children of the successor that the message names.
void add_potential_children(const Fact& fact, Rank successor, std::set<Rank>& children) {
  if (change_of_interior(fact, successor) != 0) children.insert(fact.peer);
  if (fact.peer != successor) return;
  if (is_control(fact, What::handled, kPotentialGrandchild))
    children.insert(fact.payload.get<Signal>().other);
  if (is_adoption_of(fact, successor))
    for (const std::uint64_t key : *fact.attachment) children.insert(static_cast<Rank>(key));
}

// ---- what a process g has seen of its successor p
// --------------------------------------------------

std::size_t place_of(Facts facts, What what, Rank peer) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (facts[i].what == what && facts[i].peer == peer) return i;
  return kNeverInRun;
}

/// The facts since when the successor has owed acknowledgements; none if it owes nothing at their
/// end. "When its debt goes to 0 [...] any potential grandchildren it might have introduced are
/// forgotten" (section 5.1). The dead do not come to owe anything.
Facts since_owing(Facts facts, Rank successor, bool owes_at_start) {
  std::uint32_t debt = owes_at_start ? 1 : 0;
  std::size_t since = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const Fact& fact = facts[i];
    if (fact.what == What::told_dead && fact.peer == successor) break;
    if ((is_work_for(fact, successor) || is_query_for(fact, successor)) && debt++ == 0) since = i;
    debt -= std::min(debt, acknowledged(fact, successor));
  }
  for (std::size_t i = place_of(facts, What::told_dead, successor); i < facts.size(); ++i)
    debt -= std::min(debt, acknowledged(facts[i], successor));
  return debt > 0 ? facts.subspan(since) : Facts{};
}

/// What a process has been told of its failed successor's last engagement while that owed it.
struct Told {
  std::uint32_t engagement = 0;
  bool adopted = false;  ///< has the process adopted it?
  std::set<Rank> potential_children;
  std::set<Rank> named;      ///< of these, what it has named when it was adopted
  std::set<Rank> recovered;  ///< of these, whose children it says it has adopted
};

Told told_of(Facts owing, Rank p) {
  Told told;
  for (const Fact& fact : owing)
    told.engagement = std::max(told.engagement, engagement_in(fact, p));
  for (const Fact& fact : owing) {
    if (told.engagement == 0 || engagement_in(fact, p) != told.engagement) continue;
    add_potential_children(fact, p, told.potential_children);
    if (is_adoption_of(fact, p)) {
      told.adopted = true;
      add_potential_children(fact, p, told.named);
    }
    if (is_control(fact, What::handled, kGrandchildRecovered))
      told.recovered.insert(fact.payload.get<Signal>().other);
  }
  told.potential_children.erase(p);
  return told;
}

/// Do the signals say that c is interior, as a child of p in that engagement?
bool is_interior(Facts facts, Rank c, Rank p, std::uint32_t engagement) {
  std::int32_t parity = 0;
  for (const Fact& fact : facts)
    if (fact.peer == c && engagement_in(fact, p) == engagement)
      parity += change_of_interior(fact, p);
  return parity > 0;
}

/// Has c replied to the query about p?
bool has_replied(Facts facts, Rank c, Rank p) {
  return std::any_of(facts.begin(), facts.end(), [=](const Fact& fact) {
    return is_control(fact, What::handled, kReplyToGrandparent) && fact.peer == c &&
           fact.payload.get<ReplyToGrandparent>().failed == p;
  });
}

// ---- the condition
// ---------------------------------------------------------------------------------

/// The place at which g gives up because of p and c, if it does.
std::size_t place_for(const GiveUpCondition& condition, Facts facts, Rank p, Rank c,
                      std::size_t owing_since, const Told& told) {
  const std::size_t p_flushed = place_of(facts, What::flushed, p);
  const std::size_t c_flushed = place_of(facts, What::flushed, c);
  if (condition.protocol == GiveUpCondition::indep &&
      place_of(facts, What::told_dead, c) < p_flushed)
    return p_flushed;
  if (c_flushed == kNeverInRun) return kNeverInRun;
  const std::size_t both = std::max(p_flushed, c_flushed);
  if (has_replied(facts.first(both), c, p)) return kNeverInRun;
  if (condition.protocol == GiveUpCondition::indep) return both;
  if (told.recovered.contains(c)) return kNeverInRun;
  const bool unknown = condition.protocol == GiveUpCondition::rel_lazy && told.named.contains(c);
  const Facts of_spell = facts.first(both).subspan(owing_since);
  return unknown || is_interior(of_spell, c, p, told.engagement) ? both : kNeverInRun;
}

using Found = std::optional<GivesUp>;

void keep_earliest(Found& earliest, const GivesUp& other) {
  if (!earliest || other.number < earliest->number) earliest = other;
}

void consider_child(const GiveUpCondition& condition, const FactLog& log, Rank g, Rank p,
                    Found& earliest) {
  const Facts facts = log.of(g);
  const std::size_t p_flushed = place_of(facts, What::flushed, p);
  if (p_flushed == kNeverInRun) return;
  const Facts before = facts.first(p_flushed);
  const Facts owing = since_owing(before, p, g == 0 && !condition.starts_at_root);
  if (owing.empty()) return;
  const Told told = told_of(owing, p);
  const auto give_up = [&](std::size_t place, Rank c) {
    if (place != kNeverInRun)
      keep_earliest(earliest, {g, p, c, facts[place].number, facts[place].time_s});
  };
  const bool adopted = condition.protocol == GiveUpCondition::rel_lazy && told.adopted;
  if (adopted && condition.strict) give_up(p_flushed, kNobody);
  for (const Rank c : told.potential_children)
    give_up(place_for(condition, facts, p, c, before.size() - owing.size(), told), c);
}

/// The paper assumes that the root does not fail (section 4).
void consider_root(const FactLog& log, Rank rank, Found& earliest) {
  const Facts facts = log.of(rank);
  const std::size_t told = place_of(facts, What::told_dead, 0);
  if (told == kNeverInRun || place_of(facts, What::told_over, kNobody) < told) return;
  keep_earliest(earliest, {rank, 0, kNobody, facts[told].number, facts[told].time_s});
}

}  // namespace

GiveUpCondition condition_of(const FaultSchedule& schedule, const Subject& subject) {
  GiveUpCondition condition;
  condition.starts_at_root = job_shape(run_spec(schedule, subject)).starts_at_root;
  if (subject.name == "rel-eager") condition.protocol = GiveUpCondition::rel_eager;
  if (subject.name != "rel-lazy") return condition;
  condition.protocol = GiveUpCondition::rel_lazy;
  const auto chosen = subject.options.find("adopted_child_fails");
  condition.strict =
      chosen == subject.options.end() || std::get<std::string>(chosen->second) == "strict";
  return condition;
}

std::string said(const GivesUp& gives_up) {
  std::string text = std::to_string(gives_up.rank) +
                     " had to give up: " + std::to_string(gives_up.failed) + " has failed";
  if (gives_up.grandchild != kNobody)
    text += " and its potential child " + std::to_string(gives_up.grandchild);
  return text;
}

std::optional<GivesUp> first_to_give_up(const GiveUpCondition& condition, const FactLog& log) {
  Found earliest;
  for (const auto& [failed, died_s] : log.deaths_s())
    for (Rank g = 0; g < log.processes(); ++g) {
      if (failed == 0) consider_root(log, g, earliest);
      if (g != failed) consider_child(condition, log, g, failed, earliest);
    }
  return earliest;
}

}  // namespace faultline
