// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/task_tree_file.hpp"

#include <filesystem>
#include <memory>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/core/fnv1a.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/file_option.hpp"
#include "sim/json/json_reader.hpp"

namespace faultline::scenario {

namespace {

/// The value as a list. If it is not one, adds a problem and returns null.
const json::JsonValue::List* list_of(const json::JsonValue& value, const std::string& key,
                                     json::Problems& problems) {
  if (const json::JsonValue::List* list = value.list()) return list;
  problems.add(key, "expected a list with one entry for every task, got " + json::describe(value));
  return nullptr;
}

/// The value if it is a whole number from 0 to `end` - 1.
std::optional<std::uint32_t> number_below(const json::JsonValue& value, std::size_t end) {
  const auto* number = std::get_if<std::int64_t>(&value.data);
  if (number == nullptr || *number < 0 || static_cast<std::uint64_t>(*number) >= end)
    return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

/// The parents as the file lists them. At the first error, adds a problem and returns nothing.
std::optional<std::vector<Task>> read_parents(const json::JsonValue::List& list,
                                              json::Problems& problems) {
  if (list.empty() || list.size() > kMostTasks) {
    problems.add("parents",
                 "expected 1 to " + std::to_string(kMostTasks) + " tasks, the first the root");
    return std::nullopt;
  }
  if (!list[0].is_null()) {
    problems.add("parents[0]", "expected null: task 0 is the root, got " + json::describe(list[0]));
    return std::nullopt;
  }
  std::vector<Task> parents(list.size(), kNoTask);
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (const auto parent = number_below(list[i], list.size())) {
      parents[i] = *parent;
      continue;
    }
    const std::string place = json::item_path("parents", i);
    if (list[i].is_null())
      problems.add(place, "a second root, expected one tree with task 0 as its root");
    else
      problems.add(place, "expected a task, 0 to " + std::to_string(list.size() - 1) + ", got " +
                              json::describe(list[i]));
    return std::nullopt;
  }
  return parents;
}

/// True if the task is on or below a cycle. Going up from it never reaches the root, so it takes
/// more steps than there are tasks.
bool is_cut_off_by_cycle(const std::vector<Task>& parents, Task task) {
  for (std::size_t steps = 0; task != kNoTask && steps <= parents.size(); ++steps)
    task = parents[task];
  return task != kNoTask;
}

void check_order(const std::vector<Task>& parents, json::Problems& problems) {
  const auto count = static_cast<Task>(parents.size());
  for (Task task = 1; task < count; ++task) {
    const Task parent = parents[task];
    const std::string place = json::item_path("parents", task);
    const auto number = [](Task t) { return std::to_string(t); };
    if (parent >= task && is_cut_off_by_cycle(parents, task))
      return problems.add(
          place, "a cycle: task " + number(task) + " does not lead to the root, expected a tree");
    if (parent >= task)
      return problems.add(place, "not breadth first: parent " + number(parent) +
                                     " comes after its child " + number(task));
    if (task > 1 && parent < parents[task - 1])
      return problems.add(place, "not breadth first: a child of task " + number(parent) +
                                     " after one of task " + number(parents[task - 1]));
  }
}

std::vector<Rank> read_ranks(const json::JsonValue::List& list, json::Problems& problems) {
  std::vector<Rank> ranks;
  ranks.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto rank = number_below(list[i], kNobody);
    if (!rank) {
      problems.add(json::item_path("ranks", i),
                   "expected a rank, 0 or more, got " + json::describe(list[i]));
      return {};
    }
    ranks.push_back(*rank);
  }
  return ranks;
}

void append_list(std::string& text, const std::string& key, const std::vector<std::uint32_t>& list,
                 std::size_t nulls) {
  text += "\"" + key + "\": [";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ", ";
    text += i < nulls ? "null" : std::to_string(list[i]);
  }
  text += ']';
}

std::string text_of(const TaskTree& tree, const std::vector<Rank>& ranks) {
  std::string text = "{";
  append_list(text, "parents", tree.parents, 1);
  if (!ranks.empty()) {
    text += ",\n ";
    append_list(text, "ranks", ranks, 0);
  }
  return text + "}\n";
}

TaskTreeInput input_of(const std::string& file) {
  auto content = std::make_shared<const TaskTreeFile>(read_task_tree(file));
  const std::string hash = fnv1a_hex(text_of(content->tree, content->ranks));
  return {.file = file, .hash = hash, .content = std::move(content)};
}

OptionValue read_tree_option(const std::string& name, const std::string& folder,
                             const std::string& /*path*/, json::Problems& /*problems*/) {
  const std::string file = (std::filesystem::path(folder) / name).string();
  return *json::FileMemo::read_once<TaskTreeInput>(file, [&] { return input_of(file); });
}

const json::FileOptionRegistered tree_registered(
    {.kind = OptionKind::task_tree,
     .word = "task-tree",
     .expectation = "the path of a JSON file with a task tree",
     .read = read_tree_option,
     .nothing = TaskTreeInput{
         .file = {}, .hash = {}, .content = std::make_shared<TaskTreeFile>()}});

}  // namespace

TaskTreeFile parse_task_tree(const std::string& text, const std::string& file) {
  json::Problems problems(file);
  const json::JsonValue value = json::parse_json(text, problems);
  json::CheckedObject object(value, "", problems);
  const json::JsonValue* parents = object.child("parents");
  const json::JsonValue* ranks = object.child("ranks");
  object.finish();
  if (object.is_object() && parents == nullptr)
    problems.add("parents", "missing, expected the parent of every task");
  problems.throw_if_any();

  TaskTreeFile tree{.file = file, .tree = {}, .ranks = {}};
  const json::JsonValue::List* parent_list = list_of(*parents, "parents", problems);
  if (auto read = parent_list != nullptr ? read_parents(*parent_list, problems) : std::nullopt) {
    tree.tree.parents = *std::move(read);
    check_order(tree.tree.parents, problems);
  }
  const json::JsonValue::List* rank_list =
      ranks != nullptr ? list_of(*ranks, "ranks", problems) : nullptr;
  if (rank_list != nullptr) {
    tree.ranks = read_ranks(*rank_list, problems);
    if (parent_list != nullptr && rank_list->size() != parent_list->size())
      problems.add("ranks", "expected as many entries as parents has, " +
                                std::to_string(parent_list->size()) + ", got " +
                                std::to_string(rank_list->size()));
  }
  problems.throw_if_any();
  return tree;
}

TaskTreeFile read_task_tree(const std::string& file) {
  return parse_task_tree(json::read_json_text(file), file);
}

void require_ranks_below(const TaskTreeFile& tree, std::uint32_t processes) {
  for (std::size_t i = 0; i < tree.ranks.size(); ++i)
    if (tree.ranks[i] >= processes)
      throw UsageError(tree.file + ": " + json::item_path("ranks", i) + ": expected a rank below " +
                       std::to_string(processes) + ", the number of processes, got " +
                       std::to_string(tree.ranks[i]));
}

std::string task_tree_text(const TaskTree& tree, const std::vector<Rank>& ranks) {
  std::string text = text_of(tree, ranks);
  if (text.size() > json::kLargestFile_B)
    throw UsageError("a tree of " + std::to_string(tree.tasks()) + " tasks makes a file of " +
                     std::to_string(text.size() >> 20U) + " MiB, expected at most " +
                     std::to_string(json::kLargestFile_B >> 20U));
  return text;
}

}  // namespace faultline::scenario
