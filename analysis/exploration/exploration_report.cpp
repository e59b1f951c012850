// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/exploration_report.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/runs/run_record.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/version.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::exploration {

namespace {

using Verdict = ExplorationResult::Verdict;

json::JsonValue count(std::uint64_t number) { return static_cast<std::int64_t>(number); }

double bytes_per_state(const ExplorationResult& result) {
  if (result.states == 0) return 0.0;
  return std::round(static_cast<double>(result.stored_B) / static_cast<double>(result.states));
}

double states_per_s(const ExplorationResult& result) {
  return result.wall_s > 0.0 ? std::round(static_cast<double>(result.states) / result.wall_s) : 0.0;
}

/// States beyond unexpanded states have never been seen, so the true share can only be smaller.
double share_at_most(const ExplorationResult& result) {
  if (result.verdict == Verdict::exhausted || result.states == 0) return 1.0;
  return static_cast<double>(result.expanded) / static_cast<double>(result.states);
}

template <class Choice>
std::string word_of(Choice choice, const std::vector<std::string>& words) {
  return words.at(static_cast<std::size_t>(choice));
}

json::JsonValue words_json(const std::vector<std::string>& words) {
  json::JsonValue::List list;
  list.reserve(words.size());
  for (const std::string& word : words) list.emplace_back(word);
  return list;
}

json::JsonValue victims_json(const ExplorationRequest& request) {
  if (request.victims.empty()) return {};
  json::JsonValue::List list;
  list.reserve(request.victims.size());
  for (const ActorId victim : request.victims) list.emplace_back(std::int64_t{victim});
  return list;
}

json::JsonValue exchanged_json(const ExplorationResult& result) {
  json::JsonValue::List lists;
  lists.reserve(result.exchanged.size());
  for (const std::vector<Rank>& alike : result.exchanged) {
    json::JsonValue::List ranks;
    ranks.reserve(alike.size());
    for (const Rank rank : alike) ranks.emplace_back(std::int64_t{rank});
    lists.emplace_back(std::move(ranks));
  }
  return lists;
}

/// Ranks that are alike: "1, 2; 4, 5".
std::string exchanged_words(const ExplorationResult& result) {
  std::string words;
  for (const std::vector<Rank>& alike : result.exchanged)
    for (const Rank rank : alike) {
      if (!words.empty()) words += rank == alike.front() ? "; " : ", ";
      words += std::to_string(rank);
    }
  return words;
}

std::string verdict_words(const ExplorationReport& report) {
  const ExplorationResult& result = report.result;
  switch (result.verdict) {
    case Verdict::exhausted:
      if (report.request.goal)
        return "exhausted: all states were seen, and none is " + report.request.goal->name;
      if (!result.progress_checked)
        return "exhausted: all states were seen, and no promise is broken";
      return std::string(
                 "exhausted: all states were seen, no promise is broken, and an end can be reached "
                 "from each") +
             (result.fairness_checked ? " and is reached by every fair run" : "");
    case Verdict::reached:
      return "reached: " + report.request.goal->name;
    case Verdict::violated:
      return "violated: " + result.refutation->violations.front().kind;
    case Verdict::bounded:
      return std::string("bounded: ") +
             (report.request.goal ? "the goal was not found" : "no promise was found broken") +
             " before the limit (" + search_limit_word(result.limit) + ")";
  }
  return "";
}

}  // namespace

const char* crash_word(CrashPlaces crash) {
  switch (crash) {
    case CrashPlaces::anywhere:
      return "anywhere";
    case CrashPlaces::between_events:
      return "between-events";
    case CrashPlaces::calm:
      return "calm";
    case CrashPlaces::calm_together:
      return "calm-together";
    case CrashPlaces::none:
      return "none";
  }
  return "";
}

namespace {

constexpr CrashPlaces kCrashPlaces[] = {CrashPlaces::anywhere, CrashPlaces::between_events,
                                        CrashPlaces::calm, CrashPlaces::calm_together,
                                        CrashPlaces::none};

}  // namespace

std::vector<std::string> crash_words() {
  std::vector<std::string> words;
  for (const CrashPlaces places : kCrashPlaces) words.emplace_back(crash_word(places));
  return words;
}

CrashPlaces crash_named(const std::string& word) {
  return *std::find_if(std::begin(kCrashPlaces), std::end(kCrashPlaces),
                       [&](CrashPlaces places) { return word == crash_word(places); });
}

std::vector<std::string> search_words() { return {"breadth", "depth", "random"}; }

std::vector<std::string> timers_words() { return {"any", "patient"}; }

std::vector<std::string> departures_words() { return {"at-once", "any"}; }

std::vector<std::string> alike_words() { return {"kept", "exchanged"}; }

std::string exploration_table(const ExplorationReport& report, std::size_t width) {
  const ExplorationResult& result = report.result;
  text::TextTable table{.columns = {{"", text::Align::left}, {"", text::Align::right}}, .rows = {}};
  const auto row = [&](const char* name, const std::string& value) {
    table.rows.push_back({name, value});
  };
  row("states", std::to_string(result.states));
  if (!result.exchanged.empty()) row("ranks exchanged", exchanged_words(result));
  if (result.verdict == Verdict::bounded) {
    row("expanded", std::to_string(result.expanded));
    row("share explored, at most", text::fixed(share_at_most(result), 3));
  }
  if (report.request.prune) row("pruned", std::to_string(result.pruned));
  row("transitions", std::to_string(result.transitions));
  row("depth", std::to_string(result.depth));
  row("largest queue", std::to_string(result.largest_queue));
  for (const auto& [outcome, states] : result.ends)
    row(("ends as " + outcome).c_str(), std::to_string(states));
  row("states/s", text::fixed(states_per_s(result), 0));
  row("bytes/state", text::fixed(bytes_per_state(result), 0));
  std::string text = text::wrapped(shortened(report.scenario.name), width) +
                     text::wrapped(verdict_words(report), width) + text::render(table, width);
  const Refutation* found = found_by(result);
  if (found == nullptr) return text;
  for (const audit::Violation& violation : found->violations)
    text += "\n" + text::wrapped(violation.kind + ": " + violation.detail, width);
  text += "\n" + std::string("the run to it:\n");
  for (std::size_t step = 0; step < report.told->words.size(); ++step) {
    std::string line = std::to_string(step);
    line.append(". ").append(report.told->words[step]);
    text += text::wrapped(line, width);
  }
  return text;
}

std::string exploration_json(const ExplorationReport& report) {
  const ExplorationResult& result = report.result;
  const ExplorationRequest& request = report.request;
  json::JsonValue ends = json::JsonValue::Object{};
  for (const auto& [outcome, states] : result.ends) ends.set(outcome, count(states));
  json::JsonValue json = json::json_object(
      {{"faultline_version", std::string(version())},
       {"scenario", report.scenario.name},
       {"scenario_hash", report.scenario.hash},
       {"seed", count(request.seed)},
       {"faults", std::int64_t{request.faults}},
       {"crash", crash_word(request.crash)},
       {"victims", victims_json(request)},
       {"in_order", request.in_order},
       {"histories", request.histories},
       {"timers", word_of(request.timers, timers_words())},
       {"message_time_s", request.message_s},
       {"losses", std::int64_t{request.losses}},
       {"stalls", std::int64_t{request.stalls}},
       {"stall_time_s", request.stall_s},
       {"departures", word_of(request.departures, departures_words())},
       {"goal", request.goal ? json::JsonValue(request.goal->name) : json::JsonValue()},
       {"prune",
        request.prune ? json::JsonValue(request.prune->property->name) : json::JsonValue()},
       {"search", word_of(request.search, search_words())},
       {"alike", word_of(request.alike, alike_words())},
       {"verdict", verdict_word(result.verdict)},
       {"limit",
        result.limit == SearchLimit::none ? json::JsonValue() : search_limit_word(result.limit)},
       {"states", count(result.states)},
       {"expanded", count(result.expanded)},
       {"share_at_most", share_at_most(result)},
       {"pruned", count(result.pruned)},
       {"transitions", count(result.transitions)},
       {"depth", std::int64_t{result.depth}},
       {"largest_queue", count(result.largest_queue)},
       {"exchanged", exchanged_json(result)},
       {"ends", std::move(ends)},
       {"progress_checked", result.progress_checked},
       {"fairness_checked", result.fairness_checked},
       {"states_per_s", json::json_number(states_per_s(result))},
       {"bytes_per_state", json::json_number(bytes_per_state(result))}});
  const Refutation* found = found_by(result);
  json.set("violations",
           found != nullptr ? runs::violations_json(found->violations) : json::JsonValue::List{});
  json.set("steps", report.told ? words_json(report.told->words) : json::JsonValue());
  json.set("counterexample", report.counterexample ? *report.counterexample : json::JsonValue());
  return json::to_json(json, 2) + "\n";
}

}  // namespace faultline::exploration
