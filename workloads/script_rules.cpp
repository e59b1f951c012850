// SPDX-License-Identifier: Apache-2.0
#include "workloads/script_rules.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "workloads/script_words.hpp"

namespace faultline::workloads {

namespace {

constexpr std::size_t kLongestName = 32;
constexpr std::uint32_t kHighestCount = 1000000;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_name(std::string_view word) {
  return !word.empty() && is_letter(word.front()) && word.size() <= kLongestName &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; });
}

/// "1st", "2nd", "3rd", "4th", "11th".
std::string ordinal(std::uint32_t count) {
  const std::uint32_t last = count % 10;
  const bool teen = count / 10 % 10 == 1;
  const char* const ending = teen || last == 0 || last > 3 ? "th"
                             : last == 1                   ? "st"
                             : last == 2                   ? "nd"
                                                           : "rd";
  return std::to_string(count) + ending;
}

/// Reads rules into a script.
class RuleReader {
 public:
  RuleReader(Script& script, std::uint32_t processes) : script_(script), processes_(processes) {}

  ScriptRule read(std::string_view text) {
    ScriptWords words(text);
    ScriptRule rule{.rank = rank(words), .actions = {}};
    occasion(words, rule);
    words.expect(":");
    do {
      rule.actions.push_back(action(words));
    } while (words.take_if(","));
    if (!words.next().empty()) words.refuse("\",\" and another action, or the end");
    return rule;
  }

 private:
  Rank rank(ScriptWords& words) const {
    const auto number = number_in<Rank>(words.next());
    if (!number || *number >= processes_)
      words.refuse(processes_ == kNobody ? "a rank"
                                         : "a rank from 0 to " + std::to_string(processes_ - 1));
    words.take();
    return *number;
  }

  std::uint32_t name(ScriptWords& words, const char* what) {
    if (!is_name(words.next()))
      words.refuse(std::string(what) + ", a letter followed by up to " +
                   std::to_string(kLongestName - 1) + " letters, digits, _ or -");
    const std::string_view word = words.take();
    const auto known = std::find(script_.names.begin(), script_.names.end(), word);
    if (known == script_.names.end()) {
      script_.names.emplace_back(word);
      return static_cast<std::uint32_t>(script_.names.size() - 1);
    }
    return static_cast<std::uint32_t>(known - script_.names.begin());
  }

  void occasion(ScriptWords& words, ScriptRule& rule) {
    if (words.take_if("at")) return words.expect("start");
    const bool received = words.take_if("on");
    if (!received && !words.take_if("after")) words.refuse(R"("at start", "on" or "after")");
    rule.occasion = received ? Occasion::received : Occasion::computed;
    rule.count = count(words);
    rule.name = name(words, received ? "the tag of a message" : "the name of a computation");
    if (received && words.take_if("from")) rule.from = rank(words);
  }

  /// 2 for "2nd"; 0 if no such word comes next.
  static std::uint32_t count(ScriptWords& words) {
    const std::string_view word = words.next();
    if (word.empty() || !is_digit(word.front())) return 0;
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    const auto number = number_in<std::uint32_t>(word.substr(0, digits));
    if (!number || *number == 0 || *number > kHighestCount)
      words.refuse("a name, or 1st to " + ordinal(kHighestCount) + " before it");
    if (word != ordinal(*number)) words.refuse("\"" + ordinal(*number) + "\"");
    words.take();
    return *number;
  }

  ScriptAction action(ScriptWords& words) {
    ScriptAction action{.sends = words.take_if("send")};
    if (action.sends) {
      action.name = name(words, "a tag");
      words.expect("to");
      action.to = rank(words);
      return action;
    }
    if (!words.take_if("compute")) words.refuse(R"("send" or "compute")");
    action.name = name(words, "the name of a computation");
    if (words.next().empty() || words.next() == ",") return action;
    action.compute_s = words.take_seconds();
    return action;
  }

  Script& script_;
  std::uint32_t processes_;
};

/// How often each rule of a script can apply at most. A message that goes round can be received any
/// number of times.
class MostOften {
 public:
  explicit MostOften(const Script& script) : script_(script), often_(script.rules.size(), 0.0) {
    // A rule that depends on no cycle has its final number after as many passes as there are rules.
    const std::size_t passes = script.rules.size() + 1;
    for (std::size_t pass = 0; pass < passes && !settled_; ++pass) go_through(false);
    while (!settled_) go_through(true);
  }

  [[nodiscard]] double of(std::size_t rule) const { return often_[rule]; }

 private:
  using Sent = std::tuple<std::uint32_t, Rank, Rank>;  ///< tag, receiver, sender

  /// Computes all numbers from the previous ones. If that is endless, the numbers that still grow
  /// are infinite.
  void go_through(bool endless) {
    std::map<Sent, double> sent;
    std::map<std::pair<std::uint32_t, Rank>, double> computed;
    for (std::size_t i = 0; i < often_.size(); ++i)
      for (const ScriptAction& action : script_.rules[i].actions) {
        const Rank rank = script_.rules[i].rank;
        if (!action.sends) {
          computed[{action.name, rank}] += often_[i];
          continue;
        }
        sent[{action.name, action.to, rank}] += often_[i];
        sent[{action.name, action.to, kNobody}] += often_[i];
      }
    settled_ = true;
    for (std::size_t i = 0; i < often_.size(); ++i) {
      const ScriptRule& rule = script_.rules[i];
      double often = 1.0;
      if (rule.occasion == Occasion::received) often = sent[{rule.name, rule.rank, rule.from}];
      if (rule.occasion == Occasion::computed) often = computed[{rule.name, rule.rank}];
      if (rule.count > 0) often = often >= rule.count ? 1.0 : 0.0;
      if (often == often_[i]) continue;
      settled_ = false;
      const bool is_cut_short = endless && rule.count == 0;
      often_[i] = is_cut_short ? std::numeric_limits<double>::infinity() : often;
    }
  }

  const Script& script_;
  std::vector<double> often_;
  bool settled_ = false;
};

std::string never(const ScriptRule& rule, const std::string& name) {
  std::string text = "never applies: rank " + std::to_string(rule.rank);
  text += rule.occasion == Occasion::received ? " gets no " : " computes no ";
  if (rule.count > 0) text += ordinal(rule.count) + " ";
  text += name;
  if (rule.from != kNobody) text += " from rank " + std::to_string(rule.from);
  return text;
}

}  // namespace

Script read_script(const std::vector<std::string>& rules, std::uint32_t processes) {
  Script script;
  RuleReader reader(script, processes);
  for (std::size_t i = 0; i < std::min(rules.size(), kMostRules); ++i) {
    try {
      ScriptRule rule = reader.read(rules[i]);
      script.rules_of[rule.rank].push_back(static_cast<std::uint32_t>(script.rules.size()));
      script.rules.push_back(std::move(rule));
    } catch (const UnreadableWords& problem) {
      script.problems.push_back({i, problem.message});
    }
  }
  return script;
}

std::vector<ScriptProblem> idle_rules(const Script& script) {
  const MostOften often(script);
  std::vector<ScriptProblem> problems;
  for (std::size_t i = 0; i < script.rules.size(); ++i)
    if (often.of(i) == 0.0)
      problems.push_back({i, never(script.rules[i], script.names[script.rules[i].name])});
  return problems;
}

std::optional<std::size_t> endless_rule(const Script& script) {
  const MostOften often(script);
  for (std::size_t i = 0; i < script.rules.size(); ++i)
    if (std::isinf(often.of(i))) return i;
  return std::nullopt;
}

}  // namespace faultline::workloads
