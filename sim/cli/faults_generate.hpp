#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace faultline {

/// `faultline faults generate`, with the words after that. Returns the exit code.
int faults_generate(const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace faultline
