#include "analysis/reproduction_lemmas.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "analysis/worker_process.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

namespace {

/// The figure that counts a broken promise: its first word tells.
std::string figure_of(const std::string& broken) {
  for (const char* figure : {"premature", "hung", "given up"})
    if (broken.rfind(figure, 0) == 0) return figure;
  return broken.rfind("terminated", 0) == 0 ? "not given up" : "other";
}

/// What one worker has found: counts by "DETECTOR FIGURE", and the first schedule of each.
struct Findings {
  std::map<std::string, std::uint64_t> counts;
  std::map<std::string, std::pair<EngineKind, std::uint64_t>> first;

  void add(const std::string& key, EngineKind engine, std::uint64_t schedule, std::uint64_t count) {
    counts[key] += count;
    const auto found = first.emplace(key, std::make_pair(engine, schedule)).first;
    found->second = std::min(found->second, std::make_pair(engine, schedule));
  }
};

std::string to_text(const Findings& findings) {
  std::ostringstream text;
  for (const auto& [key, count] : findings.counts) {
    const auto& [engine, schedule] = findings.first.at(key);
    text << key << '\n' << static_cast<int>(engine) << ' ' << schedule << ' ' << count << '\n';
  }
  return text.str();
}

void add_from(std::istream&& text, Findings& findings) {
  for (std::string key; std::getline(text, key);) {
    int engine = 0;
    std::uint64_t schedule = 0;
    std::uint64_t count = 0;
    text >> engine >> schedule >> count;
    text.ignore();
    findings.add(key, static_cast<EngineKind>(engine), schedule, count);
  }
}

std::string broken_in(const FaultSchedule& schedule, const Subject& subject, EngineKind engine) {
  const auto run = [&](unsigned) { return run_lemma(schedule, subject, engine).broken; };
  return engine == EngineKind::loggp ? run(0) : in_processes(1, run).front();
}

void try_one(std::uint64_t number, const LemmaSubject& of, EngineKind engine, Findings& findings) {
  const std::string broken = broken_in(draw_schedule(number), of.subject, engine);
  if (!broken.empty()) findings.add(of.name + ' ' + figure_of(broken), engine, number, 1);
}

/// A worker's share: every jobs-th schedule.
std::string search(const LemmasMeasure& measure, bool quick, unsigned worker, unsigned jobs) {
  const auto& subjects = lemma_subjects();
  Findings findings;
  const std::uint64_t loggp = quick ? measure.quick_schedules : measure.loggp_schedules;
  for (std::uint64_t number = 1 + worker; number <= loggp; number += jobs)
    for (const LemmaSubject& of : subjects) try_one(number, of, EngineKind::loggp, findings);
  const std::uint64_t simgrid = quick ? measure.quick_schedules / 100 : measure.simgrid_schedules;
  for (std::uint64_t number = 1 + worker; number <= simgrid; number += jobs)
    try_one(number, subjects[number % subjects.size()], EngineKind::simgrid, findings);
  return to_text(findings);
}

/// Returns the name of the scenario that replays it.
std::string write_counterexample(const LemmaSubject& of, EngineKind engine, std::uint64_t number) {
  FaultSchedule schedule = draw_schedule(number);
  const std::string figure = figure_of(broken_in(schedule, of.subject, engine));
  const auto judge = [&](const FaultSchedule& simpler) {
    const std::string broken = broken_in(simpler, of.subject, engine);
    return figure_of(broken) == figure ? broken : std::string();
  };
  const std::uint64_t seeds = engine == EngineKind::loggp ? 100 : 1;
  const LemmaCounterexample found = shrink({schedule, judge(schedule)}, judge, seeds);
  std::string stem = "counterexample-" + of.name;
  std::replace(stem.begin(), stem.end(), ' ', '-');
  const ReplayFiles files =
      replay_files(found.schedule, of.subject, engine, found.broken, "./" + stem + "-machine.json");
  std::ofstream(stem + ".json") << files.scenario;
  std::ofstream(stem + "-machine.json") << files.machine;
  return stem + ".json";
}

}  // namespace

const std::vector<LemmaSubject>& lemma_subjects() {
  const OptionValues late{{"exterior_signal", std::string("at-disengagement")}};
  static const std::vector<LemmaSubject> subjects{
      {"indep", {"indep"}},
      {"rel-lazy", {"rel-lazy"}},
      {"rel-lazy fallback", {"rel-lazy", {{"adopted_child_fails", std::string("fallback")}}}},
      {"rel-lazy late", {"rel-lazy", late}},
      {"rel-eager", {"rel-eager"}},
      {"rel-eager late", {"rel-eager", late}}};
  return subjects;
}

const std::vector<std::string>& lemma_figures() {
  static const std::vector<std::string> figures{"premature", "hung", "given up", "not given up",
                                                "other"};
  return figures;
}

Measured measure_lemmas(const LemmasMeasure& measure, const ReproductionSettings& settings) {
  const unsigned jobs = std::max(1U, settings.jobs);
  Findings findings;
  for (const std::string& found : in_processes(
           jobs, [&](unsigned worker) { return search(measure, settings.quick, worker, jobs); }))
    add_from(std::istringstream(found), findings);
  Measured measured;
  for (const LemmaSubject& of : lemma_subjects())
    for (const std::string& figure : lemma_figures()) {
      const std::string key = of.name + ' ' + figure;
      Estimate& estimate = measured.by_detector[key];
      estimate.value = static_cast<double>(findings.counts[key]);
      const auto first = findings.first.find(key);
      if (first == findings.first.end()) continue;
      const auto& [engine, number] = first->second;
      std::fprintf(stderr, "faultline: %s: see %s\n", key.c_str(),
                   write_counterexample(of, engine, number).c_str());
    }
  return measured;
}

}  // namespace faultline
