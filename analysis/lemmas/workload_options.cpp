#include "analysis/lemmas/workload_options.hpp"

#include <algorithm>

#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/core/registry.hpp"

namespace faultline {

bool has_try_blocks(const FaultSchedule& schedule) {
  return static_cast<bool>(find_registration(Family::workload, schedule.workload)->try_blocks);
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

/// Programs of TryBlocks, as small as they can be with neighbours on all sides.
OptionValues block_options(const FaultSchedule& schedule) {
  constexpr std::int64_t kElements = 6;      // on each side of MiniFE's brick
  constexpr double kMovedBytes = 5e4;        // by a rank in an iteration of that, about
  constexpr std::int64_t kZones = 3;         // on each side of a domain of LULESH
  constexpr std::int64_t kStateBytes = 256;  // of the program that only computes and sums
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

}  // namespace faultline
