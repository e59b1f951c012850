// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/crossovers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/daly.hpp"
#include "analysis/advice/pruning.hpp"
#include "analysis/advice/ranking.hpp"
#include "sim/core/error.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/overrides.hpp"

namespace faultline::advice {

namespace {

constexpr std::size_t kFirstValues = 6;
constexpr double kCloseEnough = 1.25;

/// What a race at one value has found.
struct At {
  double value = 0;
  std::string best;                          ///< the stack that leads; "" if none is fit
  std::vector<std::string> good;             ///< the stacks that are not shown to be worse than it
  std::vector<std::optional<double>> means;  ///< of the objective, by alternative
};

Question question_at(const Question& question, const PathRange& along, double value) {
  Question there = question;
  json::Problems problems(question.file);
  scenario::apply_set(there.scenario,
                      along.path + "=" + json::to_json(value_in(along.range, value)), problems);
  problems.throw_if_any();
  return there;
}

/// Can any alternative run the job at that value?
bool can_be_raced(const Question& question, const PathRange& along, double value) {
  try {
    field_of(question_at(question, along, value));
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

std::vector<std::string> jobs_at(const Question& question, const PathRange& along, double value) {
  std::vector<std::string> hashes;
  for (const scenario::StudyPoint& point :
       field_of(question_at(question, along, value)).study.points)
    hashes.push_back(point.hash);
  return hashes;
}

/// The races along one path.
class Walk {
 public:
  Walk(const Question& question, const PathRange& along, store::ResultStore& store,
       const AdvisorSettings& settings, double events)
      : question_(question), along_(along), store_(store), settings_(settings), left_(events) {
    found_.path = along.path;
  }

  Crossovers walk() {
    for (const json::JsonValue& value : first_values(along_.range))
      if (!go_to(*json::number_of(value))) break;
    std::ranges::sort(found_.raced, {}, &RacedValue::value);
    return std::move(found_);
  }

 private:
  /// Nothing if no more may be simulated.
  std::optional<At> race(double value) {
    if (left_ <= 0) found_.end = RaceEnd::budget;
    if (settings_.is_late()) found_.end = RaceEnd::time_limit;
    if (found_.end != RaceEnd::decided) return std::nullopt;
    Resolved there = with_daly(question_at(question_, along_, value), store_, settings_);
    if (there.is_interrupted) found_.end = RaceEnd::interrupted;
    if (there.is_interrupted) return std::nullopt;
    left_ -= there.events;
    there.question.settings.budget = Budget{left_};
    Field field = pruned_field(there.question);
    const Findings findings = find_out(there.question, field, store_, settings_);
    remember(value, field, findings);
    found_.events += there.events + findings.events;
    left_ -= findings.events;
    if (findings.end != RaceEnd::most_runs) found_.end = findings.end;
    if (found_.end != RaceEnd::decided) return std::nullopt;
    At at{.value = value, .best = {}, .good = {}, .means = {}};
    if (findings.leader) at.best = field.alternatives[*findings.leader].stack;
    for (std::size_t i = 0; i < findings.contestants.size(); ++i) {
      at.means.push_back(findings.contestants[i].objective.mean);
      const Standing standing = findings.contestants[i].standing;
      if (standing != Standing::behind && standing != Standing::unfit)
        at.good.push_back(field.alternatives[i].stack);
    }
    return at;
  }

  void remember(double value, const Field& field, const Findings& findings) {
    RacedValue& at = found_.raced.emplace_back(RacedValue{.value = value, .means = {}});
    for (const std::size_t i : best_of_stacks(field, findings))
      at.means[field.alternatives[i].stack] = findings.contestants[i].objective;
  }

  [[nodiscard]] static bool is_good(const std::string& use, const At& at) {
    return use.empty() ? at.best.empty() : names(at.good, use);
  }

  /// Follows the choices so far up to that value. False if no more may be simulated.
  bool go_to(double value) {
    const std::optional<At> above = race(value);
    if (!above) return false;
    if (found_.stretches.empty()) {
      begin_stretch(*above);
      first_means_ = above->means;
    }
    found_.matters = found_.matters || above->means != first_means_;
    while (!is_good(found_.stretches.back().use, *above)) {
      const std::optional<At> beyond = first_beyond(*above);
      if (!beyond) return false;
      begin_stretch(*beyond);
    }
    found_.stretches.back().to = value;
    return true;
  }

  void begin_stretch(const At& at) {
    found_.stretches.push_back({.from = at.value, .to = at.value, .use = at.best});
  }

  /// The least value at which the last choice is known not to be good any more. It is not at that
  /// of `above`. Nothing if no more may be simulated.
  std::optional<At> first_beyond(At above) {
    Stretch& last = found_.stretches.back();
    for (double middle; (middle = between(last.to, above.value)) > 0;) {
      std::optional<At> at = race(middle);
      if (!at) return std::nullopt;
      if (is_good(last.use, *at))
        last.to = middle;
      else
        above = std::move(*at);
    }
    return above;
  }

  /// A value between these two that is worth a race; 0 if they are close enough, or if no job can
  /// have it.
  [[nodiscard]] double between(double low, double high) const {
    if (high / low <= kCloseEnough) return 0;
    const double middle = *json::number_of(value_in(along_.range, std::sqrt(low * high)));
    const bool is_new = middle > low && middle < high;
    return is_new && can_be_raced(question_, along_, middle) ? middle : 0;
  }

  const Question& question_;
  const PathRange& along_;
  store::ResultStore& store_;
  const AdvisorSettings& settings_;
  double left_;
  std::vector<std::optional<double>> first_means_;
  Crossovers found_;
};

}  // namespace

json::JsonValue::List first_values(const Range& range) { return ladder(range, kFirstValues); }

void check_paths(const Question& question) {
  for (const PathRange& along : question.over) {
    std::vector<std::vector<std::string>> jobs;
    for (const json::JsonValue& value : first_values(along.range))
      jobs.push_back(jobs_at(question, along, *json::number_of(value)));
    if (jobs.front() == jobs.back())
      throw UsageError(question.file + ": " + json::member_path("over", along.path) +
                       ": changes no alternative");
  }
}

std::vector<Crossovers> crossovers(const Question& question, double events_left,
                                   store::ResultStore& store, const AdvisorSettings& settings) {
  std::vector<Crossovers> all;
  for (const PathRange& along : question.over) {
    all.push_back(Walk(question, along, store, settings, events_left).walk());
    events_left -= all.back().events;
  }
  return all;
}

}  // namespace faultline::advice
