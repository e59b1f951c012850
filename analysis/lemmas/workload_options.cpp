// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/workload_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/core/random.hpp"
#include "sim/core/registry.hpp"

namespace faultline::lemmas {

bool has_try_blocks(const FaultSchedule& schedule) {
  const Registration& workload = *find_registration(Family::workload, schedule.workload);
  return workload.as<WorkloadTraits>().try_blocks && workload.needs_detection();
}

namespace {

OptionValues traffic_options(const FaultSchedule& schedule) {
  return {{"tokens", std::int64_t{schedule.width}},
          {"hops", std::int64_t{schedule.work}},
          {"compute_s", schedule.compute_s},
          {"stay_probability", static_cast<double>(schedule.to_itself) / 8},
          {"bytes", std::int64_t{64}}};
}

OptionValues stencil_options(const FaultSchedule& schedule) {
  OptionValues options{{"iterations", std::int64_t{schedule.work}},
                       {"dimensions", std::int64_t{1 + schedule.width % 3}},
                       {"compute_s", schedule.compute_s},
                       {"bytes", std::int64_t{64}}};
  if (schedule.checkpoint_iterations > 0)
    options.merge(
        OptionValues{{"preset", schedule.preset},
                     {"objects_per_process", std::int64_t{schedule.objects_per_process}},
                     {"object_bytes", std::int64_t{256}},
                     {"checkpoint_iterations", std::int64_t{schedule.checkpoint_iterations}}});
  return options;
}

/// Draws the steps of a program of TryBlocks: computations, exchanges and sums among all or some
/// ranks, in TryBlocks inside TryBlocks. A schedule always has the same steps.
class StatedSteps {
 public:
  explicit StatedSteps(const FaultSchedule& schedule)
      : schedule_(schedule), random_(schedule.seed, 4, Purpose::workload, 0) {}

  std::vector<std::string> take() {
    const std::uint64_t blocks = schedule_.iterations_per_block > 1 ? 1 : 1 + random_.below(2);
    for (std::uint64_t block = 0; block < blocks; ++block) {
      steps_.emplace_back("try");
      add_some({0, schedule_.processes}, 0);
      if (schedule_.has_sums) steps_.emplace_back("allreduce 8 B");
      steps_.emplace_back("finish");
    }
    if (random_.chance(0.9)) steps_.emplace_back("checkpoint");
    return std::move(steps_);
  }

 private:
  struct Ranks {
    std::uint64_t first = 0;
    std::uint64_t count = 1;
  };

  void add_some(const Ranks& group, int depth) {
    for (std::uint64_t left = 1 + random_.below(3); left > 0; --left) add(group, depth);
  }

  /// Adds a step among some of the group, or a TryBlock.
  void add(const Ranks& group, int depth) {
    constexpr int kDeepest = 2;
    Ranks ranks;
    ranks.first = group.first + random_.below(group.count);
    ranks.count = 1 + random_.below(group.first + group.count - ranks.first);
    if (random_.chance(0.5)) ranks = group;
    const std::string among = " among " + std::to_string(ranks.first) + "-" +
                              std::to_string(ranks.first + ranks.count - 1);
    const std::uint64_t kind = random_.below(4);
    if (kind == 0 && depth < kDeepest) {
      steps_.push_back("try local" + among);
      add_some(ranks, depth + 1);
      steps_.emplace_back("finish");
    } else if (kind == 1 && schedule_.has_sums) {
      steps_.push_back("allreduce 8 B" + among);
    } else if (kind == 2 && ranks.count > 1) {
      const std::uint64_t distance = 1 + random_.below(ranks.count - 1);
      steps_.push_back("exchange 64 B with +" + std::to_string(distance));
      if (2 * distance != ranks.count) steps_.back() += " -" + std::to_string(distance);
      steps_.back() += among;
    } else {
      steps_.push_back("compute " + seconds() + " s" + among);
    }
  }

  std::string seconds() {
    std::array<char, 32> digits{};
    const double duration_s = schedule_.compute_s * static_cast<double>(1 + random_.below(2));
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), duration_s).ptr;
    return {digits.data(), end};
  }

  const FaultSchedule& schedule_;
  Stream random_;
  std::vector<std::string> steps_;
};

/// Programs of TryBlocks, as small as they can be with neighbours on all sides.
OptionValues block_options(const FaultSchedule& schedule) {
  constexpr std::int64_t kElements = 6;  // on each side of MiniFE's brick
  constexpr double kMovedBytes = 5e4;    // bytes that a rank moves in an iteration of MiniFE, about
  constexpr std::int64_t kZones = 3;     // on each side of a domain of LULESH
  constexpr std::int64_t kStateBytes = 256;  // of the programs that only compute and communicate
  OptionValues options{{"iterations", std::int64_t{schedule.work}},
                       {"iterations_per_block", std::int64_t{schedule.iterations_per_block}}};
  if (schedule.workload == "minife")
    options.merge(OptionValues{{"nx", kElements},
                               {"ny", kElements},
                               {"nz", kElements},
                               {"dots", std::string(schedule.has_sums ? "inside" : "none")},
                               {"memory_bandwidth_Bps", kMovedBytes / schedule.compute_s}});
  else if (schedule.workload == "lulesh-mpi")
    options.merge(
        OptionValues{{"zones_per_side", kZones},
                     {"zone_compute_s", schedule.compute_s / (kZones * kZones * kZones)}});
  else if (schedule.workload == "try-script")
    options.merge(
        OptionValues{{"steps", StatedSteps(schedule).take()}, {"state_bytes", kStateBytes}});
  else
    options.merge(OptionValues{{"compute_s", schedule.compute_s},
                               {"allreduces", std::int64_t{schedule.has_sums ? 2 : 0}},
                               {"state_bytes", kStateBytes}});
  return options;
}

}  // namespace

OptionValues workload_options(const FaultSchedule& schedule) {
  if (has_try_blocks(schedule)) return block_options(schedule);
  const auto work = static_cast<std::int64_t>(schedule.work);
  const auto width = static_cast<std::int64_t>(schedule.width);
  const auto others = std::max<std::int64_t>(1, std::int64_t{schedule.processes} - 1);
  if (schedule.workload == "token-ring")
    return {{"walk_length", work},
            {"branch_probability", static_cast<double>(width) / 8},
            {"step_compute_s", schedule.compute_s},
            {"leaf_compute_s", 4 * schedule.compute_s},
            {"bytes", std::int64_t{64}}};
  if (schedule.workload == "uniform-traffic") return traffic_options(schedule);
  if (schedule.workload == "flood")
    return {{"fanout", std::min(width, others)}, {"compute_s", schedule.work * schedule.compute_s}};
  if (schedule.workload == "stencil" || schedule.workload == "ordered-stencil")
    return stencil_options(schedule);
  if (schedule.workload == "allreduce")
    return {{"repetitions", work}, {"compute_s", schedule.compute_s}};
  if (schedule.workload == "work-stealing")
    return {{"preset", std::string("hartree-fock")},
            {"tasks", work * schedule.processes},
            {"task_compute_s", schedule.compute_s},
            {"task_seed", static_cast<std::int64_t>(schedule.seed)}};
  return {{"minimum_height", std::min(work, std::int64_t{3})},
          {"maximum_height", std::min(work, std::int64_t{5})},
          {"task_mapping", "random"},
          {"task_compute_s", schedule.compute_s}};
}

}  // namespace faultline::lemmas
