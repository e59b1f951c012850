// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/message_costs.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/core/types.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/platform/transit.hpp"
#include "sim/scenario/sourced_value.hpp"

namespace faultline::scenario {

namespace {

using platform::Machine;
using platform::MessageCost;

constexpr std::size_t kMostRanges = 16;

/// A cost of a range, and the machine's single values for it, between nodes and within one.
struct Column {
  const char* name;
  std::optional<double> StatedCost::*stated;
  double MessageCost::*cost;
  const char* single;
  const char* local_single;
};

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"send_overhead_s", &StatedCost::send_overhead_s, &MessageCost::send_overhead_s,
       "send_overhead_s", "send_overhead_s"},
      {"receive_overhead_s", &StatedCost::receive_overhead_s, &MessageCost::receive_overhead_s,
       "receive_overhead_s", "receive_overhead_s"},
      {"latency_s", &StatedCost::latency_s, &MessageCost::latency_s, "nic_latency_s",
       "local_latency_s"},
      {"byte_s", &StatedCost::byte_s, &MessageCost::byte_s, "nic_bandwidth_Bps",
       "local_bandwidth_Bps"}};
  return all;
}

bool is_byte_time(const Column& column) { return column.cost == &MessageCost::byte_s; }

double single_value(const Machine& machine, const char* name) {
  const auto known =
      std::ranges::find(machine_costs(), std::string_view(name),
                        [](const MachineCost& cost) { return std::string_view(cost.name); });
  return machine.*known->member;
}

/// A range whose values are objects with unit, status and source.
StatedCost read_sourced_range(const json::JsonValue& value, const std::string& path,
                              json::Problems& problems) {
  const std::vector<OptionSpec>& specs = StatedCost::options().specs();
  json::CheckedObject object(value, path, problems);
  OptionValues values = object.options({specs.front()});
  for (std::size_t i = 1; i < specs.size(); ++i) {
    const json::JsonValue* stated = object.child(specs[i].name);
    values[specs[i].name] =
        stated == nullptr
            ? specs[i].default_value
            : read_sourced(*stated, specs[i], json::member_path(path, specs[i].name), problems);
  }
  object.finish();
  return StatedCost::options().read(values);
}

StatedCost read_plain_range(const json::JsonValue& value, const std::string& path,
                            json::Problems& problems) {
  const std::vector<OptionSpec>& specs = StatedCost::options().specs();
  json::CheckedObject object(value, path, problems);
  const OptionValues values = object.options(specs);
  object.finish();
  for (const OptionSpec& spec : specs)
    check_time(values.at(spec.name), spec, json::member_path(path, spec.name), problems);
  return StatedCost::options().read(values);
}

void check_order(const std::vector<StatedCost>& ranges, const std::string& path,
                 json::Problems& problems) {
  if (!ranges.empty() && ranges.front().from_bytes != 0)
    problems.add(json::member_path(json::item_path(path, 0), "from_bytes"),
                 "expected 0, so that there are costs for messages of all sizes, got " +
                     std::to_string(ranges.front().from_bytes));
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].from_bytes <= ranges[i - 1].from_bytes)
      problems.add(json::member_path(json::item_path(path, i), "from_bytes"),
                   "expected more than " + std::to_string(ranges[i - 1].from_bytes) +
                       ", where the range before begins, got " +
                       std::to_string(ranges[i].from_bytes));
}

/// The costs of all ranges; one range of the single values if none is stated.
std::vector<MessageCost> completed(const Machine& machine, const std::vector<StatedCost>& stated,
                                   const char* Column::*single) {
  std::vector<MessageCost> costs;
  for (const StatedCost& range : stated.empty() ? std::vector<StatedCost>(1) : stated) {
    MessageCost& cost = costs.emplace_back(MessageCost{.from_bytes = range.from_bytes});
    for (const Column& column : columns()) {
      // The bandwidth bounds the bytes of every message anyway.
      const double otherwise = is_byte_time(column) ? 0.0 : single_value(machine, column.*single);
      cost.*column.cost = (range.*column.stated).value_or(otherwise);
    }
  }
  return costs;
}

/// `least_byte_s`: what the narrowest part needs for a byte.
void check_times(const std::vector<MessageCost>& costs, double least_byte_s,
                 const std::string& path, const std::string& bandwidth, json::Problems& problems) {
  constexpr double kRounding = 1e-9;
  const auto time_s = [&](const MessageCost& cost, double bytes) {
    return cost.send_overhead_s + cost.latency_s + cost.receive_overhead_s +
           bytes * std::max(cost.byte_s, least_byte_s);
  };
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::string place = json::item_path(path, i);
    if (costs[i].byte_s > 0 && costs[i].byte_s < least_byte_s * (1 - kRounding))
      problems.add(json::member_path(place, "byte_s"),
                   "expected at least " + json::shortest(least_byte_s) + ", which is 1 / " +
                       bandwidth + ", got " + json::shortest(costs[i].byte_s));
    const auto bytes = static_cast<double>(costs[i].from_bytes);
    if (platform::latency_by_size_s(costs[i], bytes, bytes * least_byte_s) < 0)
      problems.add(json::member_path(place, "latency_s"),
                   "lets a message of " + std::to_string(costs[i].from_bytes) +
                       " bytes be there before it has left, got " +
                       json::shortest(costs[i].latency_s));
    if (i == 0) continue;
    const double before_s = time_s(costs[i - 1], bytes - 1);
    const double from_here_s = time_s(costs[i], bytes);
    if (from_here_s < before_s * (1 - kRounding))
      problems.add(place, "makes a longer message faster: one of " +
                              std::to_string(costs[i].from_bytes) + " bytes takes " +
                              json::shortest(from_here_s) + " s, and one of a byte less " +
                              json::shortest(before_s) + " s");
  }
}

/// The least latency of a message. Within a range it grows with the size.
double least_latency_s(const std::vector<MessageCost>& costs, double least_byte_s) {
  double least_s = kNever;
  for (const MessageCost& cost : costs) {
    const auto bytes = static_cast<double>(cost.from_bytes);
    least_s = std::min(least_s, platform::latency_by_size_s(cost, bytes, bytes * least_byte_s));
  }
  return least_s;
}

}  // namespace

const OptionSet<StatedCost>& StatedCost::options() {
  const auto time = [](const char* doc, const char* unit = "s") {
    return OptionNotes{.doc = doc, .unit = unit, .minimum = 0, .maximum = 1};
  };
  static const auto set =
      OptionSet<StatedCost>()
          .option("from_bytes", &StatedCost::from_bytes,
                  {.doc = "the size from which on this holds, up to where the next range begins; "
                          "the first begins at 0",
                   .unit = "B",
                   .minimum = 0,
                   .required = true})
          .option("send_overhead_s", &StatedCost::send_overhead_s,
                  time("o_s: processor time to send one message"))
          .option("receive_overhead_s", &StatedCost::receive_overhead_s,
                  time("o_r: processor time to receive one message"))
          .option("latency_s", &StatedCost::latency_s,
                  {.doc = "the part of L outside the links; within a node, L. It can be negative "
                          "where byte_s makes up for that at from_bytes",
                   .unit = "s",
                   .minimum = -1,
                   .maximum = 1})
          .option("byte_s", &StatedCost::byte_s,
                  time("what a byte takes on an idle machine; what exceeds the time of NIC and "
                       "links occupies neither",
                       "s/B"));
  return set;
}

const std::vector<CostTable>& cost_tables() {
  static const std::vector<CostTable> tables = {
      {"costs", "what messages between nodes cost by their size: 1 to 16 ranges",
       &StatedCosts::between_nodes, &Machine::costs},
      {"local_costs", "what messages within a node cost by their size: 1 to 16 ranges",
       &StatedCosts::within_node, &Machine::local_costs}};
  return tables;
}

std::vector<StatedCost> read_cost_table(const json::JsonValue& list, const std::string& path,
                                        bool is_sourced, json::Problems& problems) {
  const json::JsonValue::List* ranges = list.list();
  if (ranges == nullptr || ranges->empty() || ranges->size() > kMostRanges) {
    problems.add(path, "expected a list of 1 to " + std::to_string(kMostRanges) +
                           R"( objects such as {"from_bytes": 0, "latency_s": ...}, got )" +
                           json::describe(list));
    return {};
  }
  const std::size_t before = problems.size();
  std::vector<StatedCost> all;
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    const std::string place = json::item_path(path, i);
    all.push_back(is_sourced ? read_sourced_range((*ranges)[i], place, problems)
                             : read_plain_range((*ranges)[i], place, problems));
  }
  if (problems.size() == before) check_order(all, path, problems);
  return all;
}

bool may_be_by_size(const std::string& name) {
  return std::ranges::any_of(columns(), [&](const Column& column) {
    return !is_byte_time(column) && (name == column.single || name == column.local_single);
  });
}

std::optional<double> in_place_of(const std::string& name, const StatedCosts& stated) {
  for (const Column& column : columns()) {
    const bool is_local = name == column.local_single && name != column.single;
    if ((name != column.single && !is_local) || is_byte_time(column)) continue;
    const std::vector<StatedCost>& ranges = is_local ? stated.within_node : stated.between_nodes;
    const auto states_it = [&](const StatedCost& range) {
      return (range.*column.stated).has_value();
    };
    if (ranges.empty() || !std::ranges::all_of(ranges, states_it)) return std::nullopt;
    return ranges.front().*column.stated;
  }
  return std::nullopt;
}

void set_costs(Machine& machine, const StatedCosts& stated, const std::string& path,
               json::Problems& problems) {
  const auto place = [&](const char* name) { return json::member_path(path, name); };
  if (stated.between_nodes.empty() && stated.within_node.empty()) return;
  if (!stated.between_nodes.empty() || machine.costs.empty())
    machine.costs = completed(machine, stated.between_nodes, &Column::single);
  if (!stated.within_node.empty() || machine.local_costs.empty())
    machine.local_costs = completed(machine, stated.within_node, &Column::local_single);
  machine.local_latency_s = least_latency_s(machine.local_costs, 1.0 / machine.local_bandwidth_Bps);
  check_times(machine.costs, 1.0 / std::min(machine.nic_bandwidth_Bps, machine.link_bandwidth_Bps),
              place("costs"),
              machine.nic_bandwidth_Bps <= machine.link_bandwidth_Bps ? "nic_bandwidth_Bps"
                                                                      : "link_bandwidth_Bps",
              problems);
  check_times(machine.local_costs, 1.0 / machine.local_bandwidth_Bps, place("local_costs"),
              "local_bandwidth_Bps", problems);
}

void change_at_all_sizes(Machine& machine, const MachineCost& cost, double value) {
  const double before = std::exchange(machine.*cost.member, value);
  for (const Column& column : columns())
    for (const auto& [name, costs] :
         {std::pair{column.single, &machine.costs}, {column.local_single, &machine.local_costs}}) {
      if (std::string_view(name) != cost.name) continue;
      for (MessageCost& range : *costs) {
        double& own = range.*column.cost;
        own = is_byte_time(column) ? own * before / value : std::max(0.0, own + value - before);
      }
    }
}

json::JsonValue costs_json(const std::vector<MessageCost>& costs) {
  json::JsonValue::List list;
  for (const MessageCost& cost : costs) {
    json::JsonValue range =
        json::json_object({{"from_bytes", static_cast<std::int64_t>(cost.from_bytes)}});
    for (const Column& column : columns()) range.set(column.name, cost.*column.cost);
    list.push_back(std::move(range));
  }
  return {std::move(list)};
}

}  // namespace faultline::scenario
