// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/lemma_measure.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "analysis/lemmas/lemma_search.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "analysis/runs/worker_process.hpp"
#include "sim/core/error.hpp"
#include "sim/core/partial_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::reproduction {

namespace {

/// The counted promise: a figure of the subject with this index in lemma_subjects(family).
using Counted = std::pair<std::size_t, lemmas::LemmaFigure>;

/// The first schedule in which something was found, and the engine that ran it.
using FirstFound = std::pair<scenario::EngineKind, std::uint64_t>;

/// How often something was found, and where first.
struct Findings {
  std::map<Counted, std::uint64_t> counts;
  std::map<Counted, FirstFound> first;

  void add(const Counted& counted, const FirstFound& place) {
    ++counts[counted];
    const auto found = first.emplace(counted, place).first;
    found->second = std::min(found->second, place);
  }
};

/// The number of schedules to try on each engine.
struct Extent {
  std::uint64_t loggp;
  std::uint64_t simgrid;
};

Extent extent_of(const LemmasMeasure& measure, bool quick) {
  if (quick) return {measure.quick_schedules, measure.quick_simgrid_schedules};
  return {measure.loggp_schedules, measure.simgrid_schedules};
}

using Broken = std::optional<lemmas::BrokenPromise>;

/// Runs one schedule and returns what was found. A run on simgrid has its own process, which sends
/// "FIGURE TEXT" if it finds something.
Broken found_in(const lemmas::FaultSchedule& schedule, const lemmas::ProtocolStack& stack,
                scenario::EngineKind engine) {
  if (engine == scenario::EngineKind::loggp)
    return lemmas::run_lemma(schedule, stack, engine).broken;
  Broken found;
  runs::in_processes(
      1,
      [&](unsigned, const runs::WriteLine& write) {
        const Broken broken = lemmas::run_lemma(schedule, stack, engine).broken;
        if (broken) write(std::to_string(static_cast<int>(broken->figure)) + ' ' + broken->text);
      },
      [&](const std::string& line) {
        std::istringstream words(line);
        int figure = 0;
        std::string text;
        std::getline(words >> figure >> std::ws, text);
        found = lemmas::BrokenPromise{static_cast<lemmas::LemmaFigure>(figure), text};
      });
  return found;
}

/// Runs one schedule of subjects[subject]. If something is found, writes the line "ENGINE SCHEDULE
/// SUBJECT FIGURE", in numbers.
void try_one(std::uint64_t number, const std::vector<lemmas::LemmaSubject>& subjects,
             std::size_t subject, scenario::EngineKind engine, const runs::WriteLine& write) {
  const lemmas::LemmaSubject& tried = subjects[subject];
  const Broken found = found_in(tried.draw(number), tried.stack, engine);
  if (!found) return;
  std::ostringstream line;
  line << static_cast<int>(engine) << ' ' << number << ' ' << subject << ' '
       << static_cast<int>(found->figure);
  write(line.str());
}

/// Tries one worker's share, which is every jobs-th schedule. Writes an empty line after each.
void search(Family family, const Extent& extent, unsigned worker, unsigned jobs,
            const runs::WriteLine& write) {
  const auto& subjects = lemmas::lemma_subjects(family);
  for (std::uint64_t number = 1 + worker; number <= extent.loggp; number += jobs) {
    for (std::size_t subject = 0; subject < subjects.size(); ++subject)
      try_one(number, subjects, subject, scenario::EngineKind::loggp, write);
    write("");
  }
  for (std::uint64_t number = 1 + worker; number <= extent.simgrid; number += jobs) {
    try_one(number, subjects, number % subjects.size(), scenario::EngineKind::simgrid, write);
    write("");
  }
}

/// Searches in several processes. Returns nothing if it is interrupted.
std::optional<Findings> search_in_processes(Family family, const Extent& extent,
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
    std::size_t subject = 0;
    int figure = 0;
    words >> engine >> schedule >> subject >> figure;
    findings.add({subject, static_cast<lemmas::LemmaFigure>(figure)},
                 {static_cast<scenario::EngineKind>(engine), schedule});
  };
  runs::in_processes(
      jobs,
      [&](unsigned worker, const runs::WriteLine& write) {
        search(family, extent, worker, jobs, write);
      },
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

/// Shrinks a counterexample and writes it. Returns the name of the scenario that replays it.
std::string write_counterexample(const lemmas::LemmaSubject& subject, const Counted& counted,
                                 const FirstFound& place) {
  const lemmas::LemmaFigure figure = counted.second;
  const scenario::EngineKind engine = place.first;
  const lemmas::Judge judge = [&](const lemmas::FaultSchedule& simpler) -> Broken {
    Broken broken = found_in(simpler, subject.stack, engine);
    return broken && broken->figure == figure ? broken : std::nullopt;
  };
  const lemmas::FaultSchedule schedule = subject.draw(place.second);
  const std::uint64_t seeds = engine == scenario::EngineKind::loggp ? 100 : 1;
  const lemmas::LemmaCounterexample found = lemmas::shrink(
      {schedule, judge(schedule).value_or(lemmas::BrokenPromise{figure, ""})}, judge, seeds);
  std::string stem = "counterexample-" + subject.name + '-' + lemmas::lemma_figure_word(figure);
  std::replace(stem.begin(), stem.end(), ' ', '-');
  const lemmas::ReplayFiles files = lemmas::replay_files(
      found.schedule, subject.stack, engine, found.broken.text, "./" + stem + "-machine.json");
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
  const auto findings =
      search_in_processes(measure.family, extent_of(measure, settings.quick), settings);
  measured.interrupted = !findings;
  if (!findings) return measured;
  const auto& subjects = lemmas::lemma_subjects(measure.family);
  for (std::size_t subject = 0; subject < subjects.size(); ++subject)
    for (const lemmas::LemmaFigure figure : lemmas::lemma_figures(measure.family)) {
      const std::string word = lemmas::lemma_figure_word(figure);
      statistics::Estimate& estimate =
          measured.estimates[{measure.family, subjects[subject].name, word}];
      estimate.value = 0.0;
      const Counted counted(subject, figure);
      const auto first = findings->first.find(counted);
      if (first == findings->first.end()) continue;
      estimate.value = static_cast<double>(findings->counts.at(counted));
      std::fprintf(stderr, "faultline: %s %s: see %s\n", subjects[subject].name.c_str(),
                   word.c_str(),
                   write_counterexample(subjects[subject], counted, first->second).c_str());
    }
  return measured;
}

}  // namespace faultline::reproduction
