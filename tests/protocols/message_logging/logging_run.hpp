// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/protocols/message_logging/exchange_program.hpp"
#include "tests/support/job.hpp"
#include "tests/support/random_death.hpp"

namespace faultline::message_logging {

/// All that a random run under a protocol of message logging depends on. Fewer and smaller is
/// simpler, so that a counterexample can be shrunk.
struct LoggingRun {
  std::uint64_t seed = 1;
  std::uint32_t processes = 2;
  std::uint32_t processes_per_node = 1;
  Exchange exchange;
  bool random_costs = false;
  scenario::Ordering ordering = scenario::Ordering::fifo;
  double unordered_delay_s = 1e-5;
  double notice_delay_s = 1e-5;
  double notice_spread_s = 0.0;
  double restart_delay_s = 0.0;
  std::vector<test::DeathSpec> deaths;
};

/// A protocol that is searched for counterexamples.
struct ProtocolUnderTest {
  std::string name;
  OptionValues options;
  bool any_order = true;  ///< its programs may depend on the order of messages
  bool needs_fifo = false;
  std::size_t survives = 1;  ///< deaths that must not make it give up, wherever they are
  std::function<void(scenario::RunSpec&)> change = {};  ///< makes a mistake, for instance
};

/// The run that a seed stands for. Its deaths are drawn among `events`.
LoggingRun draw_logging_run(std::uint64_t seed, const ProtocolUnderTest& protocol);

std::string describe(const LoggingRun& run);

test::Seen make_run(const LoggingRun& run, const ProtocolUnderTest& protocol,
                    scenario::EngineKind engine);

/// "" if the program has come to its right end or the protocol could give up, else what is wrong.
std::string broken_promise(const LoggingRun& run, const ProtocolUnderTest& protocol,
                           scenario::EngineKind engine);

/// Tries the runs of seeds 1 to `runs`. What it has found, shrunk, in words; "" if nothing.
std::string counterexample(const ProtocolUnderTest& protocol, scenario::EngineKind engine,
                           std::uint64_t runs);

/// Uses a protocol, and lets it take no processor time, so that deaths come where a test wants
/// them.
void use_logging(test::Job& job, const std::string& name, OptionValues options = {});

/// Uses the program of these tests. `notes`: it notes its ends.
void use_exchange(test::Job& job, const Exchange& exchange, bool notes = false);

}  // namespace faultline::message_logging
