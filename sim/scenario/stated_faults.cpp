// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/stated_faults.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "sim/json/checked_object.hpp"
#include "sim/platform/hardware.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/part_lists.hpp"

namespace faultline::scenario {
namespace {

std::string words_of(const std::vector<VictimList>& lists) {
  std::string words;
  for (std::size_t i = 0; i < lists.size(); ++i)
    words += (i == 0 ? "" : i + 1 == lists.size() ? " or " : ", ") + lists[i].name;
  return words;
}

/// What an entry calls the parts of the machine, in the order of platform::Part.
std::vector<std::string> words_of_parts() {
  std::vector<std::string> words(platform::part_words().size());
  words[static_cast<std::size_t>(platform::Part::node)] = victim_lists()[1].name;
  for (const PartList& parts : part_lists())
    words[static_cast<std::size_t>(parts.part)] = parts.list.name;
  return words;
}

/// Reads one entry of `faults.at`.
class StatedFault {
 public:
  StatedFault(const json::JsonValue& value, const std::string& path, const PlatformSpec* platform,
              json::Problems& problems)
      : object_(value, path, problems), platform_(platform), problems_(problems) {}

  faults::FaultSpec read() {
    if (!object_.is_object()) return fault_;
    const std::size_t before = problems_.size();
    read_plain_values();
    const JobShape job = platform_ == nullptr ? JobShape{} : job_shape(*platform_);
    const std::uint32_t nodes = job.nodes + job.spare_nodes;
    fault_.ranks = ids(victim_lists()[0], job.processes);
    fault_.nodes = ids(victim_lists()[1], nodes);
    fault_.daemons = ids(victim_lists()[2], nodes);
    for (const PartList& parts : part_lists()) read_parts(parts, nodes);
    object_.finish();
    if (problems_.size() == before) check();
    return fault_;
  }

 private:
  void read_plain_values();
  [[nodiscard]] std::vector<std::uint32_t> ids(const VictimList& list, std::uint32_t end);
  void read_parts(const PartList& parts, std::uint32_t nodes);
  void check();
  void check_routers();

  json::CheckedObject object_;
  const PlatformSpec* platform_;
  json::Problems& problems_;
  faults::FaultSpec fault_;
  bool has_parts_ = false;
  bool has_routers_ = false;
};

void StatedFault::read_plain_values() {
  const OptionValues values = object_.options(stated_fault_options().specs());
  const StatedFaultOptions stated = stated_fault_options().read(values);
  fault_.time_s = stated.time_s;
  fault_.event = stated.event;
  fault_.soft = stated.soft;
  fault_.stall_s = stated.stall_s.value_or(0.0);
  fault_.repair_s = stated.repair_s.value_or(kNever);
  if (const json::JsonValue* mark = object_.child("mark"); mark != nullptr && !mark->is_null()) {
    const std::size_t before = problems_.size();
    json::CheckedObject inner(*mark, json::member_path(object_.path(), "mark"), problems_);
    const OptionValues named = inner.options(mark_options().specs());
    inner.finish();
    if (problems_.size() == before) fault_.mark = mark_options().read(named);
  }
}

/// The numbers of a list of victims, below `end` if the platform is known.
std::vector<std::uint32_t> StatedFault::ids(const VictimList& list, std::uint32_t end) {
  const json::JsonValue* numbers = object_.child(list.name);
  if (numbers == nullptr) return {};
  return json::read_ids(*numbers, json::member_path(object_.path(), list.name),
                        platform_ == nullptr ? kNobody : end, list.name, problems_);
}

/// Parts of the machine stand for their nodes.
void StatedFault::read_parts(const PartList& parts, std::uint32_t nodes) {
  const json::JsonValue* given = object_.child(parts.list.name);
  if (given == nullptr) return;
  const platform::PartSizes sizes =
      platform_ == nullptr ? platform::PartSizes{} : fault_target(*platform_).parts();
  const std::uint32_t of_part = platform::nodes_of(parts.part, sizes).value_or(0);
  if (platform_ != nullptr && of_part == 0) {
    problems_.add(json::member_path(object_.path(), parts.list.name),
                  platform::lacks(parts.part, sizes, words_of_parts()));
    return;
  }
  const std::uint32_t end = of_part == 0 ? 0 : (nodes - 1) / of_part + 1;
  std::vector<NodeId>& victims =
      parts.part == platform::Part::router ? fault_.cut_off : fault_.nodes;
  for (const std::uint32_t number : ids(parts.list, end)) {
    has_parts_ = true;
    has_routers_ = has_routers_ || parts.part == platform::Part::router;
    for (NodeId node = number * of_part; node < std::min((number + 1) * of_part, nodes); ++node)
      if (std::find(victims.begin(), victims.end(), node) == victims.end()) victims.push_back(node);
  }
}

void StatedFault::check() {
  const std::string& path = object_.path();
  if (int{fault_.time_s.has_value()} + int{fault_.event.has_value()} +
          int{fault_.mark.has_value()} !=
      1)
    problems_.add(path, "expected exactly one of time_s, event and mark");
  const bool has_nodes = has_parts_ || !fault_.nodes.empty();
  if (fault_.ranks.empty() && fault_.daemons.empty() && !has_nodes)
    problems_.add(path, "expected at least one victim in " + words_of(victim_lists()));
  else if (fault_.repair_s != kNever && !has_nodes)
    problems_.add(json::member_path(path, "repair_s"),
                  "a rank or a daemon has nothing to repair, expected null, or victims in nodes or "
                  "in parts of the machine");
  if (fault_.soft && fault_.stall_s > 0.0)
    problems_.add(path, "expected at most one of soft and stall_s");
  if ((fault_.soft || fault_.stall_s > 0.0) && (has_nodes || !fault_.daemons.empty()))
    problems_.add(path, std::string("expected ranks alone with ") +
                            (fault_.soft ? "soft" : "stall_s") +
                            ", which strikes no nodes and no daemons");
  if (has_routers_) check_routers();
}

/// The network knows beforehand when it is cut, and nobody dies.
void StatedFault::check_routers() {
  const std::string path = json::member_path(object_.path(), "routers");
  if (!fault_.time_s)
    problems_.add(path, "expected time_s, because routers fail at a time and at no event or mark");
  if (!fault_.ranks.empty() || !fault_.nodes.empty() || !fault_.daemons.empty())
    problems_.add(path, "expected routers alone, which kill nobody; the others in another entry");
}

}  // namespace

std::vector<faults::FaultSpec> read_stated_faults(const json::JsonValue& at,
                                                  const PlatformSpec* platform,
                                                  json::Problems& problems) {
  std::vector<faults::FaultSpec> faults;
  const json::JsonValue::List* list = at.list();
  if (list == nullptr) {
    problems.add("faults.at", "expected a list of objects, got " + json::describe(at));
    return faults;
  }
  for (std::size_t i = 0; i < list->size(); ++i)
    faults.push_back(
        StatedFault((*list)[i], json::item_path("faults.at", i), platform, problems).read());
  return faults;
}

}  // namespace faultline::scenario
