// SPDX-License-Identifier: Apache-2.0

// A rank that counts as idle gets work from messages alone: all detectors of termination rely on
// that, whatever the workload waits for.

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "tests/workloads/observed.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

constexpr std::uint32_t kProcesses = 8;

/// Options that make the runs of a workload short. Bulk-synchronous programs compute little, so
/// that much depends on when their messages leave. Workloads that are not named here have their
/// defaults.
OptionValues short_run(const std::string& workload) {
  static const std::map<std::string, OptionValues> options{
      {"allreduce", {{"repetitions", std::int64_t{10}}}},
      {"flood", {{"fanout", std::int64_t{3}}}},
      {"lulesh-mpi", {{"zones_per_side", std::int64_t{2}}, {"iterations", std::int64_t{3}}}},
      {"minife",
       {{"nx", std::int64_t{20}},
        {"ny", std::int64_t{20}},
        {"nz", std::int64_t{20}},
        {"iterations", std::int64_t{2}}}},
      {"ordered-stencil", {{"iterations", std::int64_t{3}}}},
      {"ping-pong", {{"repetitions", std::int64_t{20}}}},
      {"projection", {{"threshold", 1e-3}}},
      {"random-tree", {{"minimum_height", std::int64_t{4}}}},
      {"script",
       {{"rules",
         std::vector<std::string>{"0 at start: send a to 3, send b to 5",
                                  "3 on a: compute work, send b to 5", "5 on 1st b: send c to 0",
                                  "5 on 2nd b: compute work", "5 after work: send c to 0",
                                  "0 on 2nd c: compute work"}}}},
      {"stencil", {{"iterations", std::int64_t{3}}}},
      {"try-blocks",
       {{"iterations", std::int64_t{2}},
        {"allreduces", std::int64_t{2}},
        {"bytes", std::int64_t{100000}}}},
      {"try-script",
       {{"steps",
         std::vector<std::string>{"try", "compute 1e-6 s", "exchange 100000 B with -1 +1 among 1-6",
                                  "try local", "allreduce 8 B", "finish", "finish", "checkpoint"}},
        {"iterations", std::int64_t{2}}}},
      {"token-ring", {{"walk_length", std::int64_t{20}}, {"branch_probability", 0.3}}},
      {"uniform-traffic", {{"hops", std::int64_t{10}}}},
      {"work-stealing", {{"board", std::int64_t{6}}, {"cut_depth", std::int64_t{3}}}}};
  const auto found = options.find(workload);
  return found == options.end() ? OptionValues{} : found->second;
}

std::vector<std::string> names_in(Family family) {
  std::vector<std::string> names;
  for (const Registration& registration : registrations())
    if (registration.family == family) names.push_back(registration.name);
  return names;
}

/// "" if the run was announced when all was done, else what is wrong.
std::string wrong_in(const std::string& machine, const std::string& workload,
                     const std::string& detector, scenario::EngineKind engine) {
  Job job(kProcesses, scenario::load_machine(machine, ""));
  job.workload(workload, short_run(workload)).detector(detector);
  job.spec.stop.when = scenario::StopWhen::announced;
  const Seen seen = job.run(engine);
  if (seen.result.outcome == engine::Outcome::terminated && seen.violations().empty()) return "";
  std::string words = machine + ", " + workload + ", " + detector + ": ";
  words += engine::outcome_word(seen.result.outcome);
  for (const audit::Violation& violation : seen.result.violations) words += ", " + violation.detail;
  return words + "\n";
}

}  // namespace

TEST_CASE("all detectors announce the end of all workloads on all machines, and not before") {
  const std::vector<std::string>& machines = machine_names();
  std::string wrong;
  for (const scenario::EngineKind engine : engines()) {
    std::size_t number = 0;
    for (const std::string& workload : names_in(Family::workload))
      for (const std::string& detector : names_in(Family::termination)) {
        // On simgrid, where a run takes longer, each pair has one machine.
        const std::size_t first =
            engine == scenario::EngineKind::loggp ? 0 : number++ % machines.size();
        const std::size_t last =
            engine == scenario::EngineKind::loggp ? machines.size() : first + 1;
        for (std::size_t machine = first; machine < last; ++machine)
          wrong += wrong_in(machines[machine], workload, detector, engine);
      }
  }
  CHECK(wrong == "");
}

}  // namespace faultline::workloads
