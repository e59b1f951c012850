#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace faultline {

/// What one verb takes.
struct VerbOptions {
  std::string verb;
  std::string usage;       ///< after "usage: faultline "
  std::string about = {};  ///< what the verb does, for its help; wrapped to the terminal
  boost::program_options::options_description options{"Options"};
  boost::program_options::positional_options_description positional = {};
  boost::program_options::options_description hidden =
      boost::program_options::options_description();  ///< those that stand without a name
};

/// Parses the words after a verb. Throws UsageError that names the option and what is expected.
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
