// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/search.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "analysis/runs/progress.hpp"
#include "analysis/runs/worker_pool.hpp"
#include "analysis/search/aimed_faults.hpp"
#include "analysis/search/option_places.hpp"
#include "analysis/search/shrunk_scenario.hpp"
#include "sim/core/interrupt.hpp"
#include "sim/core/registry.hpp"
#include "sim/json/json_reader.hpp"

namespace faultline::search {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A scenario that has been drawn, and what came of it.
struct Judged {
  json::JsonValue scenario;
  Judgement judgement;
};

/// Whether a scenario has each of disturbances().
std::vector<std::string> disturbances_of(const json::JsonValue& scenario) {
  std::vector<std::string> words;
  const auto has = [](const json::JsonValue* object, const char* key) {
    return object != nullptr && object->find(key) != nullptr;
  };
  const json::JsonValue* const platform = scenario.find("platform");
  const json::JsonValue* const faults = scenario.find("faults");
  const json::JsonValue* const at = faults == nullptr ? nullptr : faults->find("at");
  const auto any_at = [&](const std::function<bool(const json::JsonValue&)>& is) {
    return at != nullptr && at->list() != nullptr && std::ranges::any_of(*at->list(), is);
  };
  const auto kills = [&](const char* victims) {
    return any_at([&](const json::JsonValue& fault) {
      return has(&fault, victims) && !has(&fault, "soft") && !has(&fault, "stall_s");
    });
  };
  const auto add = [&](bool is, const char* word) {
    if (is) words.emplace_back(word);
  };
  add(kills("ranks"), "ranks");
  add(kills("nodes"), "nodes");
  add(kills("daemons"), "daem.");
  const auto any_source = [&] {
    return std::ranges::any_of(*faults->object(), [](const json::JsonMember& kind) {
      return kind.key != "at" && kind.key != "partition" && kind.key != "slow";
    });
  };
  add(faults != nullptr && any_source(), "laws");
  add(any_at([&](const json::JsonValue& fault) { return has(&fault, "stall_s"); }), "stall");
  add(any_at([&](const json::JsonValue& fault) { return has(&fault, "soft"); }), "soft");
  add(has(faults, "partition"), "cut");
  add(has(faults, "slow"), "slow");
  add(has(platform, "delay_noise"), "delay");
  add(has(platform, "os_noise"), "os");
  add(has(platform, "detection_loss_probability"), "loss");
  return words;
}

/// The protocols of a scenario, by which findings are told apart.
std::string stack_of(const json::JsonValue& scenario) {
  std::string stack;
  for (const StackPlace& place : kStack)
    if (const json::JsonValue* component = scenario.find(place.key))
      stack += (stack.empty() ? "" : "/") + *component->find("name")->text();
  return stack;
}

class Search {
 public:
  explicit Search(const SearchSettings& settings)
      : settings_(settings), progress_(settings.progress) {}

  SearchResult take() {
    const InterruptGuard guard;
    const Clock::time_point begin = Clock::now();
    runs::WorkerPool pool(
        {.jobs = settings_.jobs,
         .tasks = settings_.scenarios,
         .lines_of_task = 2,
         .patience_s = kPatience_s,
         .worker = {.memory_limit_B = kMemory_B, .keep_log = true}},
        [&](std::uint64_t task, const runs::WriteLine& write) {
          const json::JsonValue scenario = aimed_scenario(settings_.first + task);
          write(json::to_json(scenario));
          write(json::to_json(judgement_json(judged(scenario, settings_.judging))));
        },
        [&](std::uint64_t task, const runs::TaskEnd& end) {
          count(settings_.first + task, judged_of(settings_.first + task, end));
          ++result_.scenarios;
        });
    pool.run([&] {
      if (progress_.due()) progress_.tell(words());
      return settings_.seconds && seconds_since(begin) > *settings_.seconds;
    });
    result_.interrupted = InterruptGuard::interrupted();
    shrink_found();
    progress_.finish();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string words() const {
    return std::to_string(result_.scenarios) + " scenarios, " + std::to_string(result_.runs) +
           " runs, " + std::to_string(result_.found.size()) + " found";
  }

  /// A worker writes two lines of a scenario: the scenario, when it is drawn, and the judgement. It
  /// may have ended before it wrote either.
  [[nodiscard]] static Judged judged_of(std::uint64_t number, const runs::TaskEnd& end) {
    json::Problems problems("judgement");
    Judged judged;
    judged.scenario =
        end.lines.empty() ? scenario_aimed_at(number) : json::parse_json(end.lines[0], problems);
    if (end.lines.size() == 2)
      judged.judgement = read_judgement(json::parse_json(end.lines[1], problems));
    else
      judged.judgement.finding = crash(end.failure);
    return judged;
  }

  void count(std::uint64_t number, const Judged& judged) {
    const Judgement& judgement = judged.judgement;
    if (!judgement.refused.empty()) {
      ++result_.refused[judgement.refused];
      return;
    }
    const json::JsonValue& scenario = judged.scenario;
    ++result_.runs;
    result_.may_die += judgement.may_die ? 1 : 0;
    result_.struck += judgement.struck ? 1 : 0;
    result_.struck_amid += judgement.struck_amid ? 1 : 0;
    result_.explored += judgement.explored ? 1 : 0;
    result_.by_membership += judgement.by_membership ? 1 : 0;
    ++result_.outcomes[judgement.outcome.empty() ? "none" : judgement.outcome];
    ++result_.machines[*scenario.find("platform")->find("machine")->text()];
    for (const std::string& place : stated_options(scenario)) ++result_.options[place];
    const std::vector<std::string> under = disturbances_of(scenario);
    for (const StackPlace& place : kStack) {
      const json::JsonValue* const component = scenario.find(place.key);
      if (component == nullptr) continue;
      ComponentTally& tally =
          result_.components[std::string(place.key) + "." + *component->find("name")->text()];
      ++tally.runs;
      for (const std::string& word : under) ++tally.under[word];
    }
    if (!judgement.finding) return;
    if (judgement.as_printed && !settings_.judging.as_printed)
      ++result_.as_printed;
    else
      found(number, scenario, *judgement.finding);
  }

  void found(std::uint64_t number, const json::JsonValue& scenario, const Finding& finding) {
    const auto [place, is_new] =
        by_kind_.emplace(finding.kind + " " + stack_of(scenario), result_.found.size());
    if (is_new) {
      FoundKind& first = result_.found.emplace_back();
      first.finding = finding;
      first.scenario = scenario;
    }
    FoundKind& kind = result_.found[place->second];
    ++kind.times;
    if (kind.numbers.size() < kMostNumbers) kind.numbers.push_back(number);
  }

  void shrink_found() {
    std::uint64_t shrunk_kinds = 0;
    for (FoundKind& kind : result_.found) {
      if (InterruptGuard::interrupted() || shrunk_kinds++ >= settings_.most_shrunk) return;
      if (progress_.style() != runs::ProgressStyle::none)
        progress_.tell("shrinking " + std::to_string(shrunk_kinds) + " of " +
                       std::to_string(result_.found.size()) + " found");
      shrink(kind);
    }
  }

  void shrink(FoundKind& kind) {
    JudgeSettings judging = settings_.judging;
    const std::string& word = kind.finding.kind;
    judging.repeats = word == "not deterministic";
    judging.compares = word == "engines differ";
    judging.explored_each = word.starts_with("explored") ? 1 : 0;
    std::string last = kind.finding.text;
    const bool by_design = judging.as_printed;
    Shrunk result = shrunk(
        kind.scenario, word,
        [&](const json::JsonValue& scenario) -> std::string {
          const Judgement judgement = judged_apart(scenario, judging);
          if (!judgement.finding || (judgement.as_printed && !by_design)) return {};
          if (judgement.finding->kind == word) last = judgement.finding->text;
          return judgement.finding->kind;
        },
        settings_.shrinking_tries);
    kind.scenario = std::move(result.scenario);
    kind.finding.text = last;
    kind.is_shrunk = true;
  }

  const SearchSettings& settings_;
  runs::ProgressTeller progress_;
  std::map<std::string, std::size_t> by_kind_;
  SearchResult result_;
};

}  // namespace

const std::vector<std::string>& disturbances() {
  static const std::vector<std::string> words = {"ranks", "nodes", "daem.", "laws", "stall", "soft",
                                                 "cut",   "slow",  "delay", "os",   "loss"};
  return words;
}

SearchResult search(const SearchSettings& settings) { return Search(settings).take(); }

}  // namespace faultline::search
