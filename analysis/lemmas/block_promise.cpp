// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/block_promise.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace faultline::lemmas {

namespace {

template <class Value>
Value option_of(const scenario::ComponentChoice& choice, const char* option, Value otherwise) {
  const auto set = choice.options.find(option);
  if (set == choice.options.end() || !std::holds_alternative<Value>(set->second)) return otherwise;
  return std::get<Value>(set->second);
}

double delay_s(const scenario::ComponentChoice& detector, const char* option) {
  return detector.registration == nullptr ? 0.0 : option_of(detector, option, 0.0);
}

/// Far more than a commit of a small job takes, with everything that precedes it in a TryBlock [s].
constexpr double kWork_s = 0.02;

void count_faults(const scenario::RunSpec& spec, BlockPromise& promise) {
  const JobShape shape = scenario::job_shape(spec.platform);
  std::uint64_t spare = spec.platform.spare_nodes;
  for (const faults::FaultSpec& fault : spec.faults) {
    if (fault.soft) promise.rejections += fault.ranks.size();
    if (fault.stall_s > 0.0) promise.rejections += 2 * fault.ranks.size();
    promise.longest_wait_s += fault.stall_s;
    promise.notice_s += fault.stall_s;
    for (const NodeId node : fault.nodes) {
      promise.nodes_fail = true;
      if (node >= shape.nodes && spare > 0) --spare;
    }
  }
  promise.places = spare * shape.processes_per_node;
}

}  // namespace

std::optional<BlockPromise> block_promise_of(const scenario::RunSpec& spec) {
  const Registration* workload = spec.component(Family::workload).registration;
  if (workload == nullptr || !workload->as<WorkloadTraits>().try_blocks) return std::nullopt;
  if (spec.component(Family::message_logging).registration != nullptr) return std::nullopt;
  const bool heeds_deaths =
      spec.component(Family::transactions).registration != nullptr || workload->needs_detection();
  if (!heeds_deaths) return std::nullopt;  // it waits for the dead
  BlockPromise promise;
  count_faults(spec, promise);
  const scenario::ComponentChoice& detector = spec.component(Family::failure_detection);
  const double told_s = delay_s(detector, "delay_s") + delay_s(detector, "spread_s");
  promise.notice_s += told_s + kWork_s;
  const scenario::ComponentChoice& protocol = spec.component(Family::transactions);
  if (protocol.registration == nullptr) return promise;
  const std::string rebuild = "rebuild";
  promise.recovers = option_of(protocol, "scope", std::string("global")) != "local";
  promise.recovery = option_of(protocol, "recovery", rebuild);
  promise.checkpoint = option_of(protocol, "checkpoint", std::string("none"));
  promise.starts_on_spare_nodes = option_of(protocol, "spawn", std::string()) == "spare-node";
  promise.retries = static_cast<std::uint64_t>(option_of(protocol, "retries", std::int64_t{0}));
  promise.patience_s =
      static_cast<double>(promise.retries + 1) * option_of(protocol, "wait_timeout_s", kNever);
  const bool invites = option_of(protocol, "release", std::string()) == "invite";
  const double timeout_s = invites ? 0.0 : option_of(protocol, "request_timeout_s", 0.0);
  promise.longest_wait_s +=
      timeout_s + static_cast<double>(spec.faults.size() + 1) * told_s + kWork_s;
  return promise;
}

// ---- what is seen -----------------------------------------------------------------------------

BlockLog::BlockLog(std::uint32_t processes, const scenario::ComponentChoice& protocol)
    : ranks_(processes) {
  if (option_of(protocol, "checkpoint", std::string()) == "partner")
    copies_.emplace(processes, protocol);
}

void BlockLog::see(const audit::Sight& sight) {
  if (sight.actor >= ranks_.size()) return;
  if (copies_) copies_->see(sight);
  Seen& rank = ranks_[sight.actor];
  switch (sight.kind) {
    case audit::Sight::Kind::died:
      return died(sight.actor, sight.time_s);
    case audit::Sight::Kind::restarted:
      rank.alive = true;
      return;
    case audit::Sight::Kind::mark:
      return marked(sight.actor, sight.text, sight.value);
    default:
      return;
  }
}

void BlockLog::died(Rank rank, double time_s) {
  any_death_ = true;
  Seen& dead = ranks_[rank];
  dead.alive = dead.in_world = false;
  dead.has_died = true;
  dead.died_s = time_s;
  world_lost_ = world_lost_ || std::none_of(ranks_.begin(), ranks_.end(),
                                            [](const Seen& one) { return one.in_world; });
}

void BlockLog::marked(Rank rank, const char* mark, std::uint64_t value) {
  const std::string_view name(mark);
  Seen& seen = ranks_[rank];
  if (name == "join") {
    seen.in_world = true;
    seen.epoch = value;
  }
  if (name == "contributed") seen.contributed = {seen.epoch, value};
}

bool BlockLog::all_dead() const {
  return std::none_of(ranks_.begin(), ranks_.end(), [](const Seen& one) { return one.alive; });
}

std::uint64_t BlockLog::have_died() const {
  return static_cast<std::uint64_t>(
      std::count_if(ranks_.begin(), ranks_.end(), [](const Seen& one) { return one.has_died; }));
}

std::optional<Rank> BlockLog::missing() const {
  std::pair<std::uint64_t, std::uint64_t> last;
  for (const Seen& one : ranks_)
    if (one.alive) last = std::max(last, one.contributed);
  for (Rank rank = 0; rank < ranks_.size(); ++rank)
    if (!ranks_[rank].alive && ranks_[rank].contributed < last) return rank;
  return std::nullopt;
}

std::optional<double> BlockLog::first_dead_s() const {
  std::optional<double> first;
  for (const Seen& one : ranks_)
    if (!one.alive) first = std::min(first.value_or(kNever), one.died_s);
  return first;
}

// ---- the judgement ----------------------------------------------------------------------------

namespace {

using Allowed = bool (*)(const BlockPromise&, const BlockLog&);

/// The reasons on the pages of the protocols, and the conditions of each.
const std::map<std::string_view, Allowed>& reasons() {
  static const std::map<std::string_view, Allowed> reasons{
      {"a process has died, which ends the job of an MPI without transactions",
       [](const BlockPromise& promise, const BlockLog& log) {
         return !promise.recovers && log.any_death();
       }},
      {"a local TryBlock does not recover from the death of a process",
       [](const BlockPromise& promise, const BlockLog& log) {
         return !promise.recovers && log.any_death();
       }},
      {"no node is left for a process that takes the place of a dead one",
       [](const BlockPromise& promise, const BlockLog& log) {
         if (promise.recovery == "shrink") return false;
         return promise.starts_on_spare_nodes ? log.have_died() > promise.places
                                              : promise.nodes_fail;
       }},
      {"both copies of a checkpoint are lost",
       [](const BlockPromise& promise, const BlockLog& log) {
         return promise.recovery != "shrink" && log.copies_lost();
       }},
      {"a checkpoint is lost with its node",
       [](const BlockPromise& promise, const BlockLog& log) {
         return promise.checkpoint == "local" && promise.recovery != "shrink" && log.any_death() &&
                (promise.starts_on_spare_nodes || promise.nodes_fail);
       }},
      {"no process is left that knows the world",
       [](const BlockPromise&, const BlockLog& log) { return log.world_lost(); }},
      {"the commit of a TryBlock has timed out",
       [](const BlockPromise& promise, const BlockLog&) {
         return promise.patience_s < promise.longest_wait_s;
       }},
      {"a TryBlock has been rejected too often although nobody has died",
       [](const BlockPromise& promise, const BlockLog&) {
         return promise.rejections > promise.retries;
       }}};
  return reasons;
}

std::optional<BrokenPromise> against_end(const BlockPromise& promise,
                                         const engine::RunResult& result, const BlockLog& log) {
  if (!promise.recovers) {
    const std::optional<double> dead_s = log.first_dead_s();
    const double end_s = *result.metrics.values().at("end_time_s");
    if (dead_s && *dead_s + promise.notice_s < end_s)
      return BrokenPromise{LemmaFigure::other, "finished, though a process has died"};
  } else if (promise.recovery != "shrink") {
    // A rank that died after its last TryBlock needs no replacement.
    if (const std::optional<Rank> missing = log.missing())
      return BrokenPromise{LemmaFigure::other, "finished without rank " + std::to_string(*missing) +
                                                   ", which has died"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<BrokenPromise> against_blocks(const BlockPromise& promise,
                                            const engine::RunResult& result, const BlockLog& log) {
  if (log.all_dead() && result.violations.empty()) return std::nullopt;
  if (std::optional<BrokenPromise> broken = promise_broken_by_end(result)) return broken;
  if (result.outcome == engine::Outcome::finished) return against_end(promise, result, log);
  const auto reason = reasons().find(result.fatal_reason);
  if (reason != reasons().end() && reason->second(promise, log)) return std::nullopt;
  return BrokenPromise{LemmaFigure::given_up, "given up without need: " + result.fatal_reason};
}

}  // namespace faultline::lemmas
