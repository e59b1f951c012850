#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace faultline {

/// The words that an option, or what stands without a name, can be.
struct Choices {
  std::function<std::vector<std::string>()> words;  ///< asked only when they are needed
  bool open = false;  ///< others are possible too, so that nothing is checked
};

/// These words and no others.
Choices only(const std::vector<std::string>& words);

/// These words among others.
Choices such_as(std::function<std::vector<std::string>()> words);

/// What one verb takes: its parser, its help, the manual and the completion of shells come from
/// this.
struct VerbOptions {
  std::string verb;
  std::string usage;       ///< after "usage: faultline "
  std::string about = {};  ///< what the verb does, for its help; wrapped to the terminal
  boost::program_options::options_description options{"Options"};
  boost::program_options::positional_options_description positional = {};
  boost::program_options::options_description hidden =
      boost::program_options::options_description();  ///< those that stand without a name
  std::map<std::string, Choices> choices = {};        ///< by name of the option
};

/// Declares --format with these words, of which the first is the default.
void add_format(VerbOptions& verb, const std::vector<std::string>& words);

/// Declares --out FILE.
void add_out(VerbOptions& verb);

/// What an option without a default was given, if it was.
std::optional<std::string> text_of(const boost::program_options::variables_map& values,
                                   const std::string& option);

/// What an option that can stand several times was given, in order.
std::vector<std::string> words_of(const boost::program_options::variables_map& values,
                                  const std::string& option);

/// `text` between its commas: one more word than there are commas.
std::vector<std::string> split_at_commas(const std::string& text);

/// What an option was given that can stand several times or have several words with commas.
std::vector<std::string> listed_words_of(const boost::program_options::variables_map& values,
                                         const std::string& option);

/// Parses the words after a verb, and checks those that have choices. Throws UsageError that names
/// the option and what is expected.
boost::program_options::variables_map parse_options(const VerbOptions& verb,
                                                    const std::vector<std::string>& arguments);

/// The help text of a verb.
std::string help_text(const VerbOptions& verb);

/// A whole number within a range, or UsageError.
std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t low,
                           std::uint64_t high);

/// One of several words, or UsageError with the nearest.
std::string one_of(const std::string& option, const std::string& word,
                   const std::vector<std::string>& words);

}  // namespace faultline
