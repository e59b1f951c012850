// SPDX-License-Identifier: Apache-2.0

// The points of a run at which faults can strike: those that components declare, and no others.

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/job.hpp"

namespace faultline::faults {

using namespace test;

namespace {

/// The names of the marks that runs with a component have set.
class SetMarks final : public audit::RunObserver {
 public:
  void see(const audit::Sight& sight) override {
    if (sight.kind != audit::Sight::Kind::mark) return;
    for (const std::string& component : components_) seen_.emplace(component, sight.text);
  }
  void watch(const Job& job) {
    components_.clear();
    for (const scenario::ComponentChoice& choice : job.spec.components)
      if (choice.registration != nullptr) components_.push_back(choice.registration->name);
    engine::run_simulation(job.spec, scenario::EngineKind::loggp, 1, 0, this);
  }
  [[nodiscard]] bool has(const Registration& component, const Mark& mark) const {
    return seen_.contains({component.name, mark.name});
  }

 private:
  std::vector<std::string> components_;  ///< of the run that is watched
  std::set<std::pair<std::string, std::string>> seen_;
};

struct Program {
  std::string name;
  OptionValues options;
};

/// A program of TryBlocks that loses a process in its third iteration or later.
void watch_transactions(SetMarks& seen, const Program& program, const std::string& name,
                        const OptionValues& options = {}) {
  Job job(8, quick_machine());
  job.workload(program.name, program.options);
  job.use(Family::transactions, name, options);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.platform.spare_nodes = 2;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.kill(0.0035, {2});
  seen.watch(job);
}

/// A stencil that loses a process after a checkpoint.
void watch_logging(SetMarks& seen, const std::string& name) {
  Job job(4, quick_machine());
  job.workload("stencil", {{"iterations", 12}, {"compute_s", 0.001}, {"checkpoint_iterations", 4}});
  job.use(Family::message_logging, name);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.platform.spare_nodes = 2;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.kill(0.0095, {2});
  seen.watch(job);
}

/// A program that nothing disturbs.
void watch_workload(SetMarks& seen, const std::string& name, const OptionValues& options) {
  Job job(4, quick_machine());
  job.workload(name, options);
  seen.watch(job);
}

}  // namespace

TEST_CASE("a component that sets a mark which it has not declared breaks an invariant") {
  constexpr Mark kDeclared{"declared", "at the start"};
  constexpr Mark kForgotten{"forgotten", "at the start"};
  for (const scenario::EngineKind engine : engines())
    for (const Mark* mark : {&kDeclared, &kForgotten}) {
      Job job(2);
      job.script(
          Family::workload,
          [mark](ActorId) {
            return Handlers{.start = [mark](ScriptContext& context) { context.mark(*mark, 1); }};
          },
          {.marks = {&kDeclared}});
      CAPTURE(engine_word(engine), mark->name);
      if (mark == &kDeclared)
        CHECK_NOTHROW(job.run(engine));
      else
        CHECK_THROWS_AS(job.run(engine), BrokenInvariant);
    }
}

TEST_CASE("every mark that a component declares is set by it") {
  SetMarks seen;
  watch_workload(seen, "token-ring", {{"walk_length", 4}});
  watch_workload(seen, "ping-pong", {{"repetitions", 2}});
  watch_workload(seen, "allreduce", {{"repetitions", 2}});
  watch_workload(seen, "stencil", {{"iterations", 2}});
  watch_workload(seen, "ordered-stencil", {{"iterations", 2}});
  watch_workload(seen, "script", {{"rules", std::vector<std::string>{"0 at start: send a to 1"}}});
  const OptionValues saved{{"checkpoint", std::string("partner")}, {"checkpoint_iterations", 2}};
  const Program blocks{"try-blocks", {{"iterations", 6}, {"compute_s", 0.001}, {"allreduces", 1}}};
  for (const std::string name : {"fampi", "ulfm", "relaunch"})
    watch_transactions(seen, blocks, name, saved);
  for (const std::string name : {"fampi", "ulfm"})
    watch_transactions(seen, blocks, name, {{"recovery", std::string("shrink")}});
  const std::vector<std::string> steps{"try", "compute 1e-3 s", "finish"};
  for (const Program& program :
       {Program{"minife", {{"nx", 40}, {"ny", 40}, {"nz", 40}, {"iterations", 20}}},
        Program{"lulesh-mpi", {{"zones_per_side", 10}, {"iterations", 20}}},
        Program{"stencil", {{"iterations", 8}, {"compute_s", 0.001}}},
        Program{"try-script", {{"steps", steps}, {"iterations", 6}}}})
    watch_transactions(seen, program, "ulfm");
  for (const std::string name :
       {"checkpoint-restart", "causal", "pessimistic", "send-deterministic", "fast"})
    watch_logging(seen, name);
  std::size_t declared = 0;
  for (const Registration& component : registrations())
    for (const Mark* mark : component.marks) {
      CAPTURE(component.name, mark->name);
      CHECK(seen.has(component, *mark));
      ++declared;
    }
  CHECK(declared > 40);
}

TEST_CASE("no two marks of a component have one name") {
  for (const Registration& component : registrations()) {
    std::set<std::string> names;
    for (const Mark* mark : component.marks) {
      CAPTURE(component.name, mark->name);
      CHECK(names.insert(mark->name).second);
    }
  }
}

}  // namespace faultline::faults
