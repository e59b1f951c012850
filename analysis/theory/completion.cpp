// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/completion.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/core/run_metrics.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/faults/victim_placement.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/checkpoint_plan.hpp"

namespace faultline::theory {

namespace {

const Registration* recovery_of(const scenario::RunSpec& spec) {
  const Registration* logging = spec.component(Family::message_logging).registration;
  return logging != nullptr ? logging : spec.component(Family::transactions).registration;
}

/// True if the recovery gives up when several ranks are dead at once.
bool recovers_singly(const scenario::RunSpec& spec) {
  const Registration* recovery = recovery_of(spec);
  return recovery != nullptr && recovery->as<RecoveryTraits>().recovers_singly;
}

/// True if each node of the job holds several ranks.
bool has_full_nodes(const JobShape& job) {
  return job.processes / job.nodes > 1 && job.processes % job.processes_per_node != 1;
}

/// What a fault does to the job.
enum class Effect {
  unknown,
  ends_it,         ///< also with a recovery that cannot bring back what is lost
  takes_all_back,  ///< to the last checkpoint, or to the beginning
};

/// The share of the faults of a source that surely have the effect while all ranks live.
double striking_share(const faults::FaultSourceChoice& source, const scenario::RunSpec& spec,
                      const JobShape& job, Effect effect) {
  if (source.registration->name != "poisson" || faults::limit_of(source) ||
      scenario::number_among(source.options, "start_s").value_or(0) > 0 ||
      scenario::number_among(source.options, "end_s"))
    return 0;
  const faults::PlacementOptions where = faults::placement_options().read(source.options);
  if (where.scope != "job" || where.component != "node") return 0;
  if (where.victims == "ranks") return recovers_singly(spec) ? 0 : 1;
  if (effect == Effect::ends_it) return 1;
  // Spare nodes may have ranks in place of nodes of the job, which faults still strike.
  const double nodes = job.nodes - (where.spare_root ? 1.0 : 0.0);
  return std::max(0.0, 1 - spec.platform.spare_nodes / nodes);
}

/// The rate of the faults that surely have the effect, in 1/s.
double striking_rate(const scenario::RunSpec& spec, Effect effect) {
  const faults::FaultTarget target = scenario::fault_target(spec.platform);
  double per_s = 0;
  for (const faults::FaultSourceChoice& source : spec.fault_sources) {
    const double share = striking_share(source, spec, target.job, effect);
    if (share > 0) per_s += share / source.registration->mtbf_s(source.options, target).value();
  }
  return per_s;
}

Effect effect_of(const scenario::RunSpec& spec) {
  const Registration* recovery = recovery_of(spec);
  if (recovery == nullptr) return Effect::ends_it;
  if (recovers_singly(spec) && has_full_nodes(scenario::job_shape(spec.platform)))
    return Effect::ends_it;
  return recovery->as<RecoveryTraits>().takes_all_back ? Effect::takes_all_back : Effect::unknown;
}

/// Whether all ranks of the program must come to the end of all iterations. Some programs of
/// TryBlocks go on with fewer if a recovery lets them.
bool needs_all_ranks(const scenario::RunSpec& spec) {
  const scenario::ComponentChoice& program = spec.component(Family::workload);
  if (program.registration == nullptr || spec.stop.when != scenario::StopWhen::finished)
    return false;
  const auto& traits = program.registration->as<WorkloadTraits>();
  if (!traits.finishes) return false;
  return recovery_of(spec) == nullptr || !traits.try_blocks ||
         traits.try_blocks(program.options).needs_all_ranks;
}

/// The pieces of the job. Nothing if they are not known, or if a fault takes only some ranks back.
std::optional<PieceByPiece> pieces_of(const scenario::RunSpec& spec, Effect effect) {
  const auto iterations =
      scenario::number_among(spec.component(Family::workload).options, "iterations");
  const auto each_s = scenario::iteration_compute_s(spec);
  if (effect == Effect::unknown || !iterations || !each_s || !needs_all_ranks(spec))
    return std::nullopt;
  const double per_s = striking_rate(spec, effect);
  if (per_s <= 0) return std::nullopt;
  PieceByPiece job{
      .piece_s = *iterations * *each_s, .mtbf_s = 1 / per_s, .until_s = spec.stop.time_s};
  const auto plan = effect == Effect::ends_it ? std::nullopt : scenario::plan_of(spec);
  if (!plan || plan->interval_s <= 0 || plan->interval_s >= job.piece_s) return job;
  // The rest after the last whole piece needs no fault either, but that is left out here.
  job.pieces = std::floor(job.piece_s / plan->interval_s * (1 + 1e-9));
  job.piece_s = plan->interval_s;
  return job;
}

/// The logarithm of E[e^(-s X)].
double log_transform(const PieceByPiece& job, double s) {
  const double rate = 1 / job.mtbf_s;
  const double work = (rate + s) * job.piece_s;
  return std::log(rate + s) - work - std::log(s + rate * std::exp(-work));
}

}  // namespace

double most_complete(const PieceByPiece& job) {
  if (job.until_s < job.pieces * job.piece_s) return 0;
  const double expected_s = job.pieces * job.mtbf_s * std::expm1(job.piece_s / job.mtbf_s);
  if (expected_s <= job.until_s) return 1;
  const auto exponent = [&](double log_s) {
    const double s = std::exp(log_s);
    return s * job.until_s + job.pieces * log_transform(job, s);
  };
  // It is convex in s, so that it has one minimum in log s, too.
  double low = std::log(1e-9 / job.until_s);
  double high = std::log(1e9 / job.piece_s);
  for (int i = 0; i < 200; ++i) {
    const double left = low + (high - low) / 3;
    const double right = high - (high - low) / 3;
    if (exponent(left) < exponent(right))
      high = right;
    else
      low = left;
  }
  return std::min(1.0, std::exp(exponent(low)));
}

std::optional<ClosedForm> completion_form(const scenario::RunSpec& spec) {
  const Effect effect = effect_of(spec);
  const std::optional<PieceByPiece> job = pieces_of(spec, effect);
  if (!job) return std::nullopt;
  const bool is_once = effect == Effect::ends_it;
  const double most = is_once ? std::exp(-job->piece_s / job->mtbf_s) : most_complete(*job);
  if (most >= 1) return std::nullopt;
  return ClosedForm{.metric = run_metrics::kCompleted.name,
                    .name = json::shortest(job->pieces) + " x " + json::shortest(job->piece_s) +
                            " s without a fault",
                    .relation = Relation::at_most,
                    .value = most,
                    .source = std::string(is_once ? "e^(-T / M)" : "Chernoff's bound") +
                              ", for exponential times between faults"};
}

}  // namespace faultline::theory
