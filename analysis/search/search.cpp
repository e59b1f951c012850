// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/search.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "analysis/runs/progress.hpp"
#include "analysis/runs/worker_process.hpp"
#include "analysis/search/aimed_faults.hpp"
#include "analysis/search/drawn_scenario.hpp"
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
  JsonValue scenario;
  Judgement judgement;
};

/// A worker draws and judges every n-th scenario, and writes two lines for each: the scenario, when
/// it is drawn, and the judgement.
struct Worker {
  WorkerProcess process;
  std::uint64_t next = 0;               ///< the scenario whose lines come next
  std::optional<JsonValue> drawn = {};  ///< if its first line has come
  Clock::time_point heard;
};

/// Whether a scenario has each of disturbances().
std::vector<std::string> disturbances_of(const JsonValue& scenario) {
  std::vector<std::string> words;
  const auto has = [](const JsonValue* object, const char* key) {
    return object != nullptr && object->find(key) != nullptr;
  };
  const JsonValue* const platform = scenario.find("platform");
  const JsonValue* const faults = scenario.find("faults");
  const JsonValue* const at = faults == nullptr ? nullptr : faults->find("at");
  const auto any_at = [&](const std::function<bool(const JsonValue&)>& is) {
    return at != nullptr && at->list() != nullptr && std::ranges::any_of(*at->list(), is);
  };
  const auto kills = [&](const char* victims) {
    return any_at([&](const JsonValue& fault) {
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
    return std::ranges::any_of(*faults->object(), [](const JsonMember& kind) {
      return kind.key != "at" && kind.key != "partition" && kind.key != "slow";
    });
  };
  add(faults != nullptr && any_source(), "laws");
  add(any_at([&](const JsonValue& fault) { return has(&fault, "stall_s"); }), "stall");
  add(any_at([&](const JsonValue& fault) { return has(&fault, "soft"); }), "soft");
  add(has(faults, "partition"), "cut");
  add(has(faults, "slow"), "slow");
  add(has(platform, "delay_noise"), "delay");
  add(has(platform, "os_noise"), "os");
  add(has(platform, "detection_loss_probability"), "loss");
  return words;
}

/// The protocols of a scenario, by which findings are told apart.
std::string stack_of(const JsonValue& scenario) {
  std::string stack;
  for (const StackPlace& place : kStack)
    if (const JsonValue* component = scenario.find(place.key))
      stack += (stack.empty() ? "" : "/") + *component->find("name")->text();
  return stack;
}

class Search {
 public:
  explicit Search(const SearchSettings& settings)
      : settings_(settings), progress_(settings.progress), workers_(std::max(1U, settings.jobs)) {}

  SearchResult take() {
    const InterruptGuard guard;
    const Clock::time_point begin = Clock::now();
    for (std::size_t i = 0; i < workers_.size(); ++i) launch(workers_[i], settings_.first + i);
    while (!is_over(begin)) {
      wait_for_news();
      if (progress_.due()) progress_.tell(words());
    }
    for (Worker& worker : workers_) worker.process.kill();
    result_.interrupted = InterruptGuard::interrupted();
    shrink_found();
    progress_.finish();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_over(Clock::time_point begin) const {
    const bool out_of_time = settings_.seconds && seconds_since(begin) > *settings_.seconds;
    return InterruptGuard::interrupted() || out_of_time ||
           std::ranges::none_of(workers_,
                                [](const Worker& worker) { return worker.process.running(); });
  }
  [[nodiscard]] std::string words() const {
    return std::to_string(result_.scenarios) + " scenarios, " + std::to_string(result_.runs) +
           " runs, " + std::to_string(result_.found.size()) + " found";
  }
  [[nodiscard]] bool is_left(std::uint64_t number) const {
    return !settings_.scenarios || number - settings_.first < *settings_.scenarios;
  }

  void launch(Worker& worker, std::uint64_t first) {
    if (!is_left(first)) return;
    worker.next = first;
    worker.drawn.reset();
    worker.heard = Clock::now();
    worker.process.start(
        [&](const WriteLine& write) {
          for (std::uint64_t number = first; is_left(number); number += workers_.size()) {
            const JsonValue scenario = aimed_scenario(number);
            write(to_json(scenario));
            write(to_json(judgement_json(judged(scenario, settings_.judging))));
          }
        },
        {.memory_limit_B = kMemory_B, .keep_log = true});
  }

  void wait_for_news() {
    constexpr int kPatience_ms = 200;
    constexpr std::uint64_t kAhead = 4096;  // so few judgements wait for their turn
    std::vector<WorkerProcess*> processes;
    std::vector<Worker*> listened_to;
    for (Worker& worker : workers_) {
      if (worker.next >= settings_.first + result_.scenarios + kAhead) continue;
      processes.push_back(&worker.process);
      listened_to.push_back(&worker);
    }
    wait_for_workers(
        processes, [&](std::size_t i) { read_news(*listened_to[i]); }, kPatience_ms);
    for (Worker* worker : listened_to)
      if (worker->process.running() && seconds_since(worker->heard) > kPatience_s) {
        worker->process.kill();
        lost(*worker, "took too long");
      }
  }

  void read_news(Worker& worker) {
    bool ended = false;
    for (const std::string& line : worker.process.read_lines(ended)) {
      Problems problems("judgement");
      JsonValue read = parse_json(line, problems);
      if (worker.drawn)
        take(worker, read_judgement(read));
      else
        worker.drawn = std::move(read);
    }
    if (!ended) return;
    const std::string why = worker.process.finish();
    if (is_left(worker.next)) lost(worker, why);
  }

  /// The worker has ended in the scenario whose judgement is missing, perhaps while it was drawn.
  void lost(Worker& worker, const std::string& why) {
    if (!worker.drawn) worker.drawn = scenario_aimed_at(worker.next);
    Judgement judgement;
    judgement.finding = crash(why);
    take(worker, std::move(judgement));
    launch(worker, worker.next);
  }

  void take(Worker& worker, Judgement judgement) {
    waiting_.emplace(worker.next, Judged{std::move(*worker.drawn), std::move(judgement)});
    worker.drawn.reset();
    worker.next += workers_.size();
    worker.heard = Clock::now();
    while (!waiting_.empty() && waiting_.begin()->first == settings_.first + result_.scenarios) {
      count(waiting_.begin()->first, waiting_.begin()->second);
      ++result_.scenarios;
      waiting_.erase(waiting_.begin());
    }
  }

  void count(std::uint64_t number, const Judged& judged) {
    const Judgement& judgement = judged.judgement;
    if (!judgement.refused.empty()) {
      ++result_.refused[judgement.refused];
      return;
    }
    const JsonValue& scenario = judged.scenario;
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
      const JsonValue* const component = scenario.find(place.key);
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

  void found(std::uint64_t number, const JsonValue& scenario, const Finding& finding) {
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
      if (progress_.style() != ProgressStyle::none)
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
        [&](const JsonValue& scenario) -> std::string {
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
  ProgressTeller progress_;
  std::vector<Worker> workers_;
  std::map<std::uint64_t, Judged> waiting_;  ///< those that wait for earlier ones
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
