// SPDX-License-Identifier: Apache-2.0
#include "workloads/random_tree.hpp"

#include "sim/core/choices.hpp"
#include "workloads/any_tree.hpp"

namespace faultline::workloads {

namespace {

constexpr const char* kPaper = "termination-2022 section 5.2";

constexpr double kHighest = 26;  // a complete tree of that height has kMostTasks

OptionNotes height(const std::string& doc) {
  return {.doc = doc + "; null: the preset's",
          .unit = "levels",
          .source = kPaper,
          .minimum = 1,
          .maximum = kHighest};
}

OptionSet<RandomTreeOptions> shape_options() {
  return OptionSet<RandomTreeOptions>()
      .option("preset", &RandomTreeOptions::preset,
              {.doc = "small: lambda 0.8, L_max 30; medium: 0.9, 50; big: 0.93, 60; all: L_min 3, "
                      "subtrees of 2 to 5 levels",
               .source = kPaper,
               .choices = task_tree_presets()})
      .option("minimum_height", &RandomTreeOptions::minimum_height,
              height("L_min: height of the complete tree at the start"))
      .option("lambda", &RandomTreeOptions::lambda,
              {.doc = "a leaf of level l is replaced by a complete subtree with probability "
                      "lambda^l, the root being level 0; null: the preset's",
               .source = kPaper,
               .minimum = 0,
               .maximum = 1})
      .option("smallest_subtree_height", &RandomTreeOptions::smallest_subtree_height,
              height("least height of that subtree, leaf included; drawn uniformly"))
      .option("largest_subtree_height", &RandomTreeOptions::largest_subtree_height,
              height("greatest height of that subtree"))
      .option("maximum_height", &RandomTreeOptions::maximum_height,
              {.doc = "L_max: deeper levels are cropped; null: the preset's",
               .unit = "levels",
               .source = kPaper,
               .minimum = 1})
      .option("tree_seed", &RandomTreeOptions::tree_seed,
              {.doc = "seed of one tree for all runs; null: each run's seed and replication "
                      "determine its tree"});
}

OptionSet<RandomTreeOptions> task_options() {
  return shape_options()
      .option("tree_file", &RandomTreeOptions::tree_file,
              {.doc = "run the tree of this JSON file, {\"parents\": [null, 0, 0, ...], \"ranks\": "
                      "[...]}, instead of a random one"})
      .option("task_mapping", &RandomTreeOptions::task_mapping,
              {.doc = "the rank of task x (breadth first): x mod P; uniformly random, anew in "
                      "every replication; or from the ranks of the file",
               .source = kPaper,
               .choices = {"round-robin", "random", "file"}})
      .option("task_compute_s", &RandomTreeOptions::task_compute_s,
              {.doc = "computation of a task, before it makes its children",
               .unit = "s",
               .source = "assumed; the paper's model has synchronous steps instead",
               .minimum = 0,
               .maximum = 1e6})
      .option("bytes", &RandomTreeOptions::bytes,
              {.doc = "size of a message that makes a task on another rank",
               .unit = "B",
               .source = "assumed"});
}

OptionSet<RandomTreeOptions> options() {
  return with_choices(
      task_options()
          .option("most_messages", &RandomTreeOptions::most_messages,
                  {.doc = "any tree instead of one of that shape: each task chooses its children, "
                          "each on another rank, so that there are at most this many messages in "
                          "all; null: the tree is drawn before the run",
                   .maximum = 1e6})
          .option("pauses", &RandomTreeOptions::pauses,
                  {.doc = "with most_messages, a task may compute once more after each message, "
                          "before it goes on or ends"}),
      &RandomTreeOptions::choices);
}

TaskTreeShape shape_of(const RandomTreeOptions& options) {
  TaskTreeShape shape = task_tree_preset(options.preset).value_or(TaskTreeShape{});
  shape.minimum_height = options.minimum_height.value_or(shape.minimum_height);
  shape.lambda = options.lambda.value_or(shape.lambda);
  shape.smallest_subtree_height =
      options.smallest_subtree_height.value_or(shape.smallest_subtree_height);
  shape.largest_subtree_height =
      options.largest_subtree_height.value_or(shape.largest_subtree_height);
  shape.maximum_height = options.maximum_height.value_or(shape.maximum_height);
  return shape;
}

bool is_shaped(const RandomTreeOptions& options) {
  return options.minimum_height || options.lambda || options.smallest_subtree_height ||
         options.largest_subtree_height || options.maximum_height || options.tree_seed;
}

std::vector<OptionProblem> check_choices(const RandomTreeOptions& options) {
  if (!options.most_messages) {
    if (options.choices == "all")
      return {{"choices", "\"all\" needs most_messages: other trees are drawn before the run"}};
    if (options.pauses) return {{"pauses", "needs most_messages"}};
    return {};
  }
  if (!is_shaped(options) && !options.tree_file && options.task_mapping != "random") return {};
  return {{"most_messages",
           "tasks choose their children and ranks; expected neither a tree_file nor a task_mapping "
           "nor parameters of a random tree"}};
}

std::vector<OptionProblem> check_file(const RandomTreeOptions& options, const JobShape& job) {
  const bool by_file = options.task_mapping == "file";
  if (!options.tree_file) {
    if (!by_file) return {};
    return {{"task_mapping", "\"file\" needs a tree_file with ranks"}};
  }
  std::vector<OptionProblem> problems;
  if (is_shaped(options))
    problems.push_back(
        {"tree_file", "the file has the tree; expected no parameters of a random one"});
  const TaskTreeFile& file = *options.tree_file->content;
  if (by_file && file.ranks.empty())
    problems.push_back(
        {"task_mapping", file.file + " has no ranks, expected round-robin or random"});
  for (std::size_t task = 0; by_file && task < file.ranks.size(); ++task) {
    if (file.ranks[task] < job.processes) continue;
    problems.push_back(
        {"tree_file", file.file + ": ranks[" + std::to_string(task) + "]: expected a rank below " +
                          std::to_string(job.processes) + ", the number of processes, got " +
                          std::to_string(file.ranks[task])});
    break;
  }
  return problems;
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const RandomTreeOptions chosen = options().read(values);
  auto problems = check_choices(chosen);
  if (!problems.empty()) return problems;
  problems = check_file(chosen, job);
  const TaskTreeShape shape = shape_of(chosen);
  if (shape.smallest_subtree_height > shape.largest_subtree_height)
    problems.push_back(
        {"largest_subtree_height", "expected at least smallest_subtree_height, " +
                                       std::to_string(shape.smallest_subtree_height)});
  return problems;
}

std::shared_ptr<const TreePlan> plan_of(const RandomTreeOptions& options, const JobShape& job) {
  TaskTree drawn;
  if (!options.tree_file) {
    Stream random = options.tree_seed ? task_tree_stream(*options.tree_seed, 0)
                                      : task_tree_stream(job.seed, job.replication);
    drawn = random_task_tree(shape_of(options), random);
  }
  const TaskTree& tree = options.tree_file ? options.tree_file->content->tree : drawn;
  auto plan = std::make_shared<TreePlan>();
  plan->first_child = first_children(tree);
  if (options.task_mapping == "file")
    plan->owner = options.tree_file->content->ranks;
  else if (options.task_mapping == "random")
    plan->owner =
        random_ranks(tree.tasks(), job.processes, task_mapping_stream(job.seed, job.replication));
  else
    plan->owner = round_robin_ranks(tree.tasks(), job.processes);
  return plan;
}

Registration random_tree() {
  Registration registration{.family = Family::workload,
                            .name = "random-tree",
                            .summary = "a random binary tree of tasks that unfolds over the ranks",
                            .source = kPaper,
                            .traits = WorkloadTraits{.starts_at_root = true, .has_images = true},
                            .options = options().specs(),
                            .message_kinds = {"task"},
                            .metrics = {&kTasksRun},
                            .check = check};
  registration.make = [](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    auto chosen = std::make_shared<const RandomTreeOptions>(options().read(values));
    if (chosen->most_messages)
      return [chosen](ActorId) -> std::unique_ptr<Component> {
        return std::make_unique<AnyTree>(chosen);
      };
    auto plan = plan_of(*chosen, job);
    return [chosen, plan](ActorId self) -> std::unique_ptr<Component> {
      return std::make_unique<RandomTree>(chosen, plan, self);
    };
  };
  return registration;
}

const Registered registered{random_tree()};

}  // namespace

RandomTree::RandomTree(std::shared_ptr<const Options> options, std::shared_ptr<const TreePlan> plan,
                       Rank self)
    : options_(std::move(options)), plan_(std::move(plan)), self_(self) {}

std::unique_ptr<Component> RandomTree::clone() const { return std::make_unique<RandomTree>(*this); }

// The computation starts at rank 0, which sends the root to its rank.
void RandomTree::start(WorkloadContext& context) {
  if (self_ == 0) spawn(context, 0);
}

void RandomTree::spawn(WorkloadContext& context, Task task) {
  if (plan_->owner[task] == self_)
    run(context, task);
  else
    context.send(plan_->owner[task], 0, options_->bytes).payload.put(task);
}

void RandomTree::on_message(WorkloadContext& context, const Message& message) {
  run(context, message.payload.get<Task>());
}

void RandomTree::run(WorkloadContext& context, Task task) {
  ++tasks_;
  context.compute(options_->task_compute_s, task);
}

void RandomTree::on_compute_done(WorkloadContext& context, std::uint64_t tag) {
  const Task end = plan_->first_child[tag + 1];
  for (Task child = plan_->first_child[tag]; child < end; ++child) spawn(context, child);
}

void RandomTree::report(MetricTotals& totals) const { totals.put(kTasksRun, tasks_); }

}  // namespace faultline::workloads
