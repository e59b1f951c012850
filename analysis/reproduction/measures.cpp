// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/measures.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/runs/replications.hpp"
#include "analysis/runs/run_record.hpp"
#include "analysis/statistics/linear_fit.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "sim/scenario/fault_counts_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::reproduction {

namespace {

/// One element of a sample: a number, summed over the scenario's changes.
struct SampleElement {
  double sum = 0.0;
  std::size_t changes = 0;
};

/// Identifies an element: which replication of which surroundings, the components of all other
/// families. All protocols and all changes have it in common.
using ElementKey = std::pair<std::size_t, std::uint64_t>;

/// The metric and its companion, of one protocol in one element.
struct RunValues {
  double metric = 0.0;
  double companion = 0.0;
};

using ProtocolRuns = std::map<std::string, std::map<ElementKey, RunValues>>;

/// A metric that only series have: 1 if the run completed its work, 0 if its protocol gave up or
/// all ranks died.
constexpr const char* kSurvived = "survived";
/// Another one: 1 if work was left and nothing more could happen, 0 if the run ended otherwise.
constexpr const char* kHung = "hung";

/// The value of a run's metric. Only runs that completed their work have metrics other than these;
/// and a run until a stated time, which has no work to complete, if its detector let all ranks die.
std::optional<double> measured_value(const runs::ReplicationRecord& record,
                                     const scenario::RunSpec& spec, const std::string& name) {
  if (!record.run) return std::nullopt;
  const runs::RunRecord& run = *record.run;
  const bool gave_up =
      run.outcome == engine::Outcome::fatal_reported || run.outcome == engine::Outcome::all_failed;
  const bool hung =
      run.outcome == engine::Outcome::hung || run.outcome == engine::Outcome::deadlock;
  if (name == kHung && (hung || gave_up || runs::survived(run))) return hung ? 1.0 : 0.0;
  if (name == kSurvived && gave_up) return 0.0;
  const bool until_time =
      spec.stop.when == scenario::StopWhen::time && run.outcome == engine::Outcome::all_failed;
  if (!runs::survived(run) && !until_time) return std::nullopt;
  return name == kSurvived ? 1.0 : run.number(name);
}

/// Says what went wrong with a run that lacks this metric.
std::string trouble_of(const runs::ReplicationRecord& record, const std::string& metric) {
  if (!record.run) return record.error;
  if (!runs::survived(*record.run))
    return std::string("a run ended as ") + engine::outcome_word(record.run->outcome);
  return "a run has no metric " + metric;
}

/// Collects the runs of one scenario. Returns what went wrong, or "".
std::string collect_runs(const RunsMeasure& measure, const scenario::Scenario& scenario,
                         const std::vector<runs::ReplicationRecord>& records, ProtocolRuns& runs) {
  // Combinations of components are in the same order for each protocol.
  std::vector<std::size_t> surroundings_of(scenario.points.size());
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < scenario.points.size(); ++i)
    surroundings_of[i] = seen[scenario::protocol_of(scenario.points[i], measure.family)]++;
  for (const runs::ReplicationRecord& record : records) {
    RunValues values;
    const scenario::RunSpec& spec = scenario.points[record.point];
    const auto metric = measured_value(record, spec, measure.metric);
    if (!metric) return trouble_of(record, measure.metric);
    values.metric = *metric;
    if (measure.known_mean) {
      const auto companion = measured_value(record, spec, measure.known_mean->metric);
      if (!companion) return trouble_of(record, measure.known_mean->metric);
      values.companion = *companion;
    }
    const ElementKey key{surroundings_of[record.point], record.replication};
    runs[scenario::protocol_of(spec, measure.family)][key] = values;
  }
  return "";
}

/// Collects the samples of one point of a series. Returns what went wrong, or "".
std::string collect_samples(const SeriesMeasure& measure, const scenario::Scenario& scenario,
                            const std::vector<runs::ReplicationRecord>& records,
                            SeriesPoint& point) {
  for (const scenario::RunSpec& run : scenario.points) {
    const std::string protocol = scenario::protocol_of(run, measure.family);
    if (std::find(point.detectors.begin(), point.detectors.end(), protocol) ==
        point.detectors.end())
      point.detectors.push_back(protocol);
  }
  for (const runs::ReplicationRecord& record : records) {
    const scenario::RunSpec& spec = scenario.points[record.point];
    const std::string protocol = scenario::protocol_of(spec, measure.family);
    for (const std::string& metric : measure.metrics) {
      const auto value = measured_value(record, spec, metric);
      if (!value) return trouble_of(record, metric);
      point.samples[protocol][metric].push_back(*value);
    }
  }
  return "";
}

/// A protocol's sample, over all changes.
struct Sample {
  std::map<ElementKey, SampleElement> values;
  std::map<ElementKey, SampleElement> companions;

  static void add(std::map<ElementKey, SampleElement>& to, const ElementKey& key, double value) {
    to[key].sum += value;
    ++to[key].changes;
  }
  static std::vector<double> means(const std::map<ElementKey, SampleElement>& from) {
    std::vector<double> list;
    list.reserve(from.size());
    for (const auto& [key, element] : from)
      list.push_back(element.sum / static_cast<double>(element.changes));
    return list;
  }
};

void add_change(const RunsMeasure& measure, const ProtocolRuns& runs,
                std::map<std::string, Sample>& samples) {
  const auto base = runs.find(measure.relative_to);
  for (const auto& [protocol, elements] : runs) {
    for (const auto& [key, values] : elements) {
      double value = values.metric;
      if (base != runs.end()) value /= base->second.at(key).metric;
      Sample::add(samples[protocol].values, key, value);
      Sample::add(samples[protocol].companions, key, values.companion);
    }
  }
}

/// The hash of a scenario leaves this number out.
scenario::Scenario replicated(scenario::Scenario scenario, std::uint32_t replications) {
  scenario.replications = replications;
  return scenario;
}

/// The scenarios to simulate, in order.
std::vector<scenario::Scenario> scenarios_of(const RunsMeasure& measure,
                                             const ReproductionSettings& settings) {
  const std::size_t every = settings.quick ? measure.quick_every : 1;
  const std::uint32_t replications =
      settings.quick ? measure.quick_replications : measure.replications;
  std::vector<scenario::Scenario> scenarios;
  for (std::size_t i = every / 2; i < measure.scenarios.size(); i += every)
    scenarios.push_back(replicated(measure.scenarios[i], replications));
  return scenarios;
}

/// The scenarios to simulate, one for each point.
std::vector<scenario::Scenario> scenarios_of(const SeriesMeasure& measure,
                                             const ReproductionSettings& settings) {
  const std::size_t points = settings.quick ? measure.quick_points : measure.scenarios.size();
  std::vector<scenario::Scenario> scenarios;
  scenarios.reserve(points);
  for (std::size_t i = 0; i < points; ++i)
    scenarios.push_back(replicated(measure.scenarios[i], settings.quick ? measure.quick_replications
                                                                        : measure.replications[i]));
  return scenarios;
}

/// The work of one replication.
double work_of(const scenario::RunSpec& run) { return run.platform.processes; }

double work_of(const scenario::Scenario& scenario) {
  double work = 0;
  for (const scenario::RunSpec& run : scenario.points) work += work_of(run) * scenario.replications;
  return work;
}

double work_of(const std::vector<scenario::Scenario>& scenarios) {
  double work = 0;
  for (const scenario::Scenario& scenario : scenarios) work += work_of(scenario);
  return work;
}

/// Runs the replications of a scenario, and reports the work of each.
runs::ReplicationEnd run_all(const scenario::Scenario& scenario,
                             const ReproductionSettings& settings,
                             std::vector<runs::ReplicationRecord>& records) {
  return runs::run_replications(scenario, {.jobs = settings.jobs},
                                [&](const runs::ReplicationRecord& record, const std::string&) {
                                  if (settings.worked)
                                    settings.worked(work_of(scenario.points[record.point]));
                                  records.push_back(record);
                                });
}

/// The protocol that a cell asks for and that was not measured at a point; "" if there is none.
std::string missing_at(const SeriesPoint& point, const Cell& cell) {
  for (const std::string& protocol : {cell.protocol, cell.relative_to, cell.beyond})
    if (!protocol.empty() && !point.samples.contains(protocol)) return protocol;
  return {};
}

/// The sample of a protocol at a point, less that of another one, run by run, if the cell says so.
std::vector<double> sample_of(const SeriesPoint& point, const Cell& cell,
                              const std::string& protocol) {
  std::vector<double> values = point.samples.at(protocol).at(cell.metric);
  if (cell.beyond.empty()) return values;
  const std::vector<double>& less = point.samples.at(cell.beyond).at(cell.metric);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= less[i];
  return values;
}

/// The sample of a cell's metric at a point that has it, relative to the other protocol run by run
/// if the cell states one.
std::vector<double> sample_at(const SeriesPoint& point, const Cell& cell) {
  std::vector<double> values = sample_of(point, cell, cell.protocol);
  if (cell.relative_to.empty()) return values;
  const std::vector<double> base = sample_of(point, cell, cell.relative_to);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= base[i];
  return values;
}

/// A bound that holds for each run of a sample. It is exact for these runs, and has no interval.
statistics::Estimate bound_of(const std::vector<double>& sample, RunsFigure figure) {
  const auto [least, largest] = std::minmax_element(sample.begin(), sample.end());
  return {figure == RunsFigure::least ? *least : *largest, std::nullopt, ""};
}

/// What a cell takes from the line through all points that were measured.
statistics::Estimate measure_fit(const SeriesMeasure& series, const Measured& measured,
                                 const Cell& cell) {
  std::vector<statistics::SampleAt> samples;
  samples.reserve(measured.points.size());
  for (const SeriesPoint& point : measured.points) {
    const std::string missing = missing_at(point, cell);
    if (!missing.empty()) return not_measured(series.family, missing);
    samples.push_back({cell.fit->x[samples.size()], sample_at(point, cell)});
  }
  const statistics::LinearFit fit = statistics::fit_line(samples);
  if (cell.fit->figure == FitFigure::slope) return fit.slope;
  return cell.fit->figure == FitFigure::intercept ? fit.intercept : fit.r_squared;
}

double share_of(const theory::SizeSurvival& size, std::int64_t total) {
  return 100.0 * static_cast<double>(size.count) / static_cast<double>(total);
}

}  // namespace

statistics::Estimate not_measured(Family family, const std::string& protocol) {
  return {std::nullopt, std::nullopt,
          std::string("the scenario has no ") + protocol_word(family) + " " + protocol};
}

double work_of(const RunsMeasure& measure, const ReproductionSettings& settings) {
  return work_of(scenarios_of(measure, settings));
}

double work_of(const SeriesMeasure& measure, const ReproductionSettings& settings) {
  return work_of(scenarios_of(measure, settings));
}

Measured measure_runs(const RunsMeasure& measure, const ReproductionSettings& settings) {
  Measured measured;
  std::map<std::string, Sample> samples;
  for (const scenario::Scenario& scenario : scenarios_of(measure, settings)) {
    std::vector<runs::ReplicationRecord> records;
    measured.interrupted = run_all(scenario, settings, records).interrupted;
    if (measured.interrupted) return measured;
    ProtocolRuns runs;
    measured.trouble = collect_runs(measure, scenario, records, runs);
    if (!measured.trouble.empty()) return measured;
    add_change(measure, runs, samples);
  }
  for (const auto& [protocol, sample] : samples) {
    const std::vector<double> values = Sample::means(sample.values);
    measured.estimates[{measure.family, protocol, measure.metric}] =
        measure.known_mean ? statistics::estimate_mean(values, Sample::means(sample.companions),
                                                       measure.known_mean->mean)
                           : statistics::estimate_mean(values);
  }
  return measured;
}

Measured measure_series(const SeriesMeasure& measure, const ReproductionSettings& settings) {
  Measured measured;
  for (const scenario::Scenario& scenario : scenarios_of(measure, settings)) {
    std::vector<runs::ReplicationRecord> records;
    measured.interrupted = run_all(scenario, settings, records).interrupted;
    if (measured.interrupted) return measured;
    SeriesPoint& point = measured.points.emplace_back();
    point.at = measure.at[measured.points.size() - 1];
    measured.trouble = collect_samples(measure, scenario, records, point);
    if (!measured.trouble.empty()) return measured;
  }
  return measured;
}

statistics::Estimate measure_at(const SeriesMeasure& series, const Measured& measured,
                                const Cell& cell) {
  if (!measured.trouble.empty()) return {std::nullopt, std::nullopt, measured.trouble};
  if (cell.fit) return measure_fit(series, measured, cell);
  // The last point, if the cell states none.
  const auto point_at = [&](std::optional<double> at) {
    return std::find_if(measured.points.begin(), measured.points.end() - 1,
                        [at](const SeriesPoint& point) { return at == point.at; });
  };
  const auto found = point_at(cell.at);
  const std::string missing = missing_at(*found, cell);
  if (!missing.empty()) return not_measured(series.family, missing);
  if (cell.of_runs != RunsFigure::mean) return bound_of(sample_at(*found, cell), cell.of_runs);
  const bool is_share = statistics::metric_type(cell.metric) == statistics::MetricType::share;
  const bool is_ratio = !cell.relative_to.empty();
  if (is_share && is_ratio)
    return {std::nullopt, std::nullopt, "a ratio of shares is not estimated"};
  const auto values_of = [&](const std::string& protocol) -> const std::vector<double>& {
    return found->samples.at(protocol).at(cell.metric);
  };
  if (cell.relative_at)
    return statistics::estimate_ratio_of_means(
        values_of(cell.protocol),
        point_at(cell.relative_at)->samples.at(cell.protocol).at(cell.metric));
  if (is_share) return statistics::estimate_share(values_of(cell.protocol));
  if (cell.ratio_of_means && is_ratio)
    return statistics::estimate_ratio_of_means(values_of(cell.protocol),
                                               values_of(cell.relative_to));
  return statistics::estimate_mean(sample_at(*found, cell));
}

Measured measure_survival(const SurvivalMeasure& measure) {
  Measured measured;
  measured.faults = scenario::find_fault_counts(measure.faults);
  return measured;
}

statistics::Estimate survival_at(const SurvivalMeasure& measure, const Measured& measured,
                                 const Cell& cell) {
  const faults::FaultCounts& faults = measured.faults;
  const theory::SurvivalRow row = cell.fanout
                                      ? theory::indep_row(measure.processes, *cell.fanout, faults)
                                      : theory::rel_row(measure.processes, faults);
  if (cell.figure == "survival-percent") return {row.survival_percent, std::nullopt, ""};
  double sum = 0;
  for (const std::int64_t failed : cell.failed) {
    const auto size =
        std::find_if(row.by_size.begin(), row.by_size.end(),
                     [&](const theory::SizeSurvival& s) { return s.failed == failed; });
    if (size == row.by_size.end())
      return {std::nullopt, std::nullopt,
              "no fault of size " + std::to_string(failed) + " is recorded"};
    sum +=
        cell.figure == "share-percent" ? share_of(*size, faults.total) : size->failure_probability;
  }
  return {sum, std::nullopt, ""};
}

}  // namespace faultline::reproduction
