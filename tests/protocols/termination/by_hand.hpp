// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::termination {

/// What a rank does when it starts or handles a message of that number: it sends the next numbers
/// to some ranks, in one batch, and computes for a while.
struct Doing {
  Rank rank = 0;
  std::uint16_t on = 0;  ///< 0: when it starts
  std::vector<std::pair<Rank, std::uint16_t>> sends = {};
  double compute_s = 0.0;
};

/// A workload that a test has written down step by step, on round_machine: a message is handled
/// 12 s after its send began.
inline void follow(test::Job& job, const std::vector<Doing>& doings, bool starts_at_root) {
  job.script(Family::workload,
             [doings](ActorId self) {
               const auto act = [doings, self](test::ScriptContext& context, std::uint16_t on) {
                 for (const Doing& doing : doings) {
                   if (doing.rank != self || doing.on != on) continue;
                   for (const auto& [to, number] : doing.sends) context.send(to, number, 0);
                   if (doing.compute_s > 0) context.compute(doing.compute_s);
                 }
               };
               return test::Handlers{
                   .start = [act](test::ScriptContext& context) { act(context, 0); },
                   .message = [act](test::ScriptContext& context,
                                    const Message& message) { act(context, message.kind); }};
             },
             {.traits = WorkloadTraits{.starts_at_root = starts_at_root}});
}

/// Notes "credit" with what the detector has put on every application message that leaves.
inline void note_shares(test::Job& job) {
  job.script(Family::message_logging, [&job](ActorId) {
    return test::Handlers{
        .sends = [&job](test::ScriptContext& context, std::span<Message* const> batch, bool) {
          for (Message* message : batch) {
            if (message->channel == Family::workload)
              job.note(context, "credit", message->termination.get<std::int64_t>());
            context.forward(*message);
          }
        }};
  });
}

/// Control messages of one kind.
inline double control(const test::Seen& seen, const std::string& kind) {
  return seen.metric("control_messages." + kind);
}

/// When the last rank learnt of the end; never if the run did not end well.
inline double announced_s(const test::Seen& seen) {
  return seen.result.outcome == engine::Outcome::terminated ? seen.metric("announce_time_s")
                                                            : kNever;
}

/// A time worked out on paper, as exact as the engine is.
inline Approx by_hand(double time_s, scenario::EngineKind engine) {
  return Approx(time_s).epsilon(test::time_tolerance(engine)).margin(0);
}

}  // namespace faultline::termination
