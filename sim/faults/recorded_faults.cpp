// SPDX-License-Identifier: Apache-2.0

// The source `trace`: faults as a trace has recorded them.

#include <algorithm>
#include <set>
#include <utility>

#include "sim/faults/fault_source.hpp"
#include "sim/faults/fault_trace.hpp"

namespace faultline::faults {
namespace {

struct TraceOptions {
  FaultTraceInput file;
  std::optional<std::int64_t> system;
  std::int64_t first_node = 0;
  double begin_s = 0.0;
  std::string begin = "start";
  double time_scale = 1.0;
  bool spare_root = false;
  std::optional<std::uint64_t> limit;
};

const OptionSet<TraceOptions>& trace_options() {
  using Options = TraceOptions;
  static const auto set =
      OptionSet<Options>()
          .option(
              "file", &Options::file,
              {.doc = "LANL failure data, an event_trace of the Failure Trace Archive, a SimGrid "
                      "state profile, or a table with columns node, down and up; recognized "
                      "by its content",
               .required = true})
          .option(
              "system", &Options::system,
              {.doc = "LANL: System, FTA: platform_id, table: system; needed if a file has several",
               .minimum = 0})
          .option("first_node", &Options::first_node,
                  {.doc = "the node of the trace that is the job's node 0; the job takes as many "
                          "nodes as it needs, and failures of all others do not affect it. For a "
                          "SimGrid profile, the job's node that the profile is about",
                   .minimum = 0})
          .option("begin_s", &Options::begin_s,
                  {.doc = "time from the first failure of the system (SimGrid: from time zero of "
                          "the profile) to the beginning of the run; earlier failures are ignored",
                   .unit = "s",
                   .minimum = -1e12,
                   .maximum = 1e12})
          .option("begin", &Options::begin,
                  {.doc = "start: the run begins at begin_s; random: each replication draws a "
                          "later moment to begin at, and the part of the record before that moment "
                          "follows its end",
                   .choices = {"start", "random"}})
          .option("time_scale", &Options::time_scale,
                  {.doc = "simulated seconds for each second of the trace",
                   .minimum = 0,
                   .above_minimum = true})
          .option("spare_root", &Options::spare_root,
                  {.doc = "the node that holds rank 0 at the start never dies"})
          .option("limit", &Options::limit,
                  {.doc = "number of faults after which the source ends; null: the trace ends it, "
                          "and the run does not wait for the faults",
                   .minimum = 1});
  return set;
}

/// A failure of a node of the job, in seconds since the start of the run.
struct Failure {
  double time_s = 0.0;
  NodeId node = kNobody;
  double back_s = kNever;  ///< when the node is repaired
};

/// The node of the job that a node of the trace stands for, or kNobody.
NodeId node_in_job(std::int64_t node, const TraceOptions& options, const FaultTarget& target) {
  const std::int64_t place = node - options.first_node;
  return place >= 0 && place < std::int64_t{target.job.nodes} ? static_cast<NodeId>(place)
                                                              : kNobody;
}

std::vector<FaultRecord> records_of_system(const TraceOptions& options) {
  std::vector<FaultRecord> kept = options.file.content->records;
  if (options.system)
    std::erase_if(kept,
                  [&](const FaultRecord& record) { return record.system != *options.system; });
  return kept;
}

/// The failures of the chosen system from begin_s on.
struct Record {
  std::vector<FaultRecord> failures;
  double begin_s = 0.0;
};

Record record_from_begin(const TraceOptions& options) {
  Record record{records_of_system(options), 0.0};
  if (record.failures.empty()) return record;
  record.begin_s = record.failures.front().time_s + options.begin_s;
  std::erase_if(record.failures,
                [&](const FaultRecord& failure) { return failure.time_s < record.begin_s; });
  return record;
}

/// The failures that hit nodes of the job, in order of time.
std::vector<Failure> failures_of_job(const TraceOptions& options, const FaultTarget& target) {
  const Record record = record_from_begin(options);
  std::vector<Failure> failures;
  const auto since_begin_s = [&](double time_s) {
    return (time_s - record.begin_s) * options.time_scale;
  };
  for (const FaultRecord& failure : record.failures) {
    const NodeId node = node_in_job(failure.node, options, target);
    if (node != kNobody)
      failures.push_back({.time_s = since_begin_s(failure.time_s),
                          .node = node,
                          .back_s = since_begin_s(failure.end_s.value_or(kNever))});
  }
  return failures;
}

/// The time after which the record repeats. The mean time between failures passes between the last
/// failure and the repetition. 0 if all failures are at the beginning.
double turn_s(const TraceOptions& options) {
  const Record record = record_from_begin(options);
  if (record.failures.empty()) return 0.0;
  const double first_s = record.failures.front().time_s;
  const double last_s = record.failures.back().time_s;
  const auto gaps = static_cast<double>(record.failures.size() - 1);
  const double mean_gap_s = gaps > 0 ? (last_s - first_s) / gaps : 0.0;
  return (last_s - record.begin_s + mean_gap_s) * options.time_scale;
}

/// Starts the record at a random moment and appends what was before that moment. Failures at the
/// same time stay at the same time, so they remain one fault.
std::vector<Failure> from_random_moment(std::vector<Failure> failures, double turn_s,
                                        Stream random) {
  const double moment_s = turn_s * random.uniform();
  for (Failure& failure : failures) {
    const double shift_s = failure.time_s < moment_s ? turn_s - moment_s : -moment_s;
    failure.time_s += shift_s;
    failure.back_s += shift_s;
  }
  std::stable_sort(failures.begin(), failures.end(),
                   [](const Failure& a, const Failure& b) { return a.time_s < b.time_s; });
  return failures;
}

/// Plays back recorded failures. Those at the same time are one fault.
class RecordedFaults final : public FaultSource {
 public:
  RecordedFaults(std::vector<Failure> failures, const TraceOptions& options,
                 const FaultTarget& target)
      : failures_(std::move(failures)), processes_(target.job.processes), left_(options.limit) {}

  [[nodiscard]] std::unique_ptr<FaultSource> clone() const override {
    return std::make_unique<RecordedFaults>(*this);
  }
  std::optional<double> next_time_s() override {
    begin_ = end_;
    if (begin_ == failures_.size() || (left_ && *left_ == 0)) return std::nullopt;
    if (left_) --*left_;
    while (end_ < failures_.size() && failures_[end_].time_s == failures_[begin_].time_s) ++end_;
    return failures_[begin_].time_s;
  }

  std::vector<ActorId> victims(const ParentOf&) override {
    std::vector<ActorId> daemons;
    daemons.reserve(end_ - begin_);
    for (std::size_t i = begin_; i < end_; ++i) daemons.push_back(processes_ + failures_[i].node);
    return daemons;
  }

  [[nodiscard]] std::vector<double> repairs_s() const override {
    std::vector<double> times_s;
    times_s.reserve(end_ - begin_);
    for (std::size_t i = begin_; i < end_; ++i) times_s.push_back(failures_[i].back_s);
    return times_s;
  }

 private:
  std::vector<Failure> failures_;
  std::uint32_t processes_;
  std::optional<std::uint64_t> left_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// How many failures of a profile may lie before begin_s. If there are more, it has no faults.
constexpr std::size_t kMostBeforeBegin = 1000000;

/// Faults of one node, which a profile switches off repeatedly.
class ProfileFaults final : public FaultSource {
 public:
  ProfileFaults(const TraceOptions& options, const FaultTarget& target, Stream random)
      : content_(options.file.content),
        walk_(content_->profile, random),
        options_(options),
        daemon_(target.job.processes + static_cast<ActorId>(options.first_node)),
        spared_(options.spare_root && options.first_node == std::int64_t{target.node_of[0]}) {}

  [[nodiscard]] std::unique_ptr<FaultSource> clone() const override {
    return std::make_unique<ProfileFaults>(*this);
  }
  std::optional<double> next_time_s() override {
    if (options_.limit && *options_.limit == 0) return std::nullopt;
    if (options_.limit) --*options_.limit;
    for (std::size_t before = 0; before < kMostBeforeBegin; ++before) {
      const auto time_s = walk_.next_failure_s();
      if (!time_s) return std::nullopt;
      if (*time_s >= options_.begin_s) return since_begin_s(*time_s);
    }
    return std::nullopt;
  }

  std::vector<ActorId> victims(const ParentOf&) override {
    if (spared_) return {};
    return {daemon_};
  }

  [[nodiscard]] std::vector<double> repairs_s() const override {
    if (spared_) return {};
    return {since_begin_s(walk_.back_s())};
  }

 private:
  [[nodiscard]] double since_begin_s(double time_s) const {
    return (time_s - options_.begin_s) * options_.time_scale;
  }

  std::shared_ptr<const FaultTrace> content_;
  ProfileWalk walk_;
  TraceOptions options_;
  ActorId daemon_;
  bool spared_;
};

std::vector<OptionProblem> check_profile(const TraceOptions& options, const FaultTarget& target) {
  std::vector<OptionProblem> problems;
  if (options.first_node >= std::int64_t{target.job.nodes})
    problems.push_back({"first_node", "expected the job's node of the profile, 0 to " +
                                          std::to_string(target.job.nodes - 1)});
  if (options.system)
    problems.push_back({"system", "a SimGrid profile has no systems, expected null"});
  if (options.begin != "start")
    problems.push_back({"begin", "a SimGrid profile states itself what is random, expected start"});
  return problems;
}

/// The systems of a trace, as many as people read; "" if it has only one.
std::string systems_of(const FaultTrace& trace) {
  constexpr std::size_t kNamed = 20;
  std::set<std::int64_t> systems;
  for (const FaultRecord& record : trace.records) systems.insert(record.system);
  if (systems.size() == 1) return "";
  std::string text;
  for (auto [system, named] = std::pair(systems.begin(), std::size_t{0});
       system != systems.end() && named < kNamed; ++system, ++named)
    text += (named == 0 ? "" : ", ") + std::to_string(*system);
  return text + (systems.size() > kNamed ? ", ..." : "");
}

/// Why a trace has no failure of the job's nodes.
OptionProblem misses_job(const TraceOptions& options, const FaultTarget& target) {
  const std::vector<FaultRecord> failures = record_from_begin(options).failures;
  if (failures.empty()) return {"begin_s", "the trace has no failure from this time on"};
  const auto [least, most] = std::ranges::minmax(failures, {}, &FaultRecord::node);
  return {"first_node", "the trace has no failure of nodes " + std::to_string(options.first_node) +
                            " to " + std::to_string(options.first_node + target.job.nodes - 1) +
                            " after begin_s, only of " +
                            (least.node == most.node ? "node " + std::to_string(least.node)
                                                     : "nodes from " + std::to_string(least.node) +
                                                           " to " + std::to_string(most.node))};
}

std::vector<OptionProblem> check_trace(const TraceOptions& options, const FaultTarget& target) {
  const FaultTrace& trace = *options.file.content;
  if (trace.format == TraceFormat::simgrid) return check_profile(options, target);
  const std::string systems = systems_of(trace);
  if (!options.system && !systems.empty())
    return {{"system", "the trace has several systems, expected one of " + systems}};
  if (records_of_system(options).empty())
    return {{"system", "the trace has no failure of this system" +
                           (systems.empty() ? "" : ", expected one of " + systems)}};
  if (!failures_of_job(options, target).empty()) {
    if (options.begin == "start" || turn_s(options) > 0) return {};
    return {{"begin", "all failures of the trace are at the same moment, expected start"}};
  }
  return {misses_job(options, target)};
}

FaultSourceRegistration recorded() {
  FaultSourceRegistration made{.name = "trace",
                               .summary = "failures of nodes as recorded on a real machine",
                               .source = "formats: docs/faults.md"};
  made.options = trace_options().specs();
  made.check = [](const OptionValues& values, const FaultTarget& target) {
    return check_trace(trace_options().read(values), target);
  };
  made.make = [](const OptionValues& values, const FaultTarget& target,
                 const std::string& key) -> std::unique_ptr<FaultSource> {
    const TraceOptions options = trace_options().read(values);
    if (options.file.content->format == TraceFormat::simgrid)
      return std::make_unique<ProfileFaults>(options, target, fault_stream(target, key, "time"));
    auto failures = failures_of_job(options, target);
    if (options.begin == "random")
      failures = from_random_moment(std::move(failures), turn_s(options),
                                    fault_stream(target, key, "begin"));
    if (options.spare_root)
      std::erase_if(failures,
                    [&](const Failure& failure) { return failure.node == target.node_of[0]; });
    return std::make_unique<RecordedFaults>(std::move(failures), options, target);
  };
  return made;
}

const RegisteredFaultSource trace{recorded()};

}  // namespace
}  // namespace faultline::faults
