// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>

#include "analysis/theory/survival_report.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/fault_counts_file.hpp"

namespace faultline::cli {
namespace {

namespace po = boost::program_options;

/// Job size and fanouts of the paper's Table 1.
constexpr std::int64_t paper_processes = 1024;
constexpr std::array<std::int64_t, 4> paper_fanouts = {2, 8, 32, 512};

struct SurvivalRequest {
  std::int64_t processes = paper_processes;
  std::vector<std::int64_t> fanouts;
  std::vector<std::int64_t> left_out;  ///< fanouts of the paper that are too large for this job
  std::string faults;
  std::string format;
};

[[noreturn]] void refuse(const std::string& problem) { throw UsageError("survival: " + problem); }

std::int64_t integer_option(const std::string& option, const std::string& text, std::int64_t low,
                            std::int64_t high, const std::string& reason = "") {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < low || value > high) {
    refuse(option + ": expected an integer from " + std::to_string(low) + " to " +
           std::to_string(high) + reason + ", got " + json::in_quotes(text));
  }
  return value;
}

std::vector<std::int64_t> parse_fanouts(std::string_view text, std::int64_t processes) {
  const std::string reason = " (a process has at most N - 1 successors; N is " +
                             std::to_string(processes) + "), several separated by commas";
  std::vector<std::int64_t> fanouts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item(text.substr(begin, end - begin));
    const std::int64_t fanout = integer_option("--fanout", item, 0, processes - 1, reason);
    // Whatever reads the CSV would count two equal rows twice.
    if (std::find(fanouts.begin(), fanouts.end(), fanout) != fanouts.end()) {
      refuse("--fanout: " + std::to_string(fanout) + " is named twice");
    }
    fanouts.push_back(fanout);
    begin = end + 1;
  }
  return fanouts;
}

SurvivalRequest survival_request(const po::variables_map& values) {
  SurvivalRequest request;
  request.processes = integer_option("--processes", values["processes"].as<std::string>(), 1,
                                     faults::max_fault_size);
  if (values.count("fanout") > 0) {
    request.fanouts = parse_fanouts(values["fanout"].as<std::string>(), request.processes);
  } else {
    for (const std::int64_t fanout : paper_fanouts) {
      (fanout < request.processes ? request.fanouts : request.left_out).push_back(fanout);
    }
  }
  request.faults = values["faults"].as<std::string>();
  if (request.faults.empty()) refuse("--faults: expected a name or a .json file, got \"\"");
  request.format = values["format"].as<std::string>();
  return request;
}

VerbOptions survival_options() {
  VerbOptions verb{.verb = "survival",
                   .usage =
                       "survival [--processes N] [--fanout F,F,...]\n"
                       "       [--faults NAME|FILE] [--format table|json|csv]",
                   .about =
                       "Computes in closed form which share of recorded faults adoption-based "
                       "termination detection survives (adoption-2013-lifflander, Table 1)."};
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add("processes", text("N")->default_value("1024"), "processes of the job, 1 to 1000000000");
  add("fanout", text("F,F,..."),
      "processes that one process sends to, 0 to N-1 each; default: those of 2,8,32,512 that N "
      "allows");
  add("faults", text("NAME|FILE")->default_value("jaguar"),
      "fault distribution: a shipped name or a .json file of counts");
  add_format(verb, {"table", "json", "csv"});
  verb.choices["faults"] = such_as(scenario::fault_count_names);
  return verb;
}

int carry_out_survival(const Call& call) {
  const po::variables_map& values = call.values;
  const SurvivalRequest request = survival_request(values);
  const faults::FaultCounts faults = scenario::find_fault_counts(request.faults);
  const theory::SurvivalReport report = {
      .processes = request.processes,
      .faults = faults,
      .rows = theory::survival_rows(request.processes, request.fanouts, faults),
      .left_out = request.left_out};
  if (request.format == "json") {
    call.out << theory::survival_json(report);
  } else if (request.format == "csv") {
    call.out << theory::survival_csv(report);
  } else {
    call.out << theory::survival_table(report);
  }
  return 0;
}

}  // namespace

Verb survival_verb() {
  return {.name = "survival",
          .summary = "compute survival of a machine's recorded faults in closed form",
          .options = survival_options,
          .run = carry_out_survival};
}

}  // namespace faultline::cli
