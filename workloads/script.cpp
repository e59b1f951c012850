// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"
#include "workloads/script_rules.hpp"

namespace faultline::workloads {

struct ScriptOptions {
  std::vector<std::string> rules;
  double compute_s = 1e-6;
  std::uint64_t bytes = 64;
};

/// A small program that a scenario states: what each rank sends and computes on which occasion. A
/// rule applies when its occasion comes, and so do all rules of the rank with that occasion, in the
/// order of the list.
class ScriptedRanks final : public Workload {
 public:
  ScriptedRanks(std::shared_ptr<const ScriptOptions> options, std::shared_ptr<const Script> script,
                Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;

 private:
  /// Counts of applied rules are only for the report.
  void digest_state(Digest& into) const override { into.add(counts_); }
  void on(WorkloadContext& context, const ScriptRule& occasion);
  void apply(WorkloadContext& context, std::uint32_t rule);

  std::shared_ptr<const ScriptOptions> options_;
  std::shared_ptr<const Script> script_;
  const std::vector<std::uint32_t>* own_ =
      nullptr;  ///< of the script's rules; null if there are none
  /// For each rule of this rank that counts: how often its occasion has come, up to its count.
  std::vector<std::uint32_t> counts_;
  std::uint64_t applied_ = 0;
};

namespace {

OptionSet<ScriptOptions> options() {
  return OptionSet<ScriptOptions>()
      .option("rules", &ScriptOptions::rules,
              {.doc = "up to 200 strings, each with a rank, an occasion and actions: \"0 at start: "
                      "send a to 1, compute work\", \"1 on 2nd a from 0: send b to 2\", \"0 after "
                      "work: compute more 2e-3 s\"",
               .required = true})
      .option("compute_s", &ScriptOptions::compute_s,
              {.doc = "time of computations without a time of their own",
               .unit = "s",
               .minimum = 0,
               .maximum = 1e6})
      .option("bytes", &ScriptOptions::bytes, {.doc = "size of a message", .unit = "B"});
}

bool starts(const ScriptRule& rule) { return rule.occasion == Occasion::start; }

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const std::vector<std::string> rules = options().read(values).rules;
  if (rules.empty() || rules.size() > kMostRules)
    return {{"rules", "expected a list of 1 to " + std::to_string(kMostRules) +
                          " rules, such as \"0 at start: send a to 1\", got " +
                          std::to_string(rules.size())}};
  const Script script = read_script(rules, job.processes);
  std::vector<OptionProblem> found;
  const auto add = [&](const std::vector<ScriptProblem>& problems) {
    for (const ScriptProblem& problem : problems)
      found.push_back({"rules", problem.message, problem.rule});
  };
  add(script.problems);
  if (!found.empty()) return found;
  if (std::none_of(script.rules.begin(), script.rules.end(), starts))
    return {{"rules", "no rule has the occasion \"at start\", so nothing would happen"}};
  add(idle_rules(script));
  return found;
}

/// True if a rank other than 0 begins by itself.
bool starts_elsewhere(const OptionValues& values) {
  const Script script = read_script(options().read(values).rules, kNobody);
  return std::any_of(script.rules.begin(), script.rules.end(),
                     [](const ScriptRule& rule) { return starts(rule) && rule.rank != 0; });
}

std::string endless(const OptionValues& values, const JobShape& job) {
  const auto rule = endless_rule(read_script(options().read(values).rules, job.processes));
  if (!rule) return {};
  return "rules[" + std::to_string(*rule) +
         "] can apply without end, since its actions lead to it again";
}

constexpr MetricSpec kApplied{"rules_applied", Merge::sum, "how often rules of the script applied"};

constexpr Mark kRuleMark{"rule", "a rule applies: its place in `rules`, from 0"};

Registration script() {
  Registration registration{
      .family = Family::workload,
      .name = "script",
      .summary =
          "a small program in the scenario: what each rank sends to others on which occasion",
      .source = "cases with which papers explain protocols",
      .traits = WorkloadTraits{.starts_at_root = true, .has_images = true},
      .options = options().specs(),
      .message_kinds = {"message"},
      .metrics = {&kApplied},
      .marks = {&kRuleMark},
      .check = check};
  registration.make = [](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    auto chosen = std::make_shared<const ScriptOptions>(options().read(values));
    auto script = std::make_shared<const Script>(read_script(chosen->rules, job.processes));
    return [chosen, script](ActorId self) -> std::unique_ptr<Component> {
      return std::make_unique<ScriptedRanks>(chosen, script, self);
    };
  };
  registration.declare<WorkloadTraits>().starts_everywhere = starts_elsewhere;
  registration.declare<WorkloadTraits>().endless = endless;
  return registration;
}

const Registered registered{script()};

/// True if the rule waits for what happened, leaving the count aside.
bool is_occasion(const ScriptRule& rule, const ScriptRule& happened) {
  return rule.occasion == happened.occasion && rule.name == happened.name &&
         (rule.from == kNobody || rule.from == happened.from);
}

}  // namespace

ScriptedRanks::ScriptedRanks(std::shared_ptr<const ScriptOptions> options,
                             std::shared_ptr<const Script> script, Rank self)
    : options_(std::move(options)), script_(std::move(script)) {
  const auto own = script_->rules_of.find(self);
  if (own == script_->rules_of.end()) return;
  own_ = &own->second;
  for (const std::uint32_t rule : *own_)
    if (script_->rules[rule].count > 0) counts_.push_back(0);
}

std::unique_ptr<Component> ScriptedRanks::clone() const {
  return std::make_unique<ScriptedRanks>(*this);
}

void ScriptedRanks::start(WorkloadContext& context) {
  on(context, {.occasion = Occasion::start, .actions = {}});
}

void ScriptedRanks::on_message(WorkloadContext& context, const Message& message) {
  on(context, {.occasion = Occasion::received,
               .name = static_cast<std::uint32_t>(message.payload.get<std::uint64_t>()),
               .from = message.from,
               .actions = {}});
}

void ScriptedRanks::on_compute_done(WorkloadContext& context, std::uint64_t tag) {
  on(context,
     {.occasion = Occasion::computed, .name = static_cast<std::uint32_t>(tag), .actions = {}});
}

void ScriptedRanks::on(WorkloadContext& context, const ScriptRule& occasion) {
  if (own_ == nullptr) return;
  std::size_t counter = 0;
  for (const std::uint32_t place : *own_) {
    const ScriptRule& rule = script_->rules[place];
    std::uint32_t* const count = rule.count > 0 ? &counts_[counter++] : nullptr;
    if (!is_occasion(rule, occasion)) continue;
    if (count == nullptr || (*count < rule.count && ++*count == rule.count)) apply(context, place);
  }
}

// A fault can strike at the mark.
void ScriptedRanks::apply(WorkloadContext& context, std::uint32_t rule) {
  ++applied_;
  context.mark(kRuleMark, rule);
  for (const ScriptAction& action : script_->rules[rule].actions) {
    if (action.sends)
      context.send(action.to, 0, options_->bytes).payload.put(std::uint64_t{action.name});
    else
      context.compute(action.compute_s < 0.0 ? options_->compute_s : action.compute_s, action.name);
  }
}

void ScriptedRanks::report(MetricTotals& totals) const { totals.put(kApplied, applied_); }

}  // namespace faultline::workloads
