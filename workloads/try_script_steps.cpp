// SPDX-License-Identifier: Apache-2.0
#include "workloads/try_script_steps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sim/core/wire_bytes.hpp"
#include "workloads/script_words.hpp"

namespace faultline::workloads {

namespace {

using Kind = ProgramStep::Kind;

/// "rank 3", "ranks 4 to 7".
std::string text_of(RankRange ranks) {
  const std::string first = std::to_string(ranks.first);
  if (ranks.count == 1) return "rank " + first;
  return "ranks " + first + " to " + std::to_string(ranks.first + ranks.count - 1);
}

/// The distance, from 0 on, to which `distance` leads around a ring of that many ranks.
std::uint32_t around(std::int64_t distance, std::uint32_t ranks) {
  const std::int64_t size = ranks;
  return static_cast<std::uint32_t>((distance % size + size) % size);
}

/// Reads one step.
class StepReader {
 public:
  StepReader(std::string_view text, std::uint32_t processes)
      : words_(text), processes_(processes) {}

  TryStep read() {
    const bool can_name_ranks = read_action();
    read_ranks(can_name_ranks);
    check_distances();
    return std::move(read_);
  }

 private:
  /// Reads the action. False if the step cannot name ranks.
  bool read_action() {
    ProgramStep& step = read_.step;
    if (words_.take_if("finish")) {
      step.kind = Kind::finish;
      return false;
    }
    if (words_.take_if("checkpoint")) {
      step.kind = Kind::checkpoint;
      return false;
    }
    if (words_.take_if("try")) {
      step.kind = Kind::begin_try;
      step.local = words_.take_if("local");
    } else if (words_.take_if("compute")) {
      step.kind = Kind::compute;
      step.duration_s = words_.take_seconds();
    } else if (words_.take_if("allreduce")) {
      step.kind = Kind::allreduce;
      step.bytes = take_bytes();
    } else if (words_.take_if("exchange")) {
      step.kind = Kind::exchange;
      step.bytes = take_bytes();
      read_distances();
    } else {
      words_.refuse(R"("try", "finish", "compute", "exchange", "allreduce" or "checkpoint")");
    }
    return true;
  }

  std::uint64_t take_bytes() {
    const auto bytes = number_in<double>(words_.next());
    // Written this way round so that NaN is refused.
    if (!bytes || !(*bytes >= 0.0 && *bytes <= kLargestSize_B) || *bytes != std::floor(*bytes))
      words_.refuse("a whole number of bytes from 0 to 1000000000000, such as \"8 B\"");
    words_.take();
    words_.expect("B");
    return static_cast<std::uint64_t>(*bytes);
  }

  void read_distances() {
    words_.expect("with");
    do {
      const std::string_view word = words_.next();
      const bool is_signed = word.starts_with('+') || word.starts_with('-');
      const auto size = number_in<std::uint32_t>(word.substr(is_signed ? 1 : 0));
      if (!is_signed || !size || *size == 0)
        words_.refuse(R"(a distance to another rank, such as "+1" or "-1")");
      if (read_.distances.size() == kMostDistances)
        words_.refuse("at most " + std::to_string(kMostDistances) + " distances");
      const bool is_back = words_.take().starts_with('-');
      read_.distances.push_back(is_back ? -std::int64_t{*size} : std::int64_t{*size});
    } while (!words_.next().empty() && words_.next() != "among");
  }

  void read_ranks(bool can_name_ranks) {
    read_.ranks = {0, processes_};
    if (can_name_ranks && words_.take_if("among")) {
      read_.names_ranks = true;
      read_.ranks = take_ranks();
    }
    if (!words_.next().empty())
      words_.refuse(can_name_ranks && !read_.names_ranks ? R"("among" and ranks, or the end)"
                                                         : "the end");
  }

  /// "0-3", or "2" for a single one.
  RankRange take_ranks() {
    const std::string_view word = words_.next();
    const std::size_t dash = word.find('-');
    const auto first = number_in<Rank>(word.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : number_in<Rank>(word.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= processes_)
      words_.refuse(R"(ranks, such as "0-3" or "2", each below )" + std::to_string(processes_));
    words_.take();
    return {*first, *last - *first + 1};
  }

  /// There is at most one message from one rank to another.
  void check_distances() const {
    const std::uint32_t count = read_.ranks.count;
    std::set<std::uint32_t> seen{0};
    for (const std::int64_t distance : read_.distances)
      if (!seen.insert(around(distance, count)).second)
        throw UnreadableWords{
            "expected distances to other ranks, one to each, but among " + text_of(read_.ranks) +
            " " + (distance > 0 ? "+" : "") + std::to_string(distance) + " leads to " +
            (around(distance, count) == 0 ? "a rank itself" : "a rank to which another one leads")};
  }

  ScriptWords words_;
  std::uint32_t processes_;
  TryStep read_;
};

/// Walks through the steps from one TryBlock into another.
class Nesting {
 public:
  explicit Nesting(const TryScript& script) : script_(script) {}

  std::optional<OptionProblem> problem() {
    for (at_ = 0; at_ < script_.steps.size(); ++at_)
      if (const std::string found = problem_of_step(); !found.empty()) return at(found);
    if (!open_.empty()) {
      at_ = open_.back();
      return at("expected \"finish\" in a step after this one");
    }
    const bool has_block =
        std::any_of(script_.steps.begin(), script_.steps.end(),
                    [](const TryStep& one) { return one.step.kind == Kind::begin_try; });
    if (!has_block)
      return OptionProblem{"steps", R"(expected a TryBlock: "try", and "finish" after it)"};
    return std::nullopt;
  }

 private:
  [[nodiscard]] OptionProblem at(const std::string& found) const { return {"steps", found, at_}; }

  std::string problem_of_step() {
    const TryStep& one = script_.steps[at_];
    switch (one.step.kind) {
      case Kind::begin_try:
        return problem_of_block(one);
      case Kind::finish:
        if (open_.empty()) return "expected \"try\" in a step before it";
        open_.pop_back();
        return {};
      case Kind::checkpoint:
        if (!open_.empty() || at_ + 1 < script_.steps.size())
          return "expected as the last step, after all TryBlocks";
        return {};
      case Kind::compute:
        if (!one.names_ranks) return {};
        [[fallthrough]];
      case Kind::exchange:
      case Kind::allreduce:
        return problem_of_ranks(one.ranks);
    }
    return {};
  }

  /// Ranks agree on the outermost TryBlock only: recovering from a death involves all ranks.
  std::string problem_of_block(const TryStep& one) {
    if (one.step.local && open_.empty())
      return "expected inside of a \"try\", whose finish is where a program goes on after a "
             "failure in a local TryBlock";
    if (!one.step.local && !open_.empty())
      return "expected \"try local\" inside of the TryBlock of steps[" +
             std::to_string(open_.back()) + "]: ranks agree on the outermost one only";
    if (!one.step.local && one.ranks.count < script_.processes)
      return "expected all ranks in a TryBlock that is not local, because all recover together";
    std::string problem = problem_of_ranks(one.ranks);
    open_.push_back(at_);
    return problem;
  }

  /// Checks that the group of a TryBlock has all ranks of the communicators inside.
  [[nodiscard]] std::string problem_of_ranks(RankRange ranks) const {
    if (open_.empty()) return {};
    const RankRange group = script_.steps[open_.back()].ranks;
    const std::string lacking = lacking_in(group, ranks);
    if (lacking.empty()) return {};
    return "expected ranks of the group of the TryBlock of steps[" + std::to_string(open_.back()) +
           "], which are " + text_of(group) + ", got also " + lacking +
           ", which its commit would ignore";
  }

  /// Describes those of `ranks` that are not in the group; "" if all are.
  static std::string lacking_in(RankRange group, RankRange ranks) {
    const Rank end = ranks.first + ranks.count;
    const Rank group_end = group.first + group.count;
    std::string text;
    if (ranks.first < group.first)
      text = text_of({ranks.first, std::min(end, group.first) - ranks.first});
    if (end > group_end) {
      const Rank first = std::max(ranks.first, group_end);
      text += (text.empty() ? "" : " and ") + text_of({first, end - first});
    }
    return text;
  }

  const TryScript& script_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;  ///< the steps of the TryBlocks around the step
};

/// A rank outside of a TryBlock does nothing in it, so the ranks of the innermost TryBlock compute.
void set_who_computes(std::vector<TryStep>& steps) {
  std::vector<RankRange> open;
  for (TryStep& one : steps) {
    if (one.step.kind == Kind::begin_try) open.push_back(one.ranks);
    if (one.step.kind == Kind::finish && !open.empty()) open.pop_back();
    if (one.step.kind == Kind::compute && !one.names_ranks && !open.empty())
      one.ranks = open.back();
  }
}

}  // namespace

TryScript read_try_script(const std::vector<std::string>& steps, std::uint32_t processes) {
  TryScript script{.processes = processes, .steps = {}, .problems = {}};
  for (std::size_t i = 0; i < std::min(steps.size(), kMostTrySteps); ++i) {
    try {
      script.steps.push_back(StepReader(steps[i], processes).read());
    } catch (const UnreadableWords& problem) {
      script.problems.push_back({"steps", problem.message, i});
    }
  }
  set_who_computes(script.steps);
  return script;
}

std::vector<OptionProblem> misplaced_steps(const TryScript& script) {
  std::optional<OptionProblem> problem = Nesting(script).problem();
  if (!problem) return {};
  return {std::move(*problem)};
}

bool has_collectives(const TryScript& script) {
  std::size_t depth = 0;
  bool has_one = false;
  for (const TryStep& one : script.steps) {
    if (one.step.kind == Kind::begin_try && depth++ == 0) has_one = false;
    if (one.step.kind == Kind::allreduce && one.ranks.count == script.processes) has_one = true;
    if (one.step.kind == Kind::finish && depth > 0 && --depth == 0 && !has_one) return false;
  }
  return true;
}

bool has_messages_outside(const TryScript& script) {
  std::size_t depth = 0;
  for (const TryStep& one : script.steps) {
    if (one.step.kind == Kind::begin_try) ++depth;
    if (one.step.kind == Kind::finish && depth > 0) --depth;
    if (depth == 0 && (one.step.kind == Kind::exchange || one.step.kind == Kind::allreduce))
      return true;
  }
  return false;
}

HaloExchange exchange_of(const TryStep& step, Rank rank) {
  HaloExchange exchange;
  if (!step.ranks.contains(rank)) return exchange;
  const std::uint32_t count = step.ranks.count;
  const auto neighbour = [&](std::int64_t distance) {
    const std::int64_t place = std::int64_t{rank} - step.ranks.first + distance;
    return HaloNeighbour{step.ranks.first + around(place, count), step.step.bytes};
  };
  for (const std::int64_t distance : step.distances) {
    exchange.sends.push_back(neighbour(distance));
    exchange.receives.push_back(neighbour(-distance));
  }
  const auto by_rank = [](const HaloNeighbour& a, const HaloNeighbour& b) {
    return a.rank < b.rank;
  };
  std::sort(exchange.sends.begin(), exchange.sends.end(), by_rank);
  std::sort(exchange.receives.begin(), exchange.receives.end(), by_rank);
  exchange.shrink_to_fit();
  return exchange;
}

}  // namespace faultline::workloads
