// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/component.hpp"
#include "workloads/script_rules.hpp"

namespace faultline {

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

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;

 private:
  /// Counts of applied rules are only for the report.
  void digest_state(Digest& into) const override { into.add(counts_); }
  void on(Context& context, const ScriptRule& occasion);
  void apply(Context& context, std::uint32_t rule);

  std::shared_ptr<const ScriptOptions> options_;
  std::shared_ptr<const Script> script_;
  const std::vector<std::uint32_t>* own_ =
      nullptr;  ///< of the script's rules; null if there are none
  /// For each rule of this rank that counts: how often its occasion has come, up to its count.
  std::vector<std::uint32_t> counts_;
  std::uint64_t applied_ = 0;
};

}  // namespace faultline
