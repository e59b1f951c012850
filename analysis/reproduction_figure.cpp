#include "analysis/reproduction_figure.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "analysis/step_model.hpp"
#include "analysis/text_table.hpp"
#include "workloads/task_tree.hpp"

namespace faultline {

namespace {

struct ActivityName {
  StepActivity activity;
  const char* name;
};

constexpr ActivityName kActivities[] = {{StepActivity::instant, "instant"},
                                        {StepActivity::local, "local"},
                                        {StepActivity::load, "load"}};

const StepModelMeasure& model_of(const ReproductionItem& item, std::size_t measure) {
  return std::get<StepModelMeasure>(item.measures[measure].how);
}

void append_counts(const StepModelMeasure& model, const TaskTree& tree, std::uint64_t seed,
                   std::uint32_t processes, std::string& text) {
  const std::vector<Rank> ranks =
      model.mapping == "random"
          ? random_ranks(tree.tasks(), processes, task_mapping_stream(seed, processes))
          : round_robin_ranks(tree.tasks(), processes);
  for (const auto& [activity, name] : kActivities) {
    const ControlMessageCounts counts =
        count_control_messages({processes, activity, model.rules}, tree, ranks);
    text += csv_record({model.mapping, name, std::to_string(processes), std::to_string(seed),
                        std::to_string(counts.four_counter), std::to_string(counts.edod),
                        std::to_string(counts.hcda), std::to_string(counts.cda)});
  }
}

/// One panel: the rows of the CSV that are of this mapping and activity, averaged over trees.
std::string panel(const std::string& stem, const std::string& mapping,
                  const std::string& activity) {
  const std::string here = "(strcol(1) eq '" + mapping + "' && strcol(2) eq '" + activity + "' ? ";
  std::string text = "set title '" + mapping + ", S_{" + activity + "}'\nplot ";
  const char* const names[] = {"4C", "EDOD", "HCDA", "CDA"};
  for (std::size_t i = 0; i < 4; ++i) {
    text.append(i == 0 ? "" : ", \\\n  ").append("'").append(stem).append(".csv' using ");
    text.append(here).append("$3 : NaN):").append(here).append("$");
    text.append(std::to_string(i + 5)).append("/$3 : NaN) smooth unique with lines title '");
    text.append(names[i]).append("'");
  }
  return text + "\n";
}

}  // namespace

std::string figure_csv(const ReproductionItem& item, const ReproductionSettings& settings) {
  std::string text = csv_record(
      {"mapping", "activity", "processes", "tree_seed", "four-counter", "edod", "hcda", "cda"});
  for (const std::size_t curve : item.curves) {
    const StepModelMeasure& model = model_of(item, curve);
    const std::size_t trees =
        settings.quick ? std::min<std::size_t>(model.quick_trees, model.tree_seeds.size())
                       : model.tree_seeds.size();
    for (std::size_t i = 0; i < trees; ++i) {
      Stream random = task_tree_stream(model.tree_seeds[i], 0);
      const TaskTree tree = random_task_tree(*task_tree_preset(model.preset), random);
      for (std::uint32_t processes = model.fewest_processes; processes <= model.most_processes;
           ++processes)
        append_counts(model, tree, model.tree_seeds[i], processes, text);
    }
  }
  return text;
}

std::string figure_script(const ReproductionItem& item, const std::string& stem) {
  std::string text = "set terminal svg size 1200,700 font 'sans,12'\nset output '" + stem +
                     ".svg'\nset datafile separator ','\nset datafile missing NaN\nset logscale y\n"
                     "set key outside bottom center horizontal\n"
                     "set xlabel 'processes'\nset ylabel 'control messages per process'\n"
                     "set multiplot layout " +
                     std::to_string(item.curves.size()) + ",3\n";
  for (const std::size_t curve : item.curves)
    for (const ActivityName& activity : kActivities)
      text += panel(stem, model_of(item, curve).mapping, activity.name);
  return text + "unset multiplot\n";
}

bool draw_figure(const std::string& directory, const std::string& script) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    if (chdir(directory.c_str()) == 0) execlp("gnuplot", "gnuplot", script.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace faultline
