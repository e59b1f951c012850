// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <ostream>
#include <set>

#include "analysis/text/shell_words.hpp"
#include "cli/completion_templates.hpp"
#include "cli/completion_words.hpp"
#include "cli/stored_points.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"

namespace faultline::cli {

namespace {

/// Joins words. Some are names of data files; a name that a shell could execute is left out.
std::string joined(const std::vector<std::string>& words, const std::string& after = "",
                   const std::string& between = " ") {
  std::string text;
  for (const std::string& word : words)
    if (text::shell_word(word) == word)
      text.append(text.empty() ? "" : between).append(word).append(after);
  return text;
}

/// Replaces a mark in a template by its content.
std::string with(std::string text, const std::string& mark, const std::string& content) {
  return text.replace(text.find(mark), mark.size(), content);
}

std::string without_last_break(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// ---- bash --------------------------------------------------------------------------------------

std::string bash_case(const std::string& pattern, const std::string& action) {
  return "    \"" + pattern + "\") " + action + " ;;\n";
}

std::string bash_action(const Completed& what) {
  if (what.assigns) return "_faultline_set";
  if (!what.stored.empty()) return "_faultline_stored " + what.stored;
  if (!what.words.empty()) return "_faultline_words \"" + joined(what.words) + "\"";
  if (what.files) return "_faultline_paths -f";
  return what.directories ? "_faultline_paths -d" : ":";
}

/// The words after the first complete what can stand in the second place.
std::string bash_actions(const std::vector<Completed>& arguments) {
  if (arguments.empty()) return "";
  std::string first = bash_action(arguments.front());
  if (arguments.size() == 1) return first;
  return "if ((COMP_CWORD == 2)); then " + first + "; else " + bash_action(arguments[1]) + "; fi";
}

std::string bash_text() {
  std::vector<std::string> verb_names;
  verb_names.reserve(verbs().size());
  for (const Verb& verb : verbs()) verb_names.emplace_back(verb.name);
  std::string values;
  for (const auto& [path, words] : set_values())
    values += bash_case(path, "_faultline_words \"" + joined(words) + "\"");
  std::string options;
  std::string arguments;
  std::string names;
  for (const VerbOptions& command : commands()) {
    std::string all = "--help";
    for (const CompletedOption& option : completed_options(command)) {
      all += " --" + option.name;
      if (!option.takes_value) continue;
      options += bash_case(command.verb + " --" + option.name, bash_action(option.value));
    }
    names += bash_case(command.verb, "echo \"" + all + "\"");
    const std::string action = bash_actions(completed_arguments(command));
    if (!action.empty()) arguments += bash_case(command.verb, action);
  }
  std::string text = with(kBashCompletion, "#SET_PATHS#", joined(set_paths(), "="));
  text = with(text, "#SET_VALUES#", without_last_break(values));
  text = with(text, "#OPTIONS#", without_last_break(options));
  text = with(text, "#ARGUMENTS#", without_last_break(arguments));
  text = with(text, "#NAMES#", without_last_break(names));
  return with(text, "#VERBS#", joined(verb_names));
}

// ---- zsh ---------------------------------------------------------------------------------------

std::string in_single_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'')
      quoted += "'\\''";
    else
      quoted += letter;
  }
  return quoted + "'";
}

/// The text with a backslash before each character that is special to _arguments or _describe.
std::string escaped(const std::string& text, const std::string& special) {
  std::string safe;
  safe.reserve(text.size());
  for (const char letter : text) {
    if (special.find(letter) != std::string::npos) safe += '\\';
    safe += letter;
  }
  return safe;
}

std::string zsh_action(const Completed& what) {
  if (what.assigns) return "_faultline_set";
  if (!what.stored.empty()) return "_faultline_" + what.stored;
  if (!what.words.empty()) return "(" + joined(what.words) + ")";
  if (what.files) return "_files";
  return what.directories ? "_files -/" : "";
}

std::string zsh_arguments(const VerbOptions& command) {
  std::string text = "      _arguments '--help[this text]'";
  const auto add = [&text](const std::string& specification) {
    text += " \\\n        " + in_single_quotes(specification);
  };
  for (const CompletedOption& option : completed_options(command)) {
    std::string specification = option.repeats ? "*--" : "--";
    specification += option.name + (option.takes_value ? "=" : "");
    specification += "[" + escaped(option.doc, "[]\\") + "]";
    if (option.takes_value)
      specification += ":" + escaped(option.shown, ":\\") + ":" + zsh_action(option.value);
    add(specification);
  }
  const std::vector<Completed> arguments = completed_arguments(command);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    add((arguments[i].repeats ? "*:" : std::to_string(i + 1) + ":") + arguments[i].name + ":" +
        zsh_action(arguments[i]));
  return text;
}

std::string zsh_text() {
  std::string values;
  for (const auto& [path, words] : set_values())
    values += "      " + path + ") compadd -- " + joined(words) + " ;;\n";
  std::string names;
  for (const Verb& verb : verbs())
    names += "    " + in_single_quotes(verb.name + (":" + escaped(verb.summary, ":"))) + "\n";
  std::string arguments;
  for (const VerbOptions& command : commands())
    arguments += "    " + in_single_quotes(command.verb) + ")\n" + zsh_arguments(command) + " ;;\n";
  std::string text = with(kZshCompletion, "#SET_VALUES#", without_last_break(values));
  text = with(text, "#SET_PATHS#", joined(set_paths()));
  text = with(text, "#VERBS#", without_last_break(names));
  return with(text, "#ARGUMENTS#", without_last_break(arguments));
}

// ---- the words of a store ----------------------------------------------------------------------

/// The swept paths, and the paths within swept objects: termination, termination.name. A shell
/// waits for them, so this reads neither what the points simulated nor their results.
std::vector<std::string> offered_paths(const std::string& path) {
  need_store(path);
  store::ResultStore store(path, store::StoreUse::read);
  std::set<std::string> paths;
  const std::vector<store::StoredStudy> studies = store.studies();
  if (studies.size() > 1) paths.insert("study");
  const auto add = [&paths](const store::StoredPoint& point) {
    for (const json::JsonMember& parameter : point.parameters) {
      paths.insert(parameter.key);
      if (const json::JsonValue::Object* parts = parameter.value.object())
        for (const json::JsonMember& part : *parts)
          paths.insert(json::member_path(parameter.key, part.key));
    }
  };
  for (const store::StoredStudy& study : studies)
    store.each_point(study.id, add, store::PointPart::parameters);
  return {paths.begin(), paths.end()};
}

std::string stored_text(const std::string& what, const std::string& store) {
  return joined(what == "metrics" ? store::metric_names(stored_points(store, {}))
                                  : offered_paths(store),
                "", "\n") +
         "\n";
}

VerbOptions completion_options() {
  VerbOptions verb{
      .verb = "completion",
      .usage = "completion bash|zsh\n       faultline completion metrics|paths --store RESULTS",
      .about =
          "Writes the script with which a shell completes this command line. Packages and cmake "
          "--install put it in place; without them, use it in bash with: source <(faultline "
          "completion bash). The script asks this verb for the metrics of a store, and for the "
          "paths that were swept in it."};
  verb.options.add_options()("store",
                             boost::program_options::value<std::string>()->value_name("RESULTS"),
                             "list those of this store, one word a line");
  verb.hidden.add_options()("what", boost::program_options::value<std::string>());
  verb.positional.add("what", 1);
  verb.choices["what"] = only({"bash", "zsh", "metrics", "paths"});
  return verb;
}

int carry_out_completion(const Call& call) {
  const auto& values = call.values;
  if (values.count("what") == 0)
    throw UsageError("completion: expected bash or zsh, or metrics or paths with --store");
  const std::string what = values["what"].as<std::string>();
  const bool of_store = what == "metrics" || what == "paths";
  const auto store = text_of(values, "store");
  if (of_store != store.has_value())
    throw UsageError(of_store ? "completion: " + what + ": expected --store RESULTS.sqlite"
                              : "completion: --store: expected the word metrics or paths");
  if (of_store)
    call.out << stored_text(what, *store);
  else
    call.out << (what == "bash" ? bash_text() : zsh_text());
  return 0;
}

}  // namespace

Verb completion_verb() {
  return {.name = "completion",
          .summary = "print the completion script for bash or zsh",
          .options = completion_options,
          .run = carry_out_completion};
}

}  // namespace faultline::cli
