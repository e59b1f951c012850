// SPDX-License-Identifier: Apache-2.0

// The recursion for the time of a commit: by hand on complete trees, against the engine on others.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/theory/commit_time.hpp"
#include "protocols/transactions/agreement.hpp"
#include "sim/platform/topology.hpp"
#include "tests/support/job.hpp"

namespace faultline::theory {

using namespace test;

namespace {

CommitModel model_of(const platform::Machine& machine, std::uint32_t members, bool two_sweeps) {
  const auto routes = std::make_shared<const platform::Topology>(
      machine.topology, machine.hop_latency_s, machine.link_bandwidth_Bps);
  return {.machine = machine,
          .members = members,
          .two_sweeps = two_sweeps,
          .route_latency_s = [routes](Rank from, Rank to) {
            return routes->route(from, to).latency_s;
          }};
}

/// The content of a message, in a run in which nothing fails.
struct TreeWords {
  std::uint64_t kind = 0;
  std::uint64_t sweep = 0;
};

/// The members of a job agree once, at its start.
struct Simulated {
  double root_knows_s = 0.0;
  double last_knows_s = 0.0;
  double messages = 0.0;
};

Handlers agreeing(Job& job, ActorId self, std::uint32_t members,
                  transactions::AgreementAlgorithm algorithm) {
  const auto member = std::make_shared<transactions::Agreement>(algorithm, self, members);
  const auto carry_out = [&job](ScriptContext& context,
                                const transactions::AgreementOutput& output) {
    for (const transactions::AgreementOutput::Decision& decision : output.decisions)
      job.note(context, "knows", static_cast<std::int64_t>(decision.number));
    for (const transactions::AgreementOutput::Send& send : output.sends) {
      Message& message = context.send(send.to, 0, transactions::agreement_bytes(send.message));
      message.payload.put(
          TreeWords{static_cast<std::uint64_t>(send.message.kind), send.message.sweep});
    }
  };
  return {.start =
              [member, carry_out](ScriptContext& context) {
                transactions::AgreementOutput output;
                member->contribute(0, {}, output);
                carry_out(context, output);
              },
          .message =
              [member, carry_out](ScriptContext& context, const Message& message) {
                const auto words = message.payload.get<TreeWords>();
                transactions::AgreementOutput output;
                member->on_message(
                    message.from,
                    {.kind = static_cast<transactions::AgreementMessageKind>(words.kind),
                     .sweep = words.sweep},
                    output);
                carry_out(context, output);
              }};
}

Simulated simulate(const platform::Machine& machine, std::uint32_t members, bool two_sweeps) {
  Job job(members, machine);
  job.spec.platform.whole_machine = true;
  job.script(Family::workload, [&job, members, two_sweeps](ActorId self) {
    return agreeing(job, self, members,
                    two_sweeps ? transactions::AgreementAlgorithm::two_phase
                               : transactions::AgreementAlgorithm::era);
  });
  const Seen seen = job.run(scenario::EngineKind::loggp);
  REQUIRE(seen.count("knows") == members);
  Simulated found;
  found.root_knows_s = seen.times_s(0, "knows").front();
  for (const Entry& entry : seen.log)
    if (entry.what == "knows") found.last_knows_s = std::max(found.last_knows_s, entry.time_s);
  found.messages = seen.metric("application_messages");
  return found;
}

void check_against_engine(const platform::Machine& machine, std::uint32_t members) {
  for (const bool two_sweeps : {false, true}) {
    CAPTURE(machine.name, members, two_sweeps);
    const CommitTimes times = commit_times(model_of(machine, members, two_sweeps));
    const Simulated simulated = simulate(machine, members, two_sweeps);
    CHECK(simulated.root_knows_s == Approx(times.root_knows_s).epsilon(1e-12).margin(1e-15));
    CHECK(simulated.last_knows_s == Approx(times.last_knows_s).epsilon(1e-12).margin(1e-15));
    CHECK(simulated.messages == static_cast<double>(times.messages));
  }
}

}  // namespace

TEST_CASE("commit time: complete trees, level by level", "[commit_time]") {
  const platform::Machine machine = quick_machine();
  // Both children's messages come at once; the second waits for the processor, as o_r is above g.
  const double way_s = 1e-6 + 2e-7 + 92 / 1e9;
  const double up_s = 1e-6 + way_s + 2e-6;
  const double down_s = 2e-6 + way_s + 1e-6;
  for (std::uint32_t depth = 0; depth <= 10; ++depth) {
    const std::uint32_t members = (2U << depth) - 1;
    const CommitTimes once = commit_times(model_of(machine, members, false));
    CHECK(once.root_knows_s == Approx(depth * up_s).epsilon(1e-12));
    CHECK(once.last_knows_s == Approx(depth * (up_s + down_s)).epsilon(1e-12));
    CHECK(once.messages == 2UL * (members - 1));
    const CommitTimes twice = commit_times(model_of(machine, members, true));
    CHECK(twice.messages == 4UL * (members - 1));
    // The second contribution of the last leaf leaves when it knows of the first decision. On the
    // way up only the later children count: the earlier ones' messages have been received.
    const double later_up_s = 1e-6 + way_s + 1e-6;
    CHECK(twice.last_knows_s ==
          Approx(depth * (up_s + down_s + later_up_s + down_s)).epsilon(1e-12));
  }
}

TEST_CASE("commit time: one message at a time is o_s + L + k G + o_r", "[commit_time]") {
  platform::Machine machine = quick_machine();
  machine.link_bandwidth_Bps = 5e8;
  const double message_s = 1e-6 + 1e-6 + 2e-7 + 92 / 5e8 + 1e-6;
  const CommitTimes times = commit_times(model_of(machine, 2, false));
  CHECK(times.root_knows_s == Approx(message_s).epsilon(1e-12));
  CHECK(times.last_knows_s == Approx(2 * message_s).epsilon(1e-12));
  CHECK(commit_times(model_of(machine, 2, true)).last_knows_s ==
        Approx(4 * message_s).epsilon(1e-12));
  CHECK(commit_times(model_of(machine, 1, true)).last_knows_s == 0.0);
}

TEST_CASE("commit time: as long as an agreement takes on loggp, whatever is slow",
          "[commit_time]") {
  platform::Machine torus = quick_machine(1000);
  torus.name = "torus";
  torus.topology = platform::Torus{{10, 10, 10}};
  platform::Machine slow = quick_machine(1000);
  slow.name = "slow";
  slow.gap_s = 5e-6;
  slow.nic_bandwidth_Bps = 2e7;
  slow.link_bandwidth_Bps = 1e7;
  for (const std::uint32_t members : {1U, 2U, 3U, 6U, 31U, 50U, 64U, 333U, 1000U}) {
    check_against_engine(quick_machine(1000), members);
    check_against_engine(torus, members);
    check_against_engine(slow, members);
  }
}

TEST_CASE("commit time: grows with the members, and two sweeps take about twice as long",
          "[commit_time]") {
  const platform::Machine machine = quick_machine(65536);
  double last_s = 0.0;
  for (std::uint32_t members = 64; members <= 65536; members *= 4) {
    const CommitTimes once = commit_times(model_of(machine, members, false));
    const CommitTimes twice = commit_times(model_of(machine, members, true));
    CHECK(once.last_knows_s > last_s);
    CHECK(once.root_knows_s < once.last_knows_s);
    CHECK(twice.last_knows_s / once.last_knows_s == Approx(2.0).margin(0.15));
    last_s = once.last_knows_s;
  }
}

}  // namespace faultline::theory
