// SPDX-License-Identifier: Apache-2.0
#pragma once

// The token ring of termination-2022 section 5.1 with the owners of the token noted, so that a test
// can count by hand what each move must cost.

#include <string>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::termination {

/// The ranks that held the token in turn, rank 0 first; consecutive ones differ.
struct Walk {
  test::Seen seen;
  std::vector<Rank> owners;

  [[nodiscard]] double moves() const { return static_cast<double>(owners.size() - 1); }
  [[nodiscard]] double control() const { return seen.metric("control_messages"); }
};

/// A rank whose owner draws the next one after a computation that outlasts all control messages.
inline test::Handlers token_holder(test::Job& job, ActorId self, std::uint32_t processes,
                                   std::uint64_t steps, std::uint64_t seed) {
  const auto random = std::make_shared<Stream>(seed, 7, Purpose::workload, self);
  test::Handlers handlers;
  handlers.start = [self](test::ScriptContext& context) {
    if (self == 0) context.compute(1e-2, 0);
  };
  handlers.message = [&job](test::ScriptContext& context, const Message& message) {
    job.note(context, "token");
    context.compute(1e-2, message.payload.get<std::uint64_t>());
  };
  handlers.compute_done = [=](test::ScriptContext& context, std::uint64_t done) {
    if (done == steps) return;
    const auto next = static_cast<Rank>(random->below(processes));
    if (next == self)
      context.compute(1e-2, done + 1);
    else
      context.send(next, 0, 64).payload.put(done + 1);
  };
  return handlers;
}

/// `steps` draws of the next owner, which may be the present one.
inline Walk walk(const std::string& detector, const OptionValues& options, std::uint32_t processes,
                 std::uint64_t steps, std::uint64_t seed,
                 scenario::EngineKind engine = scenario::EngineKind::loggp) {
  test::Job job(processes, test::quick_machine());
  job.script(
      Family::workload,
      [&](ActorId self) { return token_holder(job, self, processes, steps, seed); },
      WorkloadTraits{.starts_at_root = true});
  job.detector(detector, options);
  Walk result{job.run(engine, seed), {0}};
  for (const test::Entry& entry : result.seen.log) result.owners.push_back(entry.actor);
  return result;
}

/// The token goes along a given path, from rank 0 on.
inline test::Seen walk_along(const std::string& detector, const OptionValues& options,
                             std::uint32_t processes, const std::vector<Rank>& path,
                             scenario::EngineKind engine) {
  test::Job job(processes, test::quick_machine());
  const auto to_next = [path](test::ScriptContext& context, std::uint64_t at) {
    if (at + 1 < path.size()) context.send(path[at + 1], 0, 64).payload.put(at + 1);
  };
  job.script(
      Family::workload,
      [=](ActorId self) {
        test::Handlers handlers;
        handlers.start = [=](test::ScriptContext& context) {
          if (self == 0) context.compute(1e-2, 0);
        };
        handlers.message = [](test::ScriptContext& context, const Message& message) {
          context.compute(1e-2, message.payload.get<std::uint64_t>());
        };
        handlers.compute_done = to_next;
        return handlers;
      },
      WorkloadTraits{.starts_at_root = true});
  job.detector(detector, options);
  return job.run(engine);
}

/// Rank 1 of two sends one message after the other and stays active to the end.
inline test::Seen stream_of_sends(const std::string& detector, const OptionValues& options,
                                  std::uint64_t sends,
                                  scenario::EngineKind engine = scenario::EngineKind::loggp) {
  test::Job job(2, test::quick_machine());
  job.script(Family::workload, [sends](ActorId self) {
    test::Handlers handlers;
    handlers.start = [self](test::ScriptContext& context) {
      if (self == 1) context.compute(1e-2, 0);
    };
    handlers.compute_done = [sends](test::ScriptContext& context, std::uint64_t done) {
      if (done == sends) return;
      context.send(0, 0, 64);
      context.compute(1e-2, done + 1);
    };
    return handlers;
  });
  job.detector(detector, options);
  return job.run(engine);
}

}  // namespace faultline::termination
