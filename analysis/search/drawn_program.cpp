// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/drawn_program.hpp"

#include <string>

#include "analysis/lemmas/fault_schedule.hpp"
#include "analysis/lemmas/workload_options.hpp"
#include "analysis/search/drawn_option.hpp"

namespace faultline::search {

namespace {

/// Draws messages that lead to others with higher numbers, so that no rule applies for ever.
json::JsonValue::List draw_rules(Stream& random, std::uint32_t processes) {
  constexpr std::uint64_t kMostMessages = 12;
  struct Sent {
    std::uint64_t number = 0;
    std::uint64_t to = 0;
  };
  std::vector<Sent> sent;
  const auto actions = [&] {
    std::string text;
    for (std::uint64_t left = random.below(3); left > 0 && sent.size() < kMostMessages; --left) {
      sent.push_back({sent.size(), random.below(processes)});
      text +=
          ", send m" + std::to_string(sent.back().number) + " to " + std::to_string(sent.back().to);
    }
    if (text.empty() || random.chance(0.5))
      text += ", compute work " + json::shortest(draw_spread(random, 1e-6, 1e-2)) + " s";
    return text.substr(2);
  };
  json::JsonValue::List rules;
  for (std::uint64_t starts = 1 + random.below(2); starts > 0; --starts)
    rules.emplace_back(std::to_string(starts - 1) + " at start: " + actions());
  std::size_t next = 0;
  while (next < sent.size()) {  // actions() makes `sent` longer
    const auto message = sent[next++];
    rules.emplace_back(std::to_string(message.to) + " on m" + std::to_string(message.number) +
                       ": " + actions());
  }
  return rules;
}

json::JsonValue::List draw_steps(Stream& random, std::uint32_t processes) {
  lemmas::FaultSchedule schedule;
  schedule.seed = random.next();
  schedule.workload = "try-script";
  schedule.processes = processes;
  schedule.compute_s = draw_spread(random, 1e-6, 1e-2);
  schedule.iterations_per_block = static_cast<std::uint32_t>(1 + random.below(2));
  schedule.has_sums = random.chance(0.7);
  const auto steps =
      std::get<std::vector<std::string>>(lemmas::workload_options(schedule).at("steps"));
  return {steps.begin(), steps.end()};
}

}  // namespace

void draw_program(json::JsonValue& workload, Stream& random, std::uint32_t processes) {
  const std::string name = *workload.find("name")->text();
  if (name == "script") workload.set("rules", draw_rules(random, processes));
  if (name == "try-script") workload.set("steps", draw_steps(random, processes));
}

json::JsonValue draw_mark(const std::vector<const Registration*>& stack, Stream& random) {
  Marks known;
  for (const Registration* component : stack)
    known.insert(known.end(), component->marks.begin(), component->marks.end());
  if (known.empty()) return {};
  const Mark& mark = *known[random.below(known.size())];
  return json::json_object(
      {{"name", mark.name}, {"value", static_cast<std::int64_t>(random.below(8))}});
}

}  // namespace faultline::search
