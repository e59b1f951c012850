// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"

namespace faultline::cli {

namespace po = boost::program_options;

namespace {

std::vector<std::string> names_of(const VerbOptions& verb) {
  std::vector<std::string> names = {"--help"};
  for (const auto& option : verb.options.options()) names.push_back("--" + option->long_name());
  return names;
}

/// Gives positional arguments the names of their options. Throws UsageError if there are too many.
void name_words(const VerbOptions& verb, po::parsed_options& parsed) {
  unsigned position = 0;
  for (po::option& option : parsed.options) {
    if (!option.string_key.empty()) continue;
    if (position >= verb.positional.max_total_count())
      throw UsageError(verb.verb + ": unexpected word " + json::in_quotes(option.value.front()) +
                       " (see faultline " + verb.verb + " --help)");
    option.string_key = verb.positional.name_for_position(position++);
  }
}

void check_choices(const VerbOptions& verb, const po::variables_map& values) {
  for (const auto& [option, choices] : verb.choices) {
    const auto found = values.find(option);
    if (choices.open || found == values.end()) continue;
    const bool named = verb.hidden.find_nothrow(option, false) == nullptr;
    one_of(named ? verb.verb + ": --" + option : verb.verb, found->second.as<std::string>(),
           choices.words());
  }
}

/// The options as the help shows them: under a first heading those that most people need.
po::options_description grouped(const VerbOptions& verb) {
  if (verb.needed.empty()) return verb.options;
  po::options_description needed("Options");
  po::options_description further("Further options");
  for (const auto& option : verb.options.options()) {
    const bool is_needed =
        std::find(verb.needed.begin(), verb.needed.end(), option->long_name()) != verb.needed.end();
    (is_needed ? needed : further).add(option);
  }
  needed.add(further);
  return needed;
}

}  // namespace

Choices only(const std::vector<std::string>& words) {
  return {.words = [words] { return words; }};
}

Choices such_as(std::function<std::vector<std::string>()> words) {
  return {.words = std::move(words), .open = true};
}

po::variables_map parse_options(const VerbOptions& verb,
                                const std::vector<std::string>& arguments) {
  po::options_description all;
  all.add(verb.options).add(verb.hidden);
  all.add_options()("help,h", "this text");
  using Style = po::command_line_style::style_t;
  const int style = Style::allow_long | Style::allow_short | Style::allow_dash_for_short |
                    Style::long_allow_adjacent | Style::long_allow_next | Style::short_allow_next;
  po::variables_map values;
  try {
    po::parsed_options parsed = po::command_line_parser(arguments).options(all).style(style).run();
    name_words(verb, parsed);
    po::store(parsed, values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    throw UsageError(verb.verb + ": unknown option " + json::in_quotes(error.get_option_name()) +
                     json::suggestion(error.get_option_name(), names_of(verb)));
  } catch (const po::error& error) {
    throw UsageError(verb.verb + ": " + error.what());
  }
  if (values.count("help") == 0) check_choices(verb, values);
  return values;
}

std::string help_text(const VerbOptions& verb) {
  std::ostringstream options;
  if (!verb.options.options().empty()) options << grouped(verb);
  std::string text = "usage: faultline " + verb.usage + "\n\n";
  if (!verb.about.empty()) text += text::wrapped(verb.about) + "\n";
  // Boost leaves a blank at the end of each line that it wraps.
  for (const char c : options.str()) {
    if (c == '\n') text.erase(text.find_last_not_of(' ') + 1);
    text += c;
  }
  return text;
}

void add_format(VerbOptions& verb, const std::vector<std::string>& words) {
  verb.options.add_options()(
      "format", po::value<std::string>()->value_name("F")->default_value(words.front()),
      json::any_of(words).c_str());
  verb.choices["format"] = only(words);
}

void add_out(VerbOptions& verb) {
  verb.options.add_options()(
      "out", po::value<std::string>()->value_name("FILE"),
      "write to this file, whole or not at all, instead of to standard output");
}

std::optional<std::string> text_of(const po::variables_map& values, const std::string& option) {
  if (values.count(option) == 0) return std::nullopt;
  return values[option].as<std::string>();
}

std::vector<std::string> words_of(const po::variables_map& values, const std::string& option) {
  if (values.count(option) == 0) return {};
  return values[option].as<std::vector<std::string>>();
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::vector<std::string> listed_words_of(const po::variables_map& values,
                                         const std::string& option) {
  std::vector<std::string> listed;
  for (const std::string& text : words_of(values, option))
    for (std::string& word : split_at_commas(text)) listed.push_back(std::move(word));
  return listed;
}

std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t low,
                           std::uint64_t high) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && value >= low && value <= high) return value;
  throw UsageError(option + ": expected a whole number from " + std::to_string(low) + " to " +
                   std::to_string(high) + ", got " + json::in_quotes(text));
}

std::string one_of(const std::string& option, const std::string& word,
                   const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  const auto near = json::nearest_of(word, words);
  throw UsageError(option + ": expected " + json::any_of(words) + ", got " + json::in_quotes(word) +
                   (near ? ", did you mean \"" + *near + "\"?" : ""));
}

}  // namespace faultline::cli
