#include "analysis/reproduction/measures.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/runs/replications.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/theory/step_model.hpp"
#include "analysis/theory/survival.hpp"
#include "sim/scenario/fault_counts_file.hpp"
#include "sim/scenario/scenario.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline {

namespace {

/// One element of a sample: a number, summed over the scenario's changes.
struct SampleElement {
  double sum = 0.0;
  std::size_t changes = 0;
};

/// Identifies an element: which replication of which workload. All detectors and all changes have
/// it in common.
using ElementKey = std::pair<std::size_t, std::uint64_t>;

/// The metric and its companion, of one detector in one element.
struct RunValues {
  double metric = 0.0;
  double companion = 0.0;
};

using DetectorRuns = std::map<std::string, std::map<ElementKey, RunValues>>;

/// A metric that only series have: 1 if the detector survived the faults, 0 if it gave up or all
/// ranks died.
constexpr const char* kSurvived = "survived";

/// The value of a run's metric. Only runs whose termination was announced have metrics other than
/// `survived`.
std::optional<double> measured_value(const ReplicationRecord& record, const std::string& name) {
  if (!record.run) return std::nullopt;
  const RunRecord& run = *record.run;
  const bool gave_up = run.outcome == Outcome::fatal_reported || run.outcome == Outcome::all_failed;
  if (name == kSurvived && gave_up) return 0.0;
  if (run.outcome != Outcome::terminated) return std::nullopt;
  return name == kSurvived ? 1.0 : run.number(name);
}

/// Says what went wrong with a run that lacks this metric.
std::string trouble_of(const ReplicationRecord& record, const std::string& metric) {
  if (!record.run) return record.error;
  if (record.run->outcome != Outcome::terminated)
    return std::string("a run ended as ") + outcome_word(record.run->outcome);
  return "a run has no metric " + metric;
}

/// Collects the runs of one scenario. Returns what went wrong, or "".
std::string collect_runs(const RunsMeasure& measure, const Scenario& scenario,
                         const ReplicationResults& results, DetectorRuns& runs) {
  std::vector<std::size_t> workload_of(scenario.points.size());
  std::map<std::string, std::size_t> seen;
  for (std::size_t point = 0; point < scenario.points.size(); ++point)
    workload_of[point] = seen[detector_of(scenario.points[point])]++;
  for (const ReplicationRecord& record : results.records) {
    RunValues values;
    const auto metric = measured_value(record, measure.metric);
    if (!metric) return trouble_of(record, measure.metric);
    values.metric = *metric;
    if (measure.known_mean) {
      const auto companion = measured_value(record, measure.known_mean->metric);
      if (!companion) return trouble_of(record, measure.known_mean->metric);
      values.companion = *companion;
    }
    const ElementKey key{workload_of[record.point], record.replication};
    runs[detector_of(scenario.points[record.point])][key] = values;
  }
  return "";
}

/// Collects the samples of one point of a series. Returns what went wrong, or "".
std::string collect_point(const SeriesMeasure& measure, const Scenario& scenario,
                          const ReplicationResults& results, SeriesPoint& point) {
  for (const RunSpec& run : scenario.points)
    if (std::find(point.detectors.begin(), point.detectors.end(), detector_of(run)) ==
        point.detectors.end())
      point.detectors.push_back(detector_of(run));
  for (const ReplicationRecord& record : results.records)
    for (const std::string& metric : measure.metrics) {
      const auto value = measured_value(record, metric);
      if (!value) return trouble_of(record, metric);
      point.samples[detector_of(scenario.points[record.point])][metric].push_back(*value);
    }
  return "";
}

/// A detector's sample, over all changes.
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

void add_change(const RunsMeasure& measure, const DetectorRuns& runs,
                std::map<std::string, Sample>& samples) {
  const auto base = runs.find(measure.relative_to);
  for (const auto& [detector, elements] : runs) {
    for (const auto& [key, values] : elements) {
      double value = values.metric;
      if (base != runs.end()) value /= base->second.at(key).metric;
      Sample::add(samples[detector].values, key, value);
      Sample::add(samples[detector].companions, key, values.companion);
    }
  }
}

Measured all_in_trouble(const std::map<std::string, Sample>& samples, const DetectorRuns& runs,
                        const std::string& trouble) {
  Measured measured;
  const Estimate none{.value = std::nullopt, .confidence_95 = std::nullopt, .trouble = trouble};
  for (const auto& [detector, sample] : samples) measured.by_detector[detector] = none;
  for (const auto& [detector, elements] : runs) measured.by_detector[detector] = none;
  measured.by_detector[""] = none;
  return measured;
}

/// The mean ratios of the three other detectors to CDA, over processes and activities.
struct TreeRatios {
  double four_counter = 0.0;
  double edod = 0.0;
  double hcda = 0.0;
};

TreeRatios tree_ratios(const StepModelMeasure& measure, const TaskTree& tree, std::uint64_t seed) {
  TreeRatios sum;
  double counted = 0;
  for (std::uint32_t processes = measure.fewest_processes; processes <= measure.most_processes;
       ++processes) {
    const std::vector<Rank> ranks =
        measure.mapping == "random"
            ? random_ranks(tree.tasks(), processes, task_mapping_stream(seed, processes))
            : round_robin_ranks(tree.tasks(), processes);
    for (const StepActivity activity :
         {StepActivity::instant, StepActivity::local, StepActivity::load}) {
      const ControlMessageCounts counts =
          count_control_messages({processes, activity, measure.rules}, tree, ranks);
      const auto cda = static_cast<double>(counts.cda);
      sum.four_counter += static_cast<double>(counts.four_counter) / cda;
      sum.edod += static_cast<double>(counts.edod) / cda;
      sum.hcda += static_cast<double>(counts.hcda) / cda;
      ++counted;
    }
  }
  return {sum.four_counter / counted, sum.edod / counted, sum.hcda / counted};
}

/// The indices of the sets of changes to simulate.
std::vector<std::size_t> changes_of(const RunsMeasure& measure,
                                    const ReproductionSettings& settings) {
  const std::size_t every = settings.quick ? measure.quick_every : 1;
  std::vector<std::size_t> changes;
  for (std::size_t i = every / 2; i < measure.changes.size(); i += every) changes.push_back(i);
  return changes;
}

std::size_t points_of(const SeriesMeasure& measure, const ReproductionSettings& settings) {
  return settings.quick ? measure.quick_points : measure.changes.size();
}

std::size_t trees_of(const StepModelMeasure& measure, const ReproductionSettings& settings) {
  const std::size_t all = measure.tree_seeds.size();
  return settings.quick ? std::min<std::size_t>(measure.quick_trees, all) : all;
}

Scenario changed_scenario(const std::string& text, const std::string& file,
                          std::vector<std::string> sets, std::uint32_t replications) {
  sets.push_back("replications=" + std::to_string(replications));
  return parse_scenario(text, file, {sets});
}

Scenario scenario_of(const RunsMeasure& measure, std::size_t change, const std::string& file,
                     const ReproductionSettings& settings) {
  return changed_scenario(measure.scenario, file, measure.changes[change],
                          settings.quick ? measure.quick_replications : measure.replications);
}

Scenario scenario_of(const SeriesMeasure& measure, std::size_t point, const std::string& file,
                     const ReproductionSettings& settings) {
  return changed_scenario(
      measure.scenario, file, measure.changes[point],
      settings.quick ? measure.quick_replications : measure.replications[point]);
}

/// The work of one run of a point.
double work_of_run(const Scenario& scenario, std::size_t point) {
  return scenario.points[point].platform.processes;
}

double work_of_tree(const StepModelMeasure& measure) {
  return 1.0 + measure.most_processes - measure.fewest_processes;
}

double work_of(const Scenario& scenario) {
  double work = 0;
  for (std::size_t point = 0; point < scenario.points.size(); ++point)
    work += work_of_run(scenario, point) * scenario.replications;
  return work;
}

/// Runs the replications of a scenario, and reports the work of each.
ReplicationResults results_of(const Scenario& scenario, const ReproductionSettings& settings) {
  ReplicationResults results;
  const ReplicationEnd end =
      run_replications(scenario, {.jobs = settings.jobs}, [&](ReplicationRecord record) {
        if (settings.worked) settings.worked(work_of_run(scenario, record.point));
        results.records.push_back(std::move(record));
      });
  results.planned = end.planned;
  results.interrupted = end.interrupted;
  return results;
}

double share_of(const SizeSurvival& size, std::int64_t total) {
  return 100.0 * static_cast<double>(size.count) / static_cast<double>(total);
}

}  // namespace

double work_of(const RunsMeasure& measure, const std::string& file,
               const ReproductionSettings& settings) {
  double work = 0;
  for (const std::size_t change : changes_of(measure, settings))
    work += work_of(scenario_of(measure, change, file, settings));
  return work;
}

double work_of(const SeriesMeasure& measure, const std::string& file,
               const ReproductionSettings& settings) {
  double work = 0;
  for (std::size_t point = 0; point < points_of(measure, settings); ++point)
    work += work_of(scenario_of(measure, point, file, settings));
  return work;
}

double work_of(const StepModelMeasure& measure, const ReproductionSettings& settings) {
  return static_cast<double>(trees_of(measure, settings)) * work_of_tree(measure);
}

Measured measure_runs(const RunsMeasure& measure, const std::string& file,
                      const ReproductionSettings& settings) {
  std::map<std::string, Sample> samples;
  for (const std::size_t change : changes_of(measure, settings)) {
    const Scenario scenario = scenario_of(measure, change, file, settings);
    const ReplicationResults results = results_of(scenario, settings);
    DetectorRuns runs;
    if (results.interrupted)
      return {.by_detector = {}, .points = {}, .trouble = "", .interrupted = true};
    const std::string trouble = collect_runs(measure, scenario, results, runs);
    if (!trouble.empty()) return all_in_trouble(samples, runs, trouble);
    add_change(measure, runs, samples);
  }
  Measured measured;
  for (const auto& [detector, sample] : samples) {
    const std::vector<double> values = Sample::means(sample.values);
    measured.by_detector[detector] =
        measure.known_mean
            ? estimate_mean(values, Sample::means(sample.companions), measure.known_mean->mean)
            : estimate_mean(values);
  }
  return measured;
}

Measured measure_series(const SeriesMeasure& measure, const std::string& file,
                        const ReproductionSettings& settings) {
  Measured measured;
  for (std::size_t i = 0; i < points_of(measure, settings); ++i) {
    const Scenario scenario = scenario_of(measure, i, file, settings);
    const ReplicationResults results = results_of(scenario, settings);
    measured.interrupted = results.interrupted;
    if (measured.interrupted) return measured;
    measured.points.push_back({measure.at[i], {}});
    measured.trouble = collect_point(measure, scenario, results, measured.points.back());
    if (!measured.trouble.empty()) return measured;
  }
  return measured;
}

Estimate measure_at(const Measured& series, const Cell& cell) {
  if (!series.trouble.empty()) return {std::nullopt, std::nullopt, series.trouble};
  const auto point = std::find_if(series.points.begin(), series.points.end() - 1,
                                  [&](const SeriesPoint& p) { return cell.at == p.at; });
  const auto sample_of = [&](const std::string& detector) -> const std::vector<double>* {
    const auto found = point->samples.find(detector);
    return found == point->samples.end() ? nullptr : &found->second.at(cell.metric);
  };
  const std::vector<double>* sample = sample_of(cell.detector);
  const std::vector<double>* base = sample_of(cell.relative_to);
  if (sample == nullptr || (base == nullptr && !cell.relative_to.empty()))
    return {
        std::nullopt, std::nullopt,
        "the scenario has no detector " + (sample == nullptr ? cell.detector : cell.relative_to)};
  const bool is_share = metric_type(cell.metric) == MetricType::share;
  if (is_share && base == nullptr) return estimate_share(*sample);
  if (is_share) return {std::nullopt, std::nullopt, "a ratio of shares is not estimated"};
  if (cell.ratio_of_means && base != nullptr) return estimate_ratio_of_means(*sample, *base);
  std::vector<double> values = *sample;
  for (std::size_t i = 0; base != nullptr && i < values.size(); ++i) values[i] /= (*base)[i];
  return estimate_mean(values);
}

Measured measure_step_model(const StepModelMeasure& measure, const ReproductionSettings& settings) {
  std::vector<double> four_counter;
  std::vector<double> edod;
  std::vector<double> hcda;
  for (std::size_t i = 0; i < trees_of(measure, settings); ++i) {
    const std::uint64_t seed = measure.tree_seeds[i];
    Stream random = task_tree_stream(seed, 0);
    const TaskTree tree = random_task_tree(*task_tree_preset(measure.preset), random);
    const TreeRatios ratios = tree_ratios(measure, tree, seed);
    four_counter.push_back(ratios.four_counter);
    edod.push_back(ratios.edod);
    hcda.push_back(ratios.hcda);
    if (settings.worked) settings.worked(work_of_tree(measure));
  }
  return {.by_detector = {{"four-counter", estimate_mean(four_counter)},
                          {"edod", estimate_mean(edod)},
                          {"hcda", estimate_mean(hcda)}},
          .points = {},
          .trouble = "",
          .interrupted = false};
}

Estimate measure_survival(const SurvivalMeasure& measure, const Cell& cell) {
  const FaultCounts faults = find_fault_counts(measure.faults);
  const SurvivalRow row = cell.fanout ? indep_row(measure.processes, *cell.fanout, faults)
                                      : rel_row(measure.processes, faults);
  if (cell.figure == "survival-percent") return {row.survival_percent, std::nullopt, ""};
  double sum = 0;
  for (const std::int64_t failed : cell.failed) {
    const auto size = std::find_if(row.by_size.begin(), row.by_size.end(),
                                   [&](const SizeSurvival& s) { return s.failed == failed; });
    if (size == row.by_size.end())
      return {std::nullopt, std::nullopt,
              "no fault of size " + std::to_string(failed) + " is recorded"};
    sum +=
        cell.figure == "share-percent" ? share_of(*size, faults.total) : size->failure_probability;
  }
  return {sum, std::nullopt, ""};
}

}  // namespace faultline
