// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>

#include "tests/support/job.hpp"

/// A small workload, and protocols that break a promise over it.
namespace faultline::audit {

/// A detector that announces at that time at every rank, whatever the ranks do.
inline void announce_at(test::Job& job, double time_s) {
  job.script(Family::termination, [time_s](ActorId) {
    return test::Handlers{
        .start = [time_s](test::ScriptContext& context) { context.set_timer(1, time_s); },
        .timer = [](test::ScriptContext& context, std::uint64_t) { context.announce(); }};
  });
}

/// Rank 0 sends one message, handled at 12, upon which rank 1 computes until 32.
inline void one_message(test::Job& job) {
  job.script(Family::workload, [](ActorId self) {
    return test::Handlers{
        .start =
            [self](test::ScriptContext& context) {
              if (self == 0) context.send(1, 0, 0);
            },
        .message = [](test::ScriptContext& context, const Message&) { context.compute(20); }};
  });
}

/// A layer that does with the first application message of rank 0 what `treat` does.
inline void first_message(test::Job& job,
                          const std::function<void(test::ScriptContext&, Message&)>& treat) {
  job.script(Family::message_logging, [treat](ActorId) {
    return test::Handlers{
        .sends = [treat](test::ScriptContext& context, std::span<Message* const> batch, bool) {
          for (Message* message : batch) {
            if (message->channel == Family::workload)
              treat(context, *message);
            else
              context.forward(*message);
          }
        }};
  });
}

/// The text of the first violation. There must be one.
inline const std::string& first_detail(const test::Seen& seen) {
  return seen.result.violations.at(0).detail;
}

}  // namespace faultline::audit
