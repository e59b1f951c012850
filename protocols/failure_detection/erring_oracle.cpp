// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/erring_oracle.hpp"

#include <string>

#include "protocols/failure_detection/notice_options.hpp"

namespace faultline::failure_detection {

namespace {

enum Kind : std::uint16_t { kReport };

OptionSet<ErringOracleOptions> options() {
  using Options = ErringOracleOptions;
  OptionSet<Options> set;
  set.option("reporter", &Options::reporter, {.doc = "the rank that takes another one for dead"})
      .option("accused", &Options::accused, {.doc = "the live rank that is taken for dead"})
      .option("report_s", &Options::report_s,
              {.doc = "time at which the reporter takes the accused for dead, if both live",
               .unit = "s",
               .source = "assumed",
               .minimum = 0.0,
               .maximum = 1e9})
      .option("spreads", &Options::spreads,
              {.doc = "the reporter tells all other ranks, and the accused stops when it hears of "
                      "it; otherwise only the reporter believes it"});
  add_notice_options(set);
  return set.option("control_bytes", &Options::control_bytes,
                    {.doc = "size of a message", .unit = "B", .source = "assumed: two words"});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const ErringOracleOptions read = options().read(values);
  std::vector<OptionProblem> problems;
  const auto require_rank = [&](const char* option, Rank rank) {
    if (rank >= job.processes)
      problems.push_back({option, "expected a rank below " + std::to_string(job.processes) +
                                      ", got " + std::to_string(rank)});
  };
  require_rank("reporter", read.reporter);
  require_rank("accused", read.accused);
  if (read.reporter == read.accused)
    problems.push_back({"accused", "expected another rank than the reporter, got " +
                                       std::to_string(read.accused) + " for both"});
  return problems;
}

Registration erring_oracle() {
  Registration registered = registration<ErringOracle>(
      {.family = Family::failure_detection,
       .name = "erring-oracle",
       .summary = "as oracle, but one rank takes a stated live rank for dead",
       .source = "none: made to show what a protocol does after a false report",
       .message_kinds = {"report"},
       .check = check},
      options());
  registered.declare<DetectorTraits>().exit_notice = [](const OptionValues& values) -> ExitNotice {
    return exit_notice_of(options().read(values));
  };
  registered.declare<DetectorTraits>().bound = [](const OptionValues& values,
                                                  const DetectionCase&) {
    return notice_bound_of(options().read(values));
  };
  return registered;
}

const Registered registered{erring_oracle()};

}  // namespace

void ErringOracle::start(DetectorContext& context) {
  // A new process in the reporter's place does not repeat the mistake.
  if (context.self() == options_->reporter && context.incarnation() == 0)
    context.set_timer(0, options_->report_s);
}

void ErringOracle::on_timer(DetectorContext& context, std::uint64_t) {
  const Incarnation accused = context.known(options_->accused);
  context.report_failed(accused);
  if (!options_->spreads) return;
  for (Rank rank = 0; rank < context.job().processes; ++rank)
    if (rank != context.self())
      context.send(rank, kReport, options_->control_bytes).payload.put(accused);
}

void ErringOracle::on_message(DetectorContext& context, const Message& message) {
  context.report_failed(message.payload.get<Incarnation>());
}

}  // namespace faultline::failure_detection
