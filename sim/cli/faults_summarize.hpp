#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace faultline {

/// `faultline faults summarize`, with the words after that. Returns the exit code.
int faults_summarize(const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace faultline
