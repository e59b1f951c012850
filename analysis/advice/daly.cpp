// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/daly.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/field_runs.hpp"
#include "sim/core/run_metrics.hpp"

namespace faultline::advice {

namespace {

using runs::RunRecord;

constexpr const char* kIterationTime = "iteration_time_s";
constexpr std::uint32_t kRunsForFaults = 10;
/// A share of an iteration that is a rounding error, and no checkpoint.
constexpr double kNothing = 1e-9;

/// The first runs of all alternatives of a question, by the names of their stacks. None is pruned:
/// with Daly's interval it may keep to what it breaks with that of the scenario.
class FirstRuns {
 public:
  FirstRuns(const Question& question, std::uint32_t runs, std::vector<std::string> metrics,
            store::ResultStore& store, const AdvisorSettings& settings)
      : field_(field_of(question)), runs_(field_, store, settings, std::move(metrics)) {
    std::vector<std::size_t> all(field_.alternatives.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    is_interrupted_ = !runs_.make(all, runs);
  }

  [[nodiscard]] const Field& field() const { return field_; }
  [[nodiscard]] bool is_interrupted() const { return is_interrupted_; }
  [[nodiscard]] double events() const { return runs_.events(); }

  /// The runs of the alternative with this name; null if it is refused.
  [[nodiscard]] const std::vector<RunRecord>* of(const std::string& name) const {
    for (std::size_t i = 0; i < field_.alternatives.size(); ++i)
      if (field_.alternatives[i].name == name) return &runs_.of_all()[i];
    return nullptr;
  }

  /// The same with a value that is tuned, which can be the one that the scenario has.
  [[nodiscard]] const std::vector<RunRecord>* of(const std::string& name,
                                                 const std::string& tuned) const {
    if (const auto* runs = of(name + tuned)) return runs;
    const bool is_refused = std::ranges::any_of(
        field_.refused, [&](const Unraced& one) { return one.name == name + tuned; });
    return is_refused ? nullptr : of(name);
  }

 private:
  Field field_;
  FieldRuns runs_;
  bool is_interrupted_ = false;
};

/// The mean time between the faults that strike in these runs.
std::optional<double> mtbf_s(const std::vector<RunRecord>& runs) {
  double time_s = 0;
  double faults = 0;
  for (const RunRecord& run : runs) {
    time_s += run.number(run_metrics::kEndTime.name).value_or(0);
    faults += run.number(run_metrics::kFaultsStruck.name).value_or(0);
  }
  return faults > 0 && time_s > 0 ? std::optional(time_s / faults) : std::nullopt;
}

std::optional<double> iteration_s(const std::vector<RunRecord>* runs) {
  return runs == nullptr || runs->empty() ? std::nullopt : runs->front().number(kIterationTime);
}

/// The question as it is, with these values of the path alone, or none.
Question with_values(Question question, const std::string& path, json::JsonValue::List values) {
  question.tune.clear();
  if (!values.empty()) question.tune.push_back({.path = path, .values = std::move(values)});
  return question;
}

/// Adds the values of one path.
void resolve(Tuned& tuned, Resolved& resolved, const Question& question, store::ResultStore& store,
             const AdvisorSettings& settings) {
  Question quiet = with_values(question, tuned.path, {1, 2});
  quiet.scenario.set("faults", json::JsonValue::Object{});
  const FirstRuns checkpoints(quiet, 1, {kIterationTime}, store, settings);
  resolved.is_interrupted = checkpoints.is_interrupted();
  if (resolved.is_interrupted) return;
  const FirstRuns faults(with_values(question, tuned.path, {}), kRunsForFaults,
                         {run_metrics::kEndTime.name, run_metrics::kFaultsStruck.name}, store,
                         settings);
  resolved.is_interrupted = faults.is_interrupted();
  resolved.events += checkpoints.events();
  for (const Alternative& one : faults.field().alternatives) {
    const std::string tail = ", " + tuned.path.substr(tuned.path.rfind('.') + 1) + " ";
    const auto after_each = iteration_s(checkpoints.of(one.name, tail + "1"));
    const auto after_other = iteration_s(checkpoints.of(one.name, tail + "2"));
    const std::vector<RunRecord>* runs = faults.of(one.name);
    const auto between_s = runs == nullptr ? std::nullopt : mtbf_s(*runs);
    if (!after_each || !after_other || !between_s) continue;
    const double checkpoint_s = std::max(0.0, 2 * (*after_each - *after_other));
    const double iteration_s = *after_each - checkpoint_s;
    if (iteration_s <= 0 || checkpoint_s <= kNothing * *after_each) continue;
    json::JsonValue::List& values = tuned.of_stack[one.stack];
    for (const std::int64_t iterations :
         iterations_around(daly_interval_s(checkpoint_s, *between_s) / iteration_s))
      values.emplace_back(iterations);
  }
}

}  // namespace

double daly_interval_s(double checkpoint_s, double mtbf_s) {
  if (checkpoint_s >= 2 * mtbf_s) return mtbf_s;
  const double share = checkpoint_s / (2 * mtbf_s);
  return std::sqrt(2 * checkpoint_s * mtbf_s) * (1 + std::sqrt(share) / 3 + share / 9) -
         checkpoint_s;
}

std::vector<std::int64_t> iterations_around(double iterations) {
  constexpr std::array kFactors{0.5, 0.70710678, 1.0, 1.41421356, 2.0};
  std::vector<std::int64_t> around;
  for (const double factor : kFactors) {
    const double near = std::clamp(std::round(iterations * factor), 1.0, 1e15);
    const auto whole = static_cast<std::int64_t>(near);
    if (around.empty() || around.back() != whole) around.push_back(whole);
  }
  return around;
}

Resolved with_daly(const Question& question, store::ResultStore& store,
                   const AdvisorSettings& settings) {
  Resolved resolved{.question = question};
  for (Tuned& tuned : resolved.question.tune) {
    if (!tuned.is_daly) continue;
    resolve(tuned, resolved, question, store, settings);
    if (resolved.is_interrupted) break;
  }
  return resolved;
}

}  // namespace faultline::advice
