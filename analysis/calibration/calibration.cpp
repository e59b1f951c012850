// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibration/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/calibration/segments.hpp"
#include "sim/core/error.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"
#include "sim/platform/network_figures.hpp"
#include "sim/scenario/machine_file.hpp"

namespace faultline::calibration {

namespace {

/// Sourced values of a machine file.
json::JsonValue sourced(double value, const std::string& unit, const std::string& status,
                        const std::string& source) {
  return json::json_object({{"value", json::json_number(value)},
                            {"unit", unit},
                            {"status", status},
                            {"source", source}});
}

constexpr double kPicosecondsPerSecond = 1e12;

/// Rounded up to four digits.
double to_four_digits(double value) {
  if (!(value > 0)) return value;
  const double exponent = 3 - std::floor(std::log10(value));
  const double digits = std::ceil(value * std::pow(10.0, exponent) - 1e-9);
  return exponent > 0 ? digits / std::pow(10.0, exponent) : digits * std::pow(10.0, -exponent);
}

double to_picosecond(double time_s) {
  return std::round(time_s * kPicosecondsPerSecond) / kPicosecondsPerSecond;
}

double up_to_picosecond(double time_s) {
  return std::ceil(time_s * kPicosecondsPerSecond - 1e-9) / kPicosecondsPerSecond;
}

/// The medians of all sizes, or of so many of them that the fit takes no longer than a second.
std::vector<Timing> medians_of(const Measurements& measurements, const std::string& files) {
  constexpr std::size_t kMostSizes = 2000;
  std::vector<Timing> timings = medians(measurements.half_round_trips);
  if (timings.size() > kMostSizes) {
    const auto longest = static_cast<double>(timings.back().bytes);
    timings = apart(timings, std::pow(longest, 1.0 / static_cast<double>(kMostSizes)));
  }
  if (timings.size() < kSizesOfSegment)
    throw UsageError(files + ": expected the times of messages of at least " +
                     std::to_string(kSizesOfSegment) + " sizes, got " +
                     std::to_string(timings.size()));
  return timings;
}

double shortest_s(const std::vector<Timing>& timings) {
  return std::ranges::min_element(timings, {}, &Timing::time_s)->time_s;
}

std::string source_of(const std::string& files, const std::vector<Timing>& timings) {
  return files + ", medians of half round trips at " + std::to_string(timings.size()) +
         " sizes (faultline calibrate)";
}

/// Rounds the segments so that still no message is faster than a shorter one.
std::vector<Segment> rounded(std::vector<Segment> segments) {
  for (std::size_t s = 0; s < segments.size(); ++s) {
    Segment& segment = segments[s];
    segment.byte_s = to_four_digits(segment.byte_s);
    segment.fixed_s = to_picosecond(segment.fixed_s);
    if (s == 0) continue;
    const auto from = static_cast<double>(segment.from_bytes);
    const Segment& before = segments[s - 1];
    const double least_s = before.fixed_s + from * before.byte_s - from * segment.byte_s;
    segment.fixed_s = std::max(segment.fixed_s, up_to_picosecond(least_s));
  }
  return segments;
}

double least_byte_s(const std::vector<Segment>& segments) {
  return std::ranges::min_element(segments, {}, &Segment::byte_s)->byte_s;
}

/// The costs of a table, where `other_s` of the fixed time of each segment is not latency.
json::JsonValue costs_of(const std::vector<Segment>& segments, double other_s,
                         const std::string& source) {
  json::JsonValue::List list;
  for (const Segment& segment : segments) {
    json::JsonValue range = json::json_object({});
    range.set("from_bytes", static_cast<std::int64_t>(segment.from_bytes));
    range.set("latency_s",
              sourced(to_picosecond(segment.fixed_s - other_s), "s", "measured", source));
    range.set("byte_s", sourced(segment.byte_s, "s/B", "measured", source));
    list.push_back(std::move(range));
  }
  return {std::move(list)};
}

class Calibrator {
 public:
  Calibrator(const Measured& measured, const Base& base)
      : measured_(measured), base_(base), found_{.file = base.file, .notes = {}} {}

  Calibration run() {
    found_.file.set("name", measured_.name);
    found_.file.set("description", "the nodes and links of " + base_.name +
                                       ", with the times of messages in " + measured_.files);
    between_nodes();
    if (!measured_.within_node.half_round_trips.empty()) within_node();
    return std::move(found_);
  }

 private:
  void set(const std::string& name, double value, const std::string& unit,
           const std::string& status, const std::string& source) {
    found_.file.set(name, sourced(value, unit, status, source));
  }

  void between_nodes() {
    const std::vector<Timing> timings = medians_of(measured_.between_nodes, measured_.files);
    const platform::Machine& machine = base_.machine;
    const double hops =
        machine.nodes > 1 ? platform::hop_range(machine.topology, machine.nodes).nearest : 0;
    const double of_base_s =
        machine.send_overhead_s + machine.receive_overhead_s + hops * machine.hop_latency_s;
    const double part = fitting_part(of_base_s, shortest_s(timings));
    const std::vector<Segment> segments =
        rounded(fit_segments(timings, {.least_fixed_s = part * of_base_s,
                                       .least_byte_s = 1 / machine.link_bandwidth_Bps}));
    found_.file.set("costs",
                    costs_of(segments, part * of_base_s, source_of(measured_.files, timings)));
    bandwidth(segments, timings);
    gap();
    found_.notes.push_back(
        "A ping-pong does not tell the overheads of sender and receiver from the latency: "
        "send_overhead_s and receive_overhead_s are those of " +
        base_.name + (part < 1 ? ", made shorter." : "."));
  }

  /// How much of the base's overheads and hops the shortest message leaves room for.
  double fitting_part(double of_base_s, double shortest_s) {
    if (of_base_s <= shortest_s) return 1;
    const double part = shortest_s / of_base_s;
    const std::string source = "that of " + base_.name +
                               ", made shorter, because there a message takes longer than the "
                               "shortest in " +
                               measured_.files;
    for (const auto& [name, value] : {std::pair{"send_overhead_s", base_.machine.send_overhead_s},
                                      {"receive_overhead_s", base_.machine.receive_overhead_s},
                                      {"hop_latency_s", base_.machine.hop_latency_s}})
      set(name, value * part, "s", "estimated", source);
    return part;
  }

  void bandwidth(const std::vector<Segment>& segments, const std::vector<Timing>& timings) {
    double most_Bps = to_four_digits(1 / least_byte_s(segments));
    std::string source = source_of(measured_.files, timings) + ": 1 / the least byte_s";
    for (const Stream& stream : measured_.between_nodes.streams) {
      if (stream.bandwidth_Bps <= most_Bps) continue;
      most_Bps = stream.bandwidth_Bps;
      source = measured_.files + ": the highest bandwidth, at " + std::to_string(stream.bytes) +
               " bytes";
    }
    set("nic_bandwidth_Bps", most_Bps, "B/s", "measured", source);
    if (most_Bps > base_.machine.link_bandwidth_Bps * (1 + 1e-6))
      found_.notes.push_back("The NIC is faster than a link of " + base_.name +
                             ", which limits what a single message can have.");
  }

  /// Several pairs at once tell how many messages a NIC can send. One pair also waits for its
  /// sender's processor.
  void gap() {
    const Stream* best = nullptr;
    for (const Stream& stream : measured_.between_nodes.streams)
      if (stream.messages_per_s && stream.pairs > 1 &&
          (best == nullptr || *stream.messages_per_s > *best->messages_per_s))
        best = &stream;
    if (best == nullptr) {
      found_.notes.push_back("gap_s is that of " + base_.name +
                             ": osu_mbw_mr with several pairs on two nodes would tell it.");
      return;
    }
    set("gap_s", to_four_digits(1 / *best->messages_per_s), "s", "measured",
        measured_.files + ": the highest message rate, of " + std::to_string(best->pairs) +
            " pairs at " + std::to_string(best->bytes) + " bytes");
  }

  /// Within a node the shortest message can take less than the overheads between nodes. What cannot
  /// be told apart is then shared by sender and receiver.
  void within_node() {
    const std::vector<Timing> timings = medians_of(measured_.within_node, measured_.local_files);
    const std::vector<Segment> segments = rounded(fit_segments(timings, {.least_byte_s = 1e-15}));
    const std::string source = source_of(measured_.local_files, timings);
    const double all_s = base_.machine.send_overhead_s + base_.machine.receive_overhead_s;
    const bool is_shared = segments.front().fixed_s < all_s;
    const double other_s = is_shared ? segments.front().fixed_s : all_s;
    json::JsonValue costs = costs_of(segments, other_s, source);
    if (is_shared) {
      const json::JsonValue half =
          sourced(other_s / 2, "s", "estimated", "half of what an empty message takes: " + source);
      for (json::JsonValue& range : *costs.list()) {
        range.set("send_overhead_s", half);
        range.set("receive_overhead_s", half);
      }
      found_.notes.emplace_back(
          "Within a node, sender and receiver share what an empty message takes, which is less "
          "than the overheads between nodes.");
    }
    found_.file.set("local_costs", std::move(costs));
    set("local_bandwidth_Bps", to_four_digits(1 / least_byte_s(segments)), "B/s", "measured",
        source + ": 1 / the least byte_s");
  }

  const Measured& measured_;
  const Base& base_;
  Calibration found_;
};

}  // namespace

Base assumed_base(const Measured& measured) {
  const double third_s = shortest_s(medians_of(measured.between_nodes, measured.files)) / 3;
  const std::string assumed = "assumed by faultline calibrate, which was given no --base";
  json::JsonValue file = json::json_object({{"schema_version", 1}, {"name", "assumed"}});
  file.set(
      "topology",
      json::json_object(
          {{"kind", "crossbar"}, {"nodes", 1024}, {"status", "estimated"}, {"source", assumed}}));
  const auto set = [&](const char* name, double value, const char* unit) {
    file.set(name, sourced(value, unit, "estimated", assumed));
  };
  constexpr double kUnlimited_Bps = 1e15;
  set("nodes", 1024, "nodes");
  set("cores_per_node", 16, "cores");
  set("hardware_threads_per_node", 16, "threads");
  set("send_overhead_s", to_picosecond(third_s), "s");
  set("receive_overhead_s", to_picosecond(third_s), "s");
  set("gap_s", to_picosecond(third_s / 4), "s");
  set("nic_bandwidth_Bps", kUnlimited_Bps, "B/s");
  set("nic_latency_s", to_picosecond(third_s), "s");
  set("hop_latency_s", 0, "s");
  set("link_bandwidth_Bps", kUnlimited_Bps, "B/s");
  set("local_latency_s", to_picosecond(third_s / 4), "s");
  set("local_bandwidth_Bps", 1e10, "B/s");
  json::Problems problems("assumed machine");
  const platform::Machine machine = scenario::read_machine(file, problems);
  problems.throw_if_any();
  return {.name = "a machine that is assumed", .file = std::move(file), .machine = machine};
}

Calibration calibrated(const Measured& measured, const Base& base) {
  return Calibrator(measured, base).run();
}

}  // namespace faultline::calibration
