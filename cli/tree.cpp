// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <charconv>
#include <optional>
#include <ostream>

#include "cli/output_file.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/task_tree_file.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

constexpr std::uint32_t kMostTreeProcesses = std::uint32_t{1} << 24U;
constexpr std::uint32_t kMostHeight = 26;       ///< a higher complete tree exceeds kMostTasks
constexpr std::uint32_t kMostCropped = 100000;  ///< a chain of this many levels is improbable

struct Range {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

struct TreeRequest {
  workloads::TaskTreeShape shape;
  std::optional<Range> tasks;
  std::uint64_t seed = 1;
  std::string mapping;
  std::uint32_t processes = 0;
  std::optional<std::string> out;  ///< nothing means standard output
};

std::string named(const char* option) { return "tree: --" + std::string(option); }

/// Reads a range "LOW-HIGH". A single number is both.
Range range_of(const char* option, const std::string& text, std::uint32_t low, std::uint32_t high) {
  const std::size_t dash = text.find('-');
  const auto number = [&](const std::string& part, std::uint32_t least) {
    return static_cast<std::uint32_t>(whole_number(named(option), part, least, high));
  };
  Range range;
  range.low = number(text.substr(0, dash), low);
  range.high = dash == std::string::npos ? range.low : number(text.substr(dash + 1), range.low);
  return range;
}

double probability_of(const char* option, const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && value >= 0 && value <= 1) return value;
  throw UsageError(named(option) + ": expected a number from 0 to 1, got " + json::in_quotes(text));
}

workloads::TaskTreeShape shape_of(const po::variables_map& values) {
  const auto text = [&](const char* option) { return values[option].as<std::string>(); };
  workloads::TaskTreeShape shape = *workloads::task_tree_preset(text("preset"));
  if (values.count("lambda") != 0) shape.lambda = probability_of("lambda", text("lambda"));
  if (values.count("minimum-height") != 0)
    shape.minimum_height = range_of("minimum-height", text("minimum-height"), 1, kMostHeight).low;
  if (values.count("maximum-height") != 0)
    shape.maximum_height = range_of("maximum-height", text("maximum-height"), 1, kMostCropped).low;
  if (values.count("subtree-heights") != 0) {
    const Range heights = range_of("subtree-heights", text("subtree-heights"), 1, kMostHeight);
    shape.smallest_subtree_height = heights.low;
    shape.largest_subtree_height = heights.high;
  }
  return shape;
}

TreeRequest tree_request(const po::variables_map& values) {
  const auto text = [&](const char* option) { return values[option].as<std::string>(); };
  TreeRequest request;
  request.shape = shape_of(values);
  request.seed = whole_number(named("seed"), text("seed"), 0, kLargestSeed);
  if (values.count("tasks") != 0)
    request.tasks = range_of("tasks", text("tasks"), 1, scenario::kMostWrittenTasks);
  if ((values.count("mapping") != 0) != (values.count("processes") != 0))
    throw UsageError("tree: --mapping and --processes: expected both or neither");
  if (values.count("mapping") != 0) {
    request.mapping = text("mapping");
    request.processes = range_of("processes", text("processes"), 1, kMostTreeProcesses).low;
  }
  request.out = text_of(values, "out");
  return request;
}

TaskTree tree_of(const TreeRequest& request) {
  if (!request.tasks) {
    Stream random = workloads::task_tree_stream(request.seed, 0);
    if (auto tree = workloads::random_task_tree(request.shape, random, scenario::kMostWrittenTasks))
      return *std::move(tree);
    throw UsageError("tree: it grows beyond " + std::to_string(scenario::kMostWrittenTasks) +
                     " tasks, expected a smaller --lambda or --maximum-height");
  }
  const auto [low, high] = *request.tasks;
  if (auto tree = workloads::random_task_tree_of_size(request.shape, {.fewest = low, .most = high},
                                                      request.seed))
    return *std::move(tree);
  const workloads::TaskTreeSize possible = workloads::possible_size(request.shape);
  const std::string wanted =
      std::to_string(low) + (high == low ? "" : " to " + std::to_string(high)) + " tasks";
  if (low == high && low % 2 == 0)
    throw UsageError(named("tasks") + ": no binary tree has " + wanted +
                     ", expected an odd number or a range");
  if (high < possible.fewest || low > possible.most)
    throw UsageError(named("tasks") + ": no tree of this shape has " + wanted + ", but from " +
                     std::to_string(possible.fewest) + " to " + std::to_string(possible.most));
  throw UsageError(named("tasks") + ": no tree of this shape with " + wanted +
                   " was found, expected a wider range or another preset");
}

std::string summary(const TreeRequest& request, const TaskTree& tree) {
  return *request.out + ": " + std::to_string(tree.tasks()) +
         (tree.tasks() == 1 ? " task" : " tasks") + " on " +
         std::to_string(workloads::level_starts(tree).size() - 1) +
         (tree.tasks() == 1 ? " level\n" : " levels\n");
}

VerbOptions tree_options() {
  VerbOptions verb{.verb = "tree",
                   .usage =
                       "tree [--preset small|medium|big] [--seed N] [--out FILE]\n"
                       "       [--lambda X] [--minimum-height N] [--maximum-height N]\n"
                       "       [--subtree-heights LOW-HIGH] [--tasks LOW-HIGH]\n"
                       "       [--mapping round-robin|random --processes P]\n\n"
                       "Draws a random binary task tree as termination-2022 section 5.2 does and\n"
                       "writes it as JSON, tasks in breadth-first order. Heights count levels.\n\n"
                       "  faultline tree --preset small --seed 1 --out tree.json\n"
                       "  faultline step-model --tree tree.json --processes 16,64"};
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add("preset", text("NAME")->default_value("small"),
      "small (lambda 0.8, at most 30 levels), medium (0.9, 50) or big (0.93, 60)");
  add("seed", text("N")->default_value("1"), "seed, 0 to 2^53; the same seed draws the same tree");
  add_out(verb);
  add("lambda", text("X"), "a leaf on level l is refined with probability X^l; 0 to 1");
  add("minimum-height", text("N"), "L_min, height of the complete tree at the start; default: 3");
  add("maximum-height", text("N"), "L_max; deeper levels are cropped");
  add("subtree-heights", text("LOW-HIGH"),
      "heights of the subtrees that replace refined leaves; default: 2-5");
  add("tasks", text("LOW-HIGH"),
      "draw again until the tree has this many tasks; a single number is exact");
  add("mapping", text("M"),
      "also write the rank of each task: round-robin or random, for --processes");
  add("processes", text("P"), "number of processes for --mapping");
  verb.choices["preset"] = only(workloads::task_tree_presets());
  verb.choices["mapping"] = only({"round-robin", "random"});
  return verb;
}

int carry_out_tree(const Call& call) {
  const po::variables_map& values = call.values;
  const TreeRequest request = tree_request(values);
  OutputFile output(request.out);
  const TaskTree tree = tree_of(request);
  std::vector<Rank> ranks;
  if (request.mapping == "round-robin")
    ranks = workloads::round_robin_ranks(tree.tasks(), request.processes);
  if (request.mapping == "random")
    ranks = workloads::random_ranks(tree.tasks(), request.processes,
                                    workloads::task_mapping_stream(request.seed, 0));
  const std::string text = scenario::task_tree_text(tree, ranks);
  if (!request.out) {
    call.out << text;
    return 0;
  }
  output.write(text);
  call.out << summary(request, tree);
  return 0;
}

}  // namespace

Verb tree_verb() {
  return {.name = "tree",
          .summary = "draw a random task tree",
          .options = tree_options,
          .run = carry_out_tree};
}

}  // namespace faultline::cli
