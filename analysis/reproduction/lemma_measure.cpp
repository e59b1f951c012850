#include "analysis/reproduction/lemma_measure.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "analysis/lemmas/lemma_search.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "analysis/runs/worker_process.hpp"
#include "sim/core/error.hpp"
#include "sim/core/partial_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

namespace {

/// What has been found: counts by "DETECTOR FIGURE", and the first schedule of each.
struct Findings {
  std::map<std::string, std::uint64_t> counts;
  std::map<std::string, std::pair<EngineKind, std::uint64_t>> first;

  void add(const std::string& key, EngineKind engine, std::uint64_t schedule) {
    ++counts[key];
    const auto found = first.emplace(key, std::make_pair(engine, schedule)).first;
    found->second = std::min(found->second, std::make_pair(engine, schedule));
  }
};

/// How many schedules are tried on each engine.
struct Extent {
  std::uint64_t loggp;
  std::uint64_t simgrid;
};

Extent extent_of(const LemmasMeasure& measure, bool quick) {
  if (quick) return {measure.quick_schedules, measure.quick_schedules / 100};
  return {measure.loggp_schedules, measure.simgrid_schedules};
}

/// What a run is found to be, "" if nothing is wrong with it.
std::string found_here(const FaultSchedule& schedule, const Subject& subject, EngineKind engine) {
  return run_lemma(schedule, subject, engine).broken;
}

std::string found_in(const FaultSchedule& schedule, const Subject& subject, EngineKind engine) {
  if (engine == EngineKind::loggp) return found_here(schedule, subject, engine);
  std::string found;
  in_processes(
      1, [&](unsigned, const WriteLine& write) { write(found_here(schedule, subject, engine)); },
      [&](const std::string& line) { found += line; });
  return found;
}

/// Writes a line for what is found, "ENGINE SCHEDULE DETECTOR FIGURE".
void try_one(std::uint64_t number, const LemmaSubject& of, EngineKind engine,
             const WriteLine& write) {
  const std::string found = found_in(draw_schedule(number), of.subject, engine);
  if (found.empty()) return;
  write(std::to_string(static_cast<int>(engine)) + ' ' + std::to_string(number) + ' ' + of.name +
        ' ' + lemma_figure(found));
}

/// A worker's share, every jobs-th schedule. An empty line says that another one has been tried.
void search(const Extent& extent, unsigned worker, unsigned jobs, const WriteLine& write) {
  const auto& subjects = lemma_subjects();
  for (std::uint64_t number = 1 + worker; number <= extent.loggp; number += jobs) {
    for (const LemmaSubject& of : subjects) try_one(number, of, EngineKind::loggp, write);
    write("");
  }
  for (std::uint64_t number = 1 + worker; number <= extent.simgrid; number += jobs) {
    try_one(number, subjects[number % subjects.size()], EngineKind::simgrid, write);
    write("");
  }
}

/// Searches in several processes. Nothing if it is interrupted.
std::optional<Findings> search_in_processes(const Extent& extent,
                                            const ReproductionSettings& settings) {
  const unsigned jobs = std::max(1U, settings.jobs);
  const InterruptGuard guard;
  Findings findings;
  const auto heard = [&](const std::string& line) {
    if (line.empty()) {
      if (settings.worked) settings.worked(1);
      return;
    }
    std::istringstream words(line);
    int engine = 0;
    std::uint64_t schedule = 0;
    std::string key;
    std::getline(words >> engine >> schedule >> std::ws, key);
    findings.add(key, static_cast<EngineKind>(engine), schedule);
  };
  in_processes(
      jobs, [&](unsigned worker, const WriteLine& write) { search(extent, worker, jobs, write); },
      heard);
  if (InterruptGuard::interrupted()) return std::nullopt;
  return findings;
}

void write_file(const std::string& name, const std::string& text) {
  try {
    PartialFile file(name);
    file.append(text);
    file.replace();
  } catch (const std::system_error& error) {
    throw RunError(name + ": cannot be written: " + error.code().message());
  }
}

/// Returns the name of the scenario that replays it.
std::string write_counterexample(const LemmaSubject& of, EngineKind engine, std::uint64_t number) {
  FaultSchedule schedule = draw_schedule(number);
  const std::string figure = lemma_figure(found_in(schedule, of.subject, engine));
  const auto judge = [&](const FaultSchedule& simpler) {
    const std::string broken = found_in(simpler, of.subject, engine);
    return lemma_figure(broken) == figure ? broken : std::string();
  };
  const std::uint64_t seeds = engine == EngineKind::loggp ? 100 : 1;
  const LemmaCounterexample found = shrink({schedule, judge(schedule)}, judge, seeds);
  std::string stem = "counterexample-" + of.name + '-' + figure;
  std::replace(stem.begin(), stem.end(), ' ', '-');
  const ReplayFiles files =
      replay_files(found.schedule, of.subject, engine, found.broken, "./" + stem + "-machine.json");
  write_file(stem + ".json", files.scenario);
  write_file(stem + "-machine.json", files.machine);
  return stem + ".json";
}

}  // namespace

double work_of(const LemmasMeasure& measure, const ReproductionSettings& settings) {
  const Extent extent = extent_of(measure, settings.quick);
  return static_cast<double>(extent.loggp + extent.simgrid);
}

Measured measure_lemmas(const LemmasMeasure& measure, const ReproductionSettings& settings) {
  Measured measured;
  const auto findings = search_in_processes(extent_of(measure, settings.quick), settings);
  measured.interrupted = !findings;
  if (!findings) return measured;
  for (const LemmaSubject& of : lemma_subjects())
    for (const std::string& figure : lemma_figures()) {
      const std::string key = of.name + ' ' + figure;
      Estimate& estimate = measured.by_detector[key];
      estimate.value = 0.0;
      const auto first = findings->first.find(key);
      if (first == findings->first.end()) continue;
      estimate.value = static_cast<double>(findings->counts.at(key));
      const auto& [engine, number] = first->second;
      std::fprintf(stderr, "faultline: %s: see %s\n", key.c_str(),
                   write_counterexample(of, engine, number).c_str());
    }
  return measured;
}

}  // namespace faultline
