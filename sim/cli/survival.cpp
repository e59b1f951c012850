#include "sim/cli/survival.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>

#include "analysis/text/text_table.hpp"
#include "analysis/theory/survival.hpp"
#include "sim/cli/options.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/fault_counts_file.hpp"

namespace faultline {
namespace {

namespace po = boost::program_options;

/// Job size and fanouts of the paper's Table 1.
constexpr std::int64_t paper_processes = 1024;
constexpr std::array<std::int64_t, 4> paper_fanouts = {2, 8, 32, 512};
/// Table 1 adds up the faults of more nodes than this.
constexpr std::int64_t largest_listed_fault = 20;

struct Request {
  std::int64_t processes = paper_processes;
  std::vector<std::int64_t> fanouts;
  std::vector<std::int64_t> left_out;  ///< fanouts of the paper that so small a job cannot have
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
           std::to_string(high) + reason + ", got " + in_quotes(text));
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
    // Two equal rows would count double in whatever reads the CSV.
    if (std::find(fanouts.begin(), fanouts.end(), fanout) != fanouts.end()) {
      refuse("--fanout: " + std::to_string(fanout) + " is named twice");
    }
    fanouts.push_back(fanout);
    begin = end + 1;
  }
  return fanouts;
}

Request request_of(const po::variables_map& values) {
  Request request;
  request.processes =
      integer_option("--processes", values["processes"].as<std::string>(), 1, max_fault_size);
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

std::string row_title(const SurvivalRow& row) {
  return row.fanout ? "INDEP\nf=" + std::to_string(*row.fanout) : "REL*";
}

/// Share of the faults, in percent with the paper's three decimals.
std::string percent(std::int64_t count, std::int64_t total) {
  return fixed(100.0 * static_cast<double>(count) / static_cast<double>(total), 3);
}

/// The table's line that adds up the large faults, as the paper's last column but one.
std::vector<std::string> tail_line(const std::vector<SurvivalRow>& rows,
                                   const FaultCounts& faults) {
  std::int64_t count = 0;
  for (const FaultCount& size : faults.by_size) {
    if (size.failed > largest_listed_fault) count += size.count;
  }
  std::vector<std::string> line = {"all >" + std::to_string(largest_listed_fault),
                                   std::to_string(count), percent(count, faults.total)};
  for (const SurvivalRow& row : rows) {
    double failure = 0.0;
    for (const SizeSurvival& size : row.by_size) {
      if (size.failed > largest_listed_fault) failure += size.failure_probability;
    }
    line.push_back(two_digits(failure));
  }
  return line;
}

TextTable paper_table(const std::vector<SurvivalRow>& rows, const FaultCounts& faults) {
  TextTable table;
  table.key_columns = 3;
  table.columns = {{"Nodes\nfailed"}, {"Faults"}, {"Fault\n%"}};
  for (const SurvivalRow& row : rows) table.columns.push_back({row_title(row)});
  for (std::size_t i = 0; i < faults.by_size.size(); ++i) {
    const FaultCount& size = faults.by_size[i];
    table.rows.push_back({std::to_string(size.failed), std::to_string(size.count),
                          percent(size.count, faults.total)});
    for (const SurvivalRow& row : rows) {
      table.rows.back().push_back(two_digits(row.by_size[i].failure_probability));
    }
  }
  const bool has_tail = faults.by_size.back().failed > largest_listed_fault;
  if (has_tail) table.rows.push_back(tail_line(rows, faults));
  std::vector<std::string> sum = {"all", std::to_string(faults.total), "100"};
  std::vector<std::string> survival = {"survival %", "", ""};
  for (const SurvivalRow& row : rows) {
    sum.push_back(two_digits(row.failure_probability));
    survival.push_back(fixed(row.survival_percent, 3));
  }
  table.rows.push_back(sum);
  table.rows.push_back(survival);
  return table;
}

void write_table(const Request& request, const FaultCounts& faults,
                 const std::vector<SurvivalRow>& rows, std::ostream& out) {
  out << wrapped("Faults that termination detection does not survive, in a job of " +
                 std::to_string(request.processes) +
                 " processes: probability that a fault has this size and is fatal")
      << '\n'
      << render(paper_table(rows, faults)) << '\n'
      << wrapped(
             "Closed forms: adoption-2013-lifflander, sections 5.4 (INDEP, fanout f) and 6.4 "
             "(REL*: REL-LAZY and REL-EAGER), laid out as its Table 1.")
      << wrapped("Faults: " + faults.name + ", " + std::to_string(faults.total) + " recorded" +
                 (faults.source.empty() ? "." : ". Source: " + faults.source + "."));
  for (const std::int64_t fanout : request.left_out) {
    out << "f=" << fanout << " is left out: a process has at most " << request.processes - 1
        << " successors here.\n";
  }
}

void write_json(const Request& request, const FaultCounts& faults,
                const std::vector<SurvivalRow>& rows, std::ostream& out) {
  nlohmann::ordered_json document;
  document["processes"] = request.processes;
  document["distribution"] = faults.name;
  document["source"] = faults.source;
  document["rows"] = nlohmann::ordered_json::array();
  for (const SurvivalRow& row : rows) {
    nlohmann::ordered_json entry;
    entry["protocol"] = row.protocol;
    entry["fanout"] = nullptr;
    if (row.fanout) entry["fanout"] = *row.fanout;
    entry["survival_percent"] = row.survival_percent;
    entry["failure_probability"] = row.failure_probability;
    entry["by_size"] = nlohmann::ordered_json::array();
    for (const SizeSurvival& size : row.by_size) {
      entry["by_size"].push_back({{"failed", size.failed},
                                  {"count", size.count},
                                  {"failure_probability", size.failure_probability}});
    }
    document["rows"].push_back(entry);
  }
  constexpr bool kAscii = true;  // so that no control character is left as it is
  out << document.dump(2, ' ', kAscii) << '\n';
}

void write_csv(const Request& request, const FaultCounts& faults,
               const std::vector<SurvivalRow>& rows, std::ostream& out) {
  out << csv_record({"processes", "distribution", "protocol", "fanout", "failed", "count",
                     "failure_probability", "survival_percent"});
  for (const SurvivalRow& row : rows) {
    const std::vector<std::string> key = {std::to_string(request.processes), faults.name,
                                          row.protocol,
                                          row.fanout ? std::to_string(*row.fanout) : ""};
    const auto write = [&](const std::string& failed, std::int64_t count, double failure,
                           double survival_percent) {
      std::vector<std::string> fields = key;
      fields.insert(fields.end(),
                    {failed, std::to_string(count), shortest(failure), shortest(survival_percent)});
      out << csv_record(fields);
    };
    for (const SizeSurvival& size : row.by_size) {
      write(std::to_string(size.failed), size.count, size.failure_probability,
            100.0 * size.given_fault.survival);
    }
    write("all", faults.total, row.failure_probability, row.survival_percent);
  }
}

}  // namespace

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
  verb.choices["faults"] = such_as(fault_count_names);
  return verb;
}

int survival_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  const VerbOptions verb = survival_options();
  const po::variables_map values = parse_options(verb, arguments);
  if (values.count("help") > 0) {
    out << help_text(verb);
    return 0;
  }
  const Request request = request_of(values);
  const FaultCounts faults = find_fault_counts(request.faults);
  const std::vector<SurvivalRow> rows = survival_rows(request.processes, request.fanouts, faults);
  if (request.format == "json") {
    write_json(request, faults, rows, out);
  } else if (request.format == "csv") {
    write_csv(request, faults, rows, out);
  } else {
    write_table(request, faults, rows, out);
  }
  return 0;
}

}  // namespace faultline
