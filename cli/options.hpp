// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace faultline::cli {

/// The possible words of an option or a positional argument.
struct Choices {
  std::function<std::vector<std::string>()> words;  ///< called only when the words are needed
  bool open = false;  ///< true: other words are possible too, and the word is not checked
};

/// Exactly these words.
Choices only(const std::vector<std::string>& words);

/// These words, and possibly others.
Choices such_as(std::function<std::vector<std::string>()> words);

/// The options and arguments of one verb. Its parser, its help, the manual and shell completion all
/// come from this.
struct VerbOptions {
  std::string verb;
  std::string usage;       ///< the text after "usage: faultline "
  std::string about = {};  ///< what the verb does, for its help; wrapped to the terminal
  std::vector<std::string> needed = {};  ///< options that the help shows above all others
  boost::program_options::options_description options{"Options"};
  boost::program_options::positional_options_description positional = {};
  boost::program_options::options_description hidden =
      boost::program_options::options_description();  ///< the positional arguments
  std::map<std::string, Choices> choices = {};        ///< by name of the option
};

/// Declares --format with these words. The first is the default.
void add_format(VerbOptions& verb, const std::vector<std::string>& words);

/// Declares --out FILE.
void add_out(VerbOptions& verb);

/// The value of an option without a default, if the option was given.
std::optional<std::string> text_of(const boost::program_options::variables_map& values,
                                   const std::string& option);

/// All values of an option that can be given several times, in order.
std::vector<std::string> words_of(const boost::program_options::variables_map& values,
                                  const std::string& option);

/// The words between the commas of `text`: one more than there are commas.
std::vector<std::string> split_at_commas(const std::string& text);

/// All words of an option that can be given several times, or once with commas between the words.
std::vector<std::string> listed_words_of(const boost::program_options::variables_map& values,
                                         const std::string& option);

/// Parses the words after a verb and checks options that have choices. Throws UsageError, which
/// names the option and what it expects.
boost::program_options::variables_map parse_options(const VerbOptions& verb,
                                                    const std::vector<std::string>& arguments);

/// The help text of a verb.
std::string help_text(const VerbOptions& verb);

/// The largest seed that an option takes: JSON readers of other languages keep it exactly.
inline constexpr std::uint64_t kLargestSeed = std::uint64_t{1} << 53U;

/// The text as a whole number from `low` to `high`. Throws UsageError if it is not.
std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t low,
                           std::uint64_t high);

/// Returns the word if it is one of `words`. Else throws UsageError, which suggests the nearest
/// one.
std::string one_of(const std::string& option, const std::string& word,
                   const std::vector<std::string>& words);

}  // namespace faultline::cli
