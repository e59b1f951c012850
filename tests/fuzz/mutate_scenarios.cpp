// SPDX-License-Identifier: Apache-2.0

// Mutates every shipped scenario, by structure and by bytes, and reads the result: whatever comes
// out must be a scenario or one clear error, never a crash. FAULTLINE_FUZZ_MUTATIONS sets how many
// mutants of each file are read, FAULTLINE_FUZZ_SEED the first seed; a failure names the seed of
// its mutant, which with one mutation brings it back.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "analysis/search/drawn_scenario.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/core/registry.hpp"
#include "sim/engine/loggp/loggp_engine.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/study.hpp"
#include "tests/scenario/workspace.hpp"

namespace faultline::platform {

// Platform files are looked at by SimGrid, which is not under the sanitizers.
XmlInspector xml_inspector() { return {}; }

}  // namespace faultline::platform

namespace faultline::fuzz {

namespace {

namespace fs = std::filesystem;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// A few changes of the tree, and now and then of the bytes.
  std::string mutate(const std::string& text) {
    json::Problems problems("seed");
    json::JsonValue tree = json::parse_json(text, problems);
    for (std::size_t changes = 1 + below(4); changes-- > 0;) change_somewhere(tree, 0);
    std::string result = json::to_json(tree, static_cast<int>(below(3)));
    if (below(4) == 0) result = change_bytes(result);
    return result;
  }

  /// A --set of a random place.
  std::string random_set() {
    static const std::vector<std::string> paths = {"platform.processes",
                                                   "faults.at[0].nodes[0]",
                                                   "termination[3].name",
                                                   "stop",
                                                   "workload.name",
                                                   "..",
                                                   "a[",
                                                   "platform[0]",
                                                   "termination",
                                                   "faults.at",
                                                   "",
                                                   "name[0][0][0]",
                                                   "seed"};
    return paths[below(paths.size())] + "=" + json::to_json(hostile());
  }

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }

 private:
  json::JsonValue hostile() {
    static const std::vector<json::JsonValue> values = {json::JsonValue(),
                                                        true,
                                                        0,
                                                        -1,
                                                        1,
                                                        3,
                                                        1e308,
                                                        -1e308,
                                                        5e-324,
                                                        0.5,
                                                        1.5,
                                                        std::int64_t{1} << 62,
                                                        9007199254740993.0,
                                                        4294967296.0,
                                                        "",
                                                        "none",
                                                        "1 ms",
                                                        "NaN",
                                                        "../../../../etc/passwd",
                                                        "intrepid",
                                                        "\xC3\xA9\xF0\x9F\x98\x80",
                                                        std::string(70000, 'x'),
                                                        std::string("a\0b", 3),
                                                        json::JsonValue::List{},
                                                        json::JsonValue::Object{},
                                                        "cda",
                                                        "oracle",
                                                        "time",
                                                        "simgrid"};
    const std::size_t pick = below(values.size() + 2);
    if (pick < values.size()) return values[pick];
    if (pick == values.size()) return nested(1 + below(80));
    return json::JsonValue::List(1 + below(50),
                                 json::JsonValue(static_cast<std::int64_t>(below(40))));
  }

  json::JsonValue nested(std::size_t depth) {
    json::JsonValue value = 1;
    for (std::size_t i = 0; i < depth; ++i) {
      json::JsonValue outer;
      if (below(2) == 0) {
        outer.set("at", std::move(value));
      } else {
        outer.data = json::JsonValue::List{};
        outer.list()->push_back(std::move(value));
      }
      value = std::move(outer);
    }
    return value;
  }

  std::string some_key(const std::string& old) {
    static const std::vector<std::string> keys = {
        "name",      "at",     "xml",         "machine",           "time_ms", "mark",
        "overheads", "",       "spare_nodes", "allow_unsafe",      "when",    "event",
        "ranks",     "a.b[0]", "\n",          "failure_detection", "faults",  "routers"};
    std::string key = below(2) == 0 ? keys[below(keys.size())] : old;
    if (!key.empty() && below(2) == 0) key[below(key.size())] ^= 1;
    return key;
  }

  void change_somewhere(json::JsonValue& value, int depth) {
    json::JsonValue::Object* object = value.object();
    json::JsonValue::List* list = value.list();
    const std::size_t children = object != nullptr ? object->size()
                                 : list != nullptr ? list->size()
                                                   : 0;
    if (children == 0 || (depth > 0 && below(3) == 0)) {
      value = hostile();
      return;
    }
    const std::size_t child = below(children);
    const auto offset = static_cast<std::ptrdiff_t>(child);
    const std::size_t action = below(8);
    if (object != nullptr) {
      json::JsonMember copy = (*object)[child];
      if (action == 0)
        object->erase(object->begin() + offset);
      else if (action == 1)
        object->push_back(std::move(copy));  // a duplicate key
      else if (action == 2)
        (*object)[child].key = some_key(copy.key);
      else if (action == 3)
        object->push_back({some_key(copy.key), hostile()});
      else
        change_somewhere((*object)[child].value, depth + 1);
    } else {
      json::JsonValue copy = (*list)[child];
      if (action == 0)
        list->erase(list->begin() + offset);
      else if (action == 1)
        list->push_back(std::move(copy));
      else if (action == 2)
        list->push_back(hostile());
      else
        change_somewhere((*list)[child], depth + 1);
    }
  }

  std::string change_bytes(std::string text) {
    const std::size_t place = below(text.size());
    const std::size_t action = below(4);
    if (action == 0)
      text.resize(place);
    else if (action == 1)
      text[place] = static_cast<char>(below(256));
    else if (action == 2)
      text.insert(place, text.substr(below(text.size()), below(40)));
    else
      text.insert(place, std::string(1 + below(200), "[{\"]}:,"[below(7)]));
    return text;
  }

  std::mt19937_64 random_;
};

std::vector<std::string> shipped_scenarios() {
  std::vector<std::string> files;
  for (const std::string folder : {"examples", "studies", "sweeps"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(data_directory()) / folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Tally {
  std::size_t valid = 0;
  std::size_t refused = 0;
};

/// Reads a text, which must end in a scenario or in one clear error.
void read_mutant(const std::string& text, const std::string& file,
                 const std::vector<std::string>& sets, Tally& tally) {
  try {
    if (text.find("\"sweep\"") != std::string::npos) {
      if (scenario::parse_study(text, file, {.sets = sets}).points.empty())
        FAIL("a study without points");
    } else {
      const scenario::Scenario scenario = scenario::parse_scenario(text, file, {.sets = sets});
      if (scenario.points.empty() || scenario.hash.size() != 16) FAIL("a scenario without points");
    }
    ++tally.valid;
  } catch (const UsageError& error) {
    const std::string message = error.what();
    if (message.compare(0, file.size(), file) != 0) FAIL("an error without its file: " << message);
    if (message.size() > 200000) FAIL("an error that nobody can read, of " << message.size());
    ++tally.refused;
  }
}

}  // namespace

TEST_CASE("mutated scenarios are read or refused with an error and never crash") {
  const auto mutants = setting("FAULTLINE_FUZZ_MUTATIONS", 500);
  const auto first = setting("FAULTLINE_FUZZ_SEED", 1);
  const auto files = shipped_scenarios();
  REQUIRE(files.size() >= 5);
  Tally tally;
  for (const std::string& file : files) {
    const std::string text = json::read_json_text(file);
    // Each of the points of a sweep is read as a scenario.
    const bool is_sweep = text.find("\"sweep\"") != std::string::npos;
    const std::uint64_t last = first + (is_sweep ? mutants / 10 : mutants);
    for (std::uint64_t seed = first; seed < last; ++seed) {
      CAPTURE(file, seed);
      Mutator mutator(seed);
      const std::string mutant = mutator.mutate(text);
      std::vector<std::string> sets;
      if (mutator.below(5) == 0) sets.push_back(mutator.random_set());
      read_mutant(mutant, file, sets, tally);
    }
  }
  CHECK(tally.valid + tally.refused >= 10 * mutants);
  // Mutants that are all refused at the first byte would prove nothing.
  CHECK(tally.valid > 0);
  CHECK(tally.refused > tally.valid / 100);
}

// What no example states, such as routers that fail, is in some scenario that is drawn.
TEST_CASE("mutants of scenarios that are drawn are read or refused, too") {
  const auto mutants = setting("FAULTLINE_FUZZ_MUTATIONS", 500) * 4;
  const auto first = setting("FAULTLINE_FUZZ_SEED", 1);
  Tally tally;
  for (std::uint64_t seed = first; seed < first + mutants; ++seed) {
    CAPTURE(seed);
    Mutator mutator(seed);
    read_mutant(mutator.mutate(json::to_json(search::draw_scenario(seed))), "drawn.json", {},
                tally);
  }
  CHECK(tally.valid > mutants / 100);
  CHECK(tally.refused > mutants / 10);
}

// A mutant that asks for more than this tells nothing about the program.
const char* const kSmall = "platform.processes=64";

bool is_small(const scenario::RunSpec& spec) {
  return spec.platform.spare_nodes <= 256 && spec.platform.xml_path.empty();
}

/// Runs one replication of a point for a few events.
engine::Outcome outcome_of(scenario::RunSpec spec, std::uint64_t seed) {
  spec.stop.events = std::min<std::uint64_t>(spec.stop.events, 10000);
  spec.checks_state = true;
  const std::uint32_t nodes = scenario::job_shape(spec.platform).nodes + spec.platform.spare_nodes;
  const platform::Machine& machine = spec.platform.machine;
  platform::Topology routes(platform::partition(machine, nodes, spec.platform.whole_machine),
                            machine.hop_latency_s, machine.link_bandwidth_Bps);
  return engine::LogGpEngine(
             std::make_shared<const engine::RunJob>(spec, std::move(routes), seed, 0))
      .run()
      .outcome;
}

TEST_CASE("mutated scenarios that are read also run and break no protocol") {
  const auto mutants = setting("FAULTLINE_FUZZ_MUTATIONS", 1000) / 4;
  const auto first = setting("FAULTLINE_FUZZ_SEED", 1);
  std::size_t runs = 0;
  for (const std::string& file : shipped_scenarios()) {
    const std::string text = json::read_json_text(file);
    if (text.find("\"sweep\"") != std::string::npos) continue;
    for (std::uint64_t seed = first; seed < first + mutants; ++seed) {
      CAPTURE(file, seed);
      Mutator mutator(seed);
      const std::string mutant = mutator.mutate(text);
      std::optional<scenario::Scenario> scenario;
      try {
        scenario = scenario::parse_scenario(mutant, file, {.sets = {kSmall}});
      } catch (const UsageError&) {
        continue;
      }
      for (const scenario::RunSpec& spec : scenario->points) {
        if (!is_small(spec)) continue;
        ++runs;
        const std::string outcome = engine::outcome_word(outcome_of(spec, scenario->seed));
        CAPTURE(outcome, mutant);
        const bool broken = outcome == "premature" || outcome == "hung" || outcome == "violated" ||
                            outcome == "deadlock";
        if (broken && !spec.allow_unsafe) FAIL("a scenario that is accepted breaks its protocol");
      }
    }
  }
  CHECK(runs > mutants);
}

/// Every component with which the number's scenario runs; none if it is refused, or for SimGrid.
std::set<std::string> ran_with(std::uint64_t number, const std::set<std::string>& known) {
  std::set<std::string> names;
  try {
    const scenario::Scenario scenario =
        scenario::parse_scenario(json::to_json(search::draw_scenario(number)), "drawn.json");
    if (scenario.engine != scenario::EngineKind::loggp) return {};
    const scenario::RunSpec& spec = scenario.points.front();
    for (const scenario::ComponentChoice& choice : spec.components)
      if (choice.registration != nullptr)
        names.insert(std::string(family_key(choice.registration->family)) + "." +
                     choice.registration->name);
    if (std::includes(known.begin(), known.end(), names.begin(), names.end())) return {};
    outcome_of(spec, scenario.seed);
  } catch (const UsageError&) {
    return {};
  }
  return names;
}

// What no mutant of a shipped scenario combines. Whether a run is right, the search judges; here it
// must break no invariant and no rule of the language.
TEST_CASE("every protocol and workload runs in a scenario that is drawn from the declarations") {
  const auto first = setting("FAULTLINE_FUZZ_SEED", 1);
  constexpr std::uint64_t kMost = 3000;
  std::set<std::string> known;
  for (std::uint64_t number = first; number < first + kMost; ++number) {
    CAPTURE(number);
    known.merge(ran_with(number, known));
  }
  for (const Registration& component : registrations()) {
    CAPTURE(component.name);
    CHECK(known.contains(std::string(family_key(component.family)) + "." + component.name));
  }
}

TEST_CASE("every beginning of a scenario is refused, its whole is read") {
  const scenario::Workspace workspace;
  const std::string text = scenario::Workspace::good();
  for (std::size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(workspace.errors(text.substr(0, length)).empty());
  }
  CHECK(workspace.errors(text).empty());
}

TEST_CASE("mutated machine files are read or refused with an error and never crash") {
  const auto mutants = setting("FAULTLINE_FUZZ_MUTATIONS", 600) / 4;
  const auto first = setting("FAULTLINE_FUZZ_SEED", 1);
  const scenario::Workspace workspace;
  std::size_t refused = 0;
  for (std::uint64_t seed = first; seed < first + mutants; ++seed) {
    CAPTURE(seed);
    const std::string path =
        workspace.write("m.json", Mutator(seed).mutate(scenario::Workspace::machine_text()));
    try {
      scenario::load_machine(path, "");
    } catch (const UsageError& error) {
      if (std::string(error.what()).compare(0, path.size(), path) != 0) FAIL(error.what());
      ++refused;
    }
  }
  CHECK(refused > 0);
}

}  // namespace faultline::fuzz
