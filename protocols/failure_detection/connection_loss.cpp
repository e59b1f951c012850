#include "protocols/failure_detection/connection_loss.hpp"

#include <algorithm>
#include <utility>

#include "protocols/failure_detection/degree.hpp"
#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

constexpr MetricSpec kReconnections{
    "reconnections", Merge::sum,
    "connections that members opened in the place of those to the dead, counted at both ends"};

OptionSet<ConnectionLossOptions> options() {
  return members_option<ConnectionLossOptions>("PRRTE: its daemons are connected")
      .option("radix", &ConnectionLossOptions::radix,
              {.doc = "children of a member in the tree",
               .source = "PRRTE, prte_routed_radix",
               .minimum = 1})
      .option("control_bytes", &ConnectionLossOptions::control_bytes,
              {.doc = "size of a message about one death", .unit = "B", .source = "assumed"})
      .option("entry_bytes", &ConnectionLossOptions::entry_bytes,
              {.doc = "size of each death in what a new neighbour is told, besides control_bytes",
               .unit = "B",
               .source = "assumed: a name",
               .maximum = 1e6});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  return check_members(options().read(values).members, job);
}

const Registered registered{on_members<ConnectionLoss>(
    {.family = Family::failure_detection,
     .name = "connection-loss",
     .summary = "who loses its connection in a tree is dead; reports go along the mended tree",
     .source = "PRRTE's routing tree and its loss of connections (openmpi/ompi issue 13215)",
     .traits = {.tolerates_faults = true},
     .message_kinds = {"report", "known-dead", "join"},
     .metrics = {&kReconnections, &kDegreeMax},
     .check = check},
    options(), kLossReport, kLossJoin)};

constexpr unsigned kLifeShift = 32;

std::uint64_t as_word(ActorId actor, std::uint16_t life) {
  return std::uint64_t{life} << kLifeShift | actor;
}

Incarnation from_word(std::uint64_t word) {
  return {static_cast<ActorId>(word), static_cast<std::uint16_t>(word >> kLifeShift)};
}

}  // namespace

ConnectionLoss::ConnectionLoss(std::shared_ptr<const Options> options, const JobShape& job,
                               ActorId self)
    : options_(std::move(options)),
      members_(options_->members, job),
      self_(members_.number(self)) {}

// ---- the tree -----------------------------------------------------------------------------------

template <class Visit>
void ConnectionLoss::for_each_child(Place member, Visit visit) const {
  const std::uint64_t first = std::uint64_t{member} * options_->radix + 1;
  const std::uint64_t end = std::min<std::uint64_t>(first + options_->radix, members_.count());
  for (std::uint64_t child = first; child < end; ++child) visit(static_cast<Place>(child));
}

/// All deaths that this member knows. Those of processes that live again come first: who is told
/// may have missed the death and the new life.
template <class Visit>
void ConnectionLoss::for_each_death(Visit visit) const {
  for (const Incarnation life : ended_) visit(life);
  for (const auto& [actor, life] : dead_) visit(Incarnation{actor, life});
}

/// The nearest ancestor that lives, as far as this member knows; without one, the first of all who
/// live, which has none itself.
std::optional<ConnectionLoss::Place> ConnectionLoss::parent_of(Place member) const {
  Place ancestor = member;
  while (ancestor > 0) {
    ancestor = parent_in_tree(ancestor);
    if (!is_dead(ancestor)) return ancestor;
  }
  Place first = 0;
  while (first < member && is_dead(first)) ++first;
  return first < member ? std::optional(first) : std::nullopt;
}

void ConnectionLoss::start(Context& context) {
  parent_ = parent_of(self_);
  if (parent_) context.open_link(members_.actor(*parent_));
  for_each_child(self_, [&](Place child) {
    children_.insert(child);
    context.open_link(members_.actor(child));
  });
  most_links_ = children_.size() + (parent_ ? 1 : 0);
  if (context.incarnation() == 0) return;
  // The others learn that it lives again, and what it does not know yet comes in return.
  if (parent_) context.send(members_.actor(*parent_), kLossKnown, options_->control_bytes);
  for (const Place child : children_)
    context.send(members_.actor(child), kLossKnown, options_->control_bytes);
}

/// Opens a connection to a new neighbour, and tells it all that this member knows.
void ConnectionLoss::connect(Context& context, Place neighbour) {
  const ActorId to = members_.actor(neighbour);
  ++reconnections_;
  most_links_ = std::max(most_links_, children_.size() + (parent_ ? 1 : 0));
  context.open_link(to);
  std::vector<std::uint64_t> words;
  words.reserve(ended_.size() + dead_.size());
  for_each_death([&](Incarnation dead) { words.push_back(as_word(dead.actor, dead.number)); });
  const std::uint64_t bytes = options_->control_bytes + options_->entry_bytes * words.size();
  Message& message = context.send(to, kLossKnown, bytes);
  context.attach(
      message, AttachedWords(std::make_shared<const std::vector<std::uint64_t>>(std::move(words))));
}

/// Takes the place of a dead neighbour: below it if it was a child, above it if it was the parent.
void ConnectionLoss::mend(Context& context, Place dead) {
  if (children_.erase(dead) > 0) adopt_below(context, dead);
  if (parent_ != dead) return;
  parent_ = parent_of(self_);
  if (parent_) return connect(context, *parent_);
  // All before this member are dead: those of them that are below each other from the first one on
  // have left what is below them without an ancestor.
  adopt_below(context, 0);
}

/// Adopts the nearest live descendants of a dead member.
void ConnectionLoss::adopt_below(Context& context, Place dead) {
  std::vector<Place> all{dead};
  for (std::size_t next = 0; next < all.size(); ++next) {
    const Place above = all[next];
    for_each_child(above, [&](Place child) {
      if (is_dead(child))
        all.push_back(child);
      else if (child != self_ && children_.insert(child).second)
        connect(context, child);
    });
  }
}

// ---- reports ------------------------------------------------------------------------------------

void ConnectionLoss::on_link_lost(Context& context, Incarnation peer) {
  learn_of(context, peer, kNobody);
}

void ConnectionLoss::on_local_exit(Context& context, Incarnation rank) {
  learn_of(context, rank, kNobody);
}

void ConnectionLoss::on_message(Context& context, const Message& message) {
  switch (message.kind) {
    case kLossReport:
      learn_of(context, message.payload.get<Incarnation>(), message.from);
      break;
    case kLossKnown:
      for (const std::uint64_t word : context.attached_words(message))
        learn_of(context, from_word(word), message.from);
      break;
    default:
      invariant(message.kind == kLossJoin, "a message has an unknown kind");
      tell_rank_of_all(context, message.from);
  }
}

void ConnectionLoss::learn_of(Context& context, Incarnation dead, ActorId from) {
  if (stopped_) return;
  if (dead.actor == context.self()) {
    stopped_ = dead == context.known(dead.actor);
    if (stopped_) context.report_failed(dead);
    return;
  }
  const auto known = dead_.find(dead.actor);
  const bool is_news = known != dead_.end() ? dead.number > known->second
                                            : dead.number >= context.known(dead.actor).number;
  if (is_news) return declare(context, dead, from);
  // It lives again, which others may not know yet.
  if (known == dead_.end() && ended_.insert(dead).second) tell(context, dead, from);
}

void ConnectionLoss::declare(Context& context, Incarnation dead, ActorId from) {
  const bool was_dead = !dead_.insert_or_assign(dead.actor, dead.number).second;
  tell(context, dead, from);
  context.report_failed(dead);
  tell_ranks(context, dead);
  if (members_.contains(dead.actor) && !was_dead) mend(context, members_.number(dead.actor));
}

/// Tells all neighbours but the one that it has heard it from, and the dead.
void ConnectionLoss::tell(Context& context, Incarnation dead, ActorId except) {
  const auto tell_one = [&](Place neighbour) {
    const ActorId to = members_.actor(neighbour);
    if (to != except && to != dead.actor)
      context.send(to, kLossReport, options_->control_bytes).payload.put(dead);
  };
  if (parent_) tell_one(*parent_);
  for (const Place child : children_) tell_one(child);
}

void ConnectionLoss::tell_ranks(Context& context, Incarnation dead) {
  if (!members_.are_daemons()) return;
  for (const Rank rank : ranks_of_daemon(context))
    if (dead_.count(rank) == 0)
      context.send(rank, kLossReport, options_->control_bytes).payload.put(dead);
}

void ConnectionLoss::tell_rank_of_all(Context& context, Rank rank) const {
  for_each_death([&](Incarnation dead) {
    if (dead.actor != rank)
      context.send(rank, kLossReport, options_->control_bytes).payload.put(dead);
  });
}

/// Who lives again takes its place in the tree. Those who took over from it stay connected to each
/// other until they hear that, which does no harm.
void ConnectionLoss::on_peer_restarted(Context& context, Incarnation peer) {
  if (stopped_) return;
  // Who lives in a later life has died in the one before.
  const auto before = static_cast<std::uint16_t>(peer.number - 1);
  const auto known = dead_.find(peer.actor);
  if (known == dead_.end() || known->second < before)
    declare(context, {peer.actor, before}, kNobody);
  dead_.erase(peer.actor);
  ended_.insert({peer.actor, before});
  if (!members_.contains(peer.actor)) return;
  const Place member = members_.number(peer.actor);
  const auto parent = parent_of(self_);
  if (parent == member) {
    parent_ = parent;
    connect(context, member);
  } else if (parent_of(member) == self_ && children_.insert(member).second) {
    connect(context, member);
  }
}

// ---- seen from outside --------------------------------------------------------------------------

void ConnectionLoss::report(MetricTotals& totals) const {
  totals.put(kReconnections, reconnections_);
  totals.put(kDegreeMax, most_links_);
}

void ConnectionLoss::digest_state(Digest& into) const {
  into.add(dead_, ended_, parent_, children_, stopped_);
}

}  // namespace faultline
