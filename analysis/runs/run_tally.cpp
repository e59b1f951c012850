#include "analysis/runs/run_tally.hpp"

#include <algorithm>
#include <cstdio>

namespace faultline {

namespace {

std::string in_words(const JsonValue& violation) {
  char time[32];
  std::snprintf(time, sizeof time, "%.9g", *number_of(*violation.find("time_s")));
  return *violation.find("kind")->text() + " at " + time +
         " s: " + *violation.find("detail")->text();
}

}  // namespace

void RunTally::add(const ReplicationRecord& record) {
  ++replications;
  code = std::max(code, exit_code(record));
  PointTally& point = points[record.point];
  if (!record.error.empty()) {
    ++point.outcomes["crashed"];
    crashes.push_back({record.point, record.replication, record.error});
    add_trouble(record, record.error);
    return;
  }
  for (const JsonMember& member : *record.json.find("metrics")->object()) {
    if (member.key == "outcome") {
      ++point.outcomes[*member.value.text()];
      continue;
    }
    metrics.insert(member.key);
    const auto number = number_of(member.value);
    if (member.key == "terminated" || (!number && !member.value.is_null())) continue;
    RunningSummary& summary = point.metrics[member.key];
    if (number) summary.add(*number);
  }
  for (const JsonValue& violation : *record.json.find("violations")->list())
    add_trouble(record, in_words(violation));
}

void RunTally::add_trouble(const ReplicationRecord& record, const std::string& what) {
  constexpr std::size_t kKept = 5;  // the JSON has them all
  if (++troubles <= kKept) first_troubles.push_back({record.point, record.replication, what});
}

ExitCode exit_code(const RunTally& tally) {
  return tally.end.interrupted ? std::max(tally.code, kExitInterrupted) : tally.code;
}

}  // namespace faultline
