// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/theory/step_model.hpp"

namespace faultline::theory {

/// The rules of docs/step-model.md once more, one process at a time with sets and recursion, slowly
/// and with none of the model's code.
class NaiveStepModel {
 public:
  NaiveStepModel(faultline::theory::StepModel model, const std::vector<std::uint32_t>& parents,
                 const std::vector<std::uint32_t>& ranks)
      : model_(model), literal_(model.rules == faultline::theory::StepRules::literal) {
    std::vector<int> levels(parents.size());
    for (std::size_t task = 1; task < parents.size(); ++task)
      levels[task] = levels[parents[task]] + 1;
    steps_ = 1 + *std::max_element(levels.begin(), levels.end());
    for (std::size_t task = 0; task < parents.size(); ++task) {
      const int rank = static_cast<int>(ranks[task]);
      ++load_[{levels[task], rank}];
      if (task > 0)
        sends_[{levels[task] - 1, static_cast<int>(ranks[parents[task]])}].push_back(rank);
    }
    for (int p = 0; p < processes(); ++p)
      if (literal_ || p == static_cast<int>(ranks[0]))
        cda_credit_[p] = hcda_credit_[p] = model.initial_credit;
  }

  faultline::theory::ControlMessageCounts count() {
    for (step_ = 0; step_ < steps_; ++step_) {
      count_four_counter();
      count_edod();
      for (int p = 0; p < processes(); ++p) {
        count_hcda(p);
        count_cda(p);
      }
      for (auto& [p, credit] : hcda_arriving_) hcda_credit_[p] += std::exchange(credit, 0);
      for (auto& [p, credit] : cda_arriving_) cda_credit_[p] += std::exchange(credit, 0);
    }
    return counts_;
  }

 private:
  using Senders = std::vector<int>;

  [[nodiscard]] int processes() const { return static_cast<int>(model_.processes); }
  [[nodiscard]] int load(int step, int p) const {
    const auto found = load_.find({step, p});
    return found == load_.end() ? 0 : found->second;
  }
  [[nodiscard]] Senders receivers_of(int p) const {
    const auto found = sends_.find({step_, p});
    return found == sends_.end() ? Senders{} : found->second;
  }
  [[nodiscard]] Senders senders_to(int p) const {
    Senders senders;
    for (int from = 0; from < processes(); ++from)
      for (const int to : receivers_of(from))
        if (to == p) senders.push_back(from);
    return senders;
  }
  [[nodiscard]] bool was_active(int p) const {
    return load(step_, p) > 0 || (literal_ && step_ == 0);
  }
  [[nodiscard]] bool is_active(int p) const { return load(step_ + 1, p) > 0; }

  /// Idle between two steps in which it is active.
  [[nodiscard]] bool rests(int p) const {
    if (!was_active(p) || !is_active(p) ||
        model_.activity == faultline::theory::StepActivity::instant)
      return false;
    for (const int from : senders_to(p)) {
      if (from == p) return false;
      if (model_.activity == faultline::theory::StepActivity::local) continue;
      const int difference = load(step_, p) - load(step_, from);
      if (literal_ ? difference >= 0 : difference > 0) return false;
    }
    return true;
  }
  [[nodiscard]] bool goes_idle(int p) const { return was_active(p) && (!is_active(p) || rests(p)); }
  [[nodiscard]] bool goes_active(int p) const {
    return is_active(p) && (!was_active(p) || rests(p));
  }

  /// Visits the children before the process; returns whether the process lets a wave pass.
  bool climb(int p) {
    if (p >= processes()) return true;
    const bool right = climb(2 * p + 2);
    const bool left = climb(2 * p + 1);
    if (!literal_ && (was_active(p) || is_active(p))) activated_.insert(p);
    if (goes_idle(p)) rested_since_wave_.insert(p);
    bool joins = goes_idle(p);
    if (!literal_ && p > 0) joins = rested_since_wave_.count(p) > 0 && (joins || !is_active(p));
    if (joins && left && right) wave_.insert(p);
    const bool transparent = !literal_ && activated_.count(p) == 0 && left && right;
    return wave_.count(p) > 0 || transparent;
  }
  void count_four_counter() {
    climb(0);
    if (wave_.count(0) > 0) {
      counts_.four_counter += 2 * (std::uint64_t{model_.processes} - 1);
      wave_.clear();
      rested_since_wave_.clear();
    }
    for (int p = 0; literal_ && p < processes(); ++p)
      if (goes_active(p)) wave_.erase(p);
  }

  static std::vector<int> ancestors(int p) {
    std::vector<int> path = {p};
    while (path.back() > 0) path.push_back((path.back() - 1) / 2);
    return path;
  }
  [[nodiscard]] std::size_t path_union(int p, const Senders& senders) const {
    std::set<std::pair<int, int>> edges;
    for (const int from : senders) {
      std::vector<int> up = ancestors(from);
      std::vector<int> down = ancestors(p);
      while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
        up.pop_back();
        down.pop_back();
      }
      for (std::size_t i = 1; i < up.size(); ++i) edges.insert({up[i - 1], up[i]});
      for (std::size_t i = 1; i < down.size(); ++i) edges.insert({down[i - 1], down[i]});
    }
    return edges.size();
  }
  /// Idle processes of an idle subtree at the end of the step, or -1 when one of it is active.
  [[nodiscard]] int idle_subtree(int p) const {
    if (p >= processes()) return 0;
    const int left = idle_subtree(2 * p + 1);
    const int right = idle_subtree(2 * p + 2);
    return is_active(p) || left < 0 || right < 0 ? -1 : 1 + left + right;
  }
  void count_edod() {
    for (int p = 0; p < processes(); ++p) {
      if (goes_active(p)) counts_.edod += path_union(p, senders_to(p));
      if (!goes_idle(p)) continue;
      if (literal_)
        counts_.edod += static_cast<std::uint64_t>(std::max(0, idle_subtree(p)));
      else
        counts_.edod += idle_subtree(2 * p + 1) >= 0 && idle_subtree(2 * p + 2) >= 0 ? 1 : 0;
    }
  }

  void count_hcda(int p) {
    std::uint64_t& credit = hcda_credit_[p];
    for (const int to : receivers_of(p)) {
      if (literal_ && to == p) continue;
      for (; credit < 2; ++counts_.hcda) credit += model_.initial_credit;
      const std::uint64_t kept = (credit + 1) / 2;
      hcda_arriving_[to] += credit - kept;
      credit = kept;
    }
    if (literal_)
      counts_.hcda += goes_idle(p) ? 1 : 0;
    else
      counts_.hcda += goes_idle(p) || !is_active(p) ? 1 : 0;
    if (goes_idle(p)) credit = 0;
  }

  void count_cda(int p) {
    Senders remote = receivers_of(p);
    remote.erase(std::remove(remote.begin(), remote.end(), p), remote.end());
    std::uint64_t& credit = cda_credit_[p];
    for (std::size_t i = 0; i < remote.size(); ++i) {
      const std::uint64_t shares = remote.size() - i + (goes_idle(p) ? 0 : 1);
      for (; credit < shares; ++counts_.cda) credit += model_.initial_credit;
      std::uint64_t carried = credit / shares;
      if (credit <= 4096 && shares > 1) carried = std::min<std::uint64_t>(carried, 64);
      credit -= carried;
      cda_arriving_[remote[i]] += carried;
    }
    if (!goes_idle(p)) return;
    counts_.cda += credit > 0 ? 1 : 0;
    credit = 0;
  }

  faultline::theory::StepModel model_;
  bool literal_;
  int steps_ = 0;
  int step_ = 0;
  std::map<std::pair<int, int>, int> load_;       // (level, process) -> tasks
  std::map<std::pair<int, int>, Senders> sends_;  // (step, process) -> receivers
  std::set<int> wave_;
  std::set<int> rested_since_wave_;
  std::set<int> activated_;
  std::map<int, std::uint64_t> hcda_credit_;
  std::map<int, std::uint64_t> hcda_arriving_;
  std::map<int, std::uint64_t> cda_credit_;
  std::map<int, std::uint64_t> cda_arriving_;
  faultline::theory::ControlMessageCounts counts_;
};

}  // namespace faultline::theory
