// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/connection_loss.hpp"

#include <algorithm>
#include <utility>

#include "protocols/failure_detection/degree.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::failure_detection {

namespace {

constexpr MetricSpec kReconnections{
    "reconnections", Merge::sum,
    "connections that members opened in place of lost ones, counted at both ends"};

OptionSet<ConnectionLossOptions> options() {
  return members_option<ConnectionLossOptions>("PRRTE: its daemons are connected")
      .option("radix", &ConnectionLossOptions::radix,
              {.doc = "children of a member in the tree",
               .source = "PRRTE, prte_routed_radix",
               .minimum = 1})
      .option("control_bytes", &ConnectionLossOptions::control_bytes,
              {.doc = "size of a message about one death", .unit = "B", .source = "assumed"})
      .option("entry_bytes", &ConnectionLossOptions::entry_bytes,
              {.doc = "size of each death in the message to a new neighbour, besides control_bytes",
               .unit = "B",
               .source = "assumed: a name",
               .maximum = 1e6});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  return check_members(options().read(values).members, job);
}

/// docs/protocols/connection-loss.md, "When a death is known": a delay for each of the dead, which
/// may be above each other in the tree, and one for the connection of a member that comes back. A
/// report goes along the tree, and as many messages may have to mend it.
DetectionBound bound(const OptionValues& values, const DetectionCase& death) {
  const ConnectionLossOptions read = options().read(values);
  const Members members(read.members, death.job);
  const double delay_s = std::max(
      {death.link_lost_s, death.local_exit_s, death.silent ? death.silent_link_lost_s : 0});
  const double dead = members.are_daemons() ? death.dead_nodes : death.deaths;
  const double bytes =
      static_cast<double>(read.control_bytes) +
      static_cast<double>(read.entry_bytes) * (2.0 * static_cast<double>(death.all_deaths) + 1.0);
  const double copies =
      (static_cast<double>(death.deaths) + death.dead_nodes) *
      (std::min(read.radix, members.count()) + static_cast<double>(death.job.processes_per_node));
  const double hop_s =
      death.message.longest_s(bytes) + 2.0 * death.message.busy_s(copies, copies * bytes);
  return {.within_s = (dead + 1.0) * delay_s + 2.0 * members.count() * hop_s};
}

const Registered registered{on_members<ConnectionLoss>(
    {.family = Family::failure_detection,
     .name = "connection-loss",
     .summary = "members watch their connections in a tree, and report along the mended tree",
     .source = "PRRTE's routing tree and its loss of connections (openmpi/ompi issue 13215)",
     .traits = DetectorTraits{.bound = bound},
     .message_kinds = {"report", "known-dead", "join", "lives"},
     .metrics = {&kReconnections, &kDegreeMax},
     .check = check},
    options(), kLossReport, kLossJoin, kLossLives)};

constexpr unsigned kLifeShift = 32;
/// Marks a message about a process that lives.
constexpr std::uint64_t kLives = std::uint64_t{1} << 63;

std::uint64_t as_word(Incarnation of) { return std::uint64_t{of.number} << kLifeShift | of.actor; }

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

/// All deaths that this member knows, those of earlier lives first.
template <class Visit>
void ConnectionLoss::for_each_death(Visit visit) const {
  for (const Incarnation life : ended_) visit(life);
  for (const auto& [actor, life] : dead_) visit(Incarnation{actor, life});
}

/// The nearest ancestor that lives, as far as this member knows. Without one, the first of all live
/// members, which has no parent itself.
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

void ConnectionLoss::start(DetectorContext& context) {
  parent_ = parent_of(self_);
  if (parent_) context.open_link(members_.actor(*parent_));
  for_each_child(self_, [&](Place child) {
    children_.insert(child);
    context.open_link(members_.actor(child));
  });
  most_links_ = children_.size() + (parent_ ? 1 : 0);
  if (context.incarnation() == 0) return;
  for (ActorId actor = 0; actor < members_.actor(members_.count()); ++actor)
    if (const Incarnation life = context.known(actor); actor != context.self() && life.number > 0)
      lives_[actor] = life.number;
  // Ranks that died with an earlier daemon of this node may still be dead.
  for (std::uint16_t life = 0; members_.are_daemons() && life < context.incarnation(); ++life)
    ended_.insert({context.self(), life});
  // The others learn that this daemon lives again, and tell it in return what it does not know yet.
  if (parent_) send_all(context, members_.actor(*parent_));
  for (const Place child : children_) send_all(context, members_.actor(child));
}

/// Opens a connection to a new neighbour, and tells it everything that this member knows.
void ConnectionLoss::connect(DetectorContext& context, Place neighbour) {
  const ActorId to = members_.actor(neighbour);
  ++reconnections_;
  most_links_ = std::max(most_links_, children_.size() + (parent_ ? 1 : 0));
  context.open_link(to);
  send_all(context, to);
}

/// Sends deaths before lives, since the receiver may have missed both the death and the new life.
void ConnectionLoss::send_all(DetectorContext& context, ActorId to) const {
  std::vector<std::uint64_t> words;
  words.reserve(ended_.size() + dead_.size() + lives_.size());
  for_each_death([&](Incarnation dead) { words.push_back(as_word(dead)); });
  for (const auto& [actor, life] : lives_)
    if (members_.contains(actor) && actor != to) words.push_back(kLives | as_word({actor, life}));
  const std::uint64_t bytes = options_->control_bytes + options_->entry_bytes * words.size();
  Message& message = context.send(to, kLossKnown, bytes);
  context.attach(
      message, AttachedWords(std::make_shared<const std::vector<std::uint64_t>>(std::move(words))));
}

/// Takes the place of a dead neighbour: below it if it was a child, above it if it was the parent.
void ConnectionLoss::mend(DetectorContext& context, Place dead) {
  if (children_.erase(dead) > 0) adopt_below(context, dead);
  if (parent_ != dead) return;
  parent_ = parent_of(self_);
  if (parent_) return connect(context, *parent_);
  // All members before this one are dead. The members below them, down from the first one, have no
  // ancestor left.
  adopt_below(context, 0);
}

/// Adopts the nearest live descendants of a dead member.
void ConnectionLoss::adopt_below(DetectorContext& context, Place dead) {
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

void ConnectionLoss::on_link_lost(DetectorContext& context, Incarnation peer) {
  learn_of(context, peer, kNobody);
}

void ConnectionLoss::on_local_exit(DetectorContext& context, Incarnation rank) {
  learn_of(context, rank, kNobody);
}

void ConnectionLoss::on_message(DetectorContext& context, const Message& message) {
  switch (message.kind) {
    case kLossReport:
      learn_of(context, message.payload.get<Incarnation>(), message.from);
      break;
    case kLossKnown:
      for (const std::uint64_t word : context.attached_words(message))
        if ((word & kLives) != 0)
          learn_of_life(context, from_word(word), message.from);
        else
          learn_of(context, from_word(word), message.from);
      break;
    case kLossLives:
      learn_of_life(context, message.payload.get<Incarnation>(), message.from);
      break;
    default:
      invariant(message.kind == kLossJoin, "a message has an unknown kind");
      tell_rank_of_all(context, message.from);
  }
}

void ConnectionLoss::learn_of(DetectorContext& context, Incarnation dead, ActorId from) {
  if (stopped_) return;
  if (dead.actor == context.self()) {
    stopped_ = dead == context.known(dead.actor);
    if (stopped_) context.report_failed(dead);
    return;
  }
  if (!has_died(dead)) return declare_through(context, dead, from);
  // The member lives again, or has done so, which others may not know yet.
  if (dead_.count(dead.actor) > 0 && dead_.at(dead.actor) == dead.number) return;
  if (!ended_.insert(dead).second) return;
  tell(context, kLossReport, dead, from);
  // This is a new daemon. Ranks that died with the old one may still be dead.
  if (members_.contains(dead.actor)) tell_ranks(context, dead);
}

/// True if this member knows that this life is over.
bool ConnectionLoss::has_died(Incarnation life) const {
  const auto known = dead_.find(life.actor);
  return known != dead_.end() ? life.number <= known->second : life.number < life_of(life.actor);
}

/// The latest life of a process that this member knows of, if it is not dead.
std::uint16_t ConnectionLoss::life_of(ActorId actor) const {
  const auto known = lives_.find(actor);
  return known == lives_.end() ? std::uint16_t{0} : known->second;
}

/// A process that has died in one life has died in all before it.
void ConnectionLoss::declare_through(DetectorContext& context, Incarnation dead, ActorId from) {
  Incarnation life{dead.actor, life_of(dead.actor)};
  if (const auto known = dead_.find(dead.actor); known != dead_.end()) {
    life.number = known->second;
    ++life.number;
  }
  for (; life.number < dead.number; ++life.number) declare(context, life, from);
  declare(context, dead, from);
}

void ConnectionLoss::declare(DetectorContext& context, Incarnation dead, ActorId from) {
  const auto known = dead_.find(dead.actor);
  const bool was_dead = known != dead_.end();
  if (was_dead) ended_.insert({dead.actor, known->second});
  dead_.insert_or_assign(dead.actor, dead.number);
  lives_.erase(dead.actor);
  tell(context, kLossReport, dead, from);
  context.report_failed(dead);
  tell_ranks(context, dead);
  if (members_.contains(dead.actor) && !was_dead) mend(context, members_.number(dead.actor));
}

/// Tells all neighbours except the one that it has heard the news from, and the one that the news
/// is about.
void ConnectionLoss::tell(DetectorContext& context, ConnectionLossMessage kind, Incarnation about,
                          ActorId except) {
  const auto tell_one = [&](Place neighbour) {
    const ActorId to = members_.actor(neighbour);
    if (to != except && to != about.actor)
      context.send(to, kind, options_->control_bytes).payload.put(about);
  };
  if (parent_) tell_one(*parent_);
  for (const Place child : children_) tell_one(child);
}

void ConnectionLoss::tell_ranks(DetectorContext& context, Incarnation dead) {
  if (!members_.are_daemons()) return;
  for (const Rank rank : ranks_of_daemon(context))
    if (dead_.count(rank) == 0)
      context.send(rank, kLossReport, options_->control_bytes).payload.put(NodeNews{dead});
}

void ConnectionLoss::tell_rank_of_all(DetectorContext& context, Rank rank) const {
  for_each_death([&](Incarnation dead) {
    if (dead.actor != rank)
      context.send(rank, kLossReport, options_->control_bytes).payload.put(NodeNews{dead});
  });
}

// ---- new lives ----------------------------------------------------------------------------------

/// Learns of a new life from another member. To connect to it, this member has to know that life as
/// others do.
void ConnectionLoss::learn_of_life(DetectorContext& context, Incarnation life, ActorId from) {
  if (stopped_ || life.actor == context.self()) return;
  if (has_died(life) || life.number <= life_of(life.actor)) return;
  take_for_alive(context, life, from);
  context.learn(life);
}

/// A process that lives in a later life has died in all before it.
void ConnectionLoss::take_for_alive(DetectorContext& context, Incarnation life, ActorId from) {
  const Incarnation before{life.actor, static_cast<std::uint16_t>(life.number - 1)};
  if (!has_died(before)) declare_through(context, before, from);
  ended_.insert(before);
  dead_.erase(life.actor);
  lives_[life.actor] = life.number;
  if (members_.contains(life.actor)) tell(context, kLossLives, life, from);
}

/// A process that lives again takes its place in the tree. The members that took over from it stay
/// connected to each other until they hear of it, which does no harm.
void ConnectionLoss::on_peer_restarted(DetectorContext& context, Incarnation peer) {
  if (stopped_ || has_died(peer)) return;
  if (life_of(peer.actor) < peer.number) take_for_alive(context, peer, kNobody);
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
  into.add(dead_, ended_, lives_, parent_, children_, stopped_);
}

}  // namespace faultline::failure_detection
