#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace faultline {

/// `faultline schema`: prints the JSON Schema of scenarios. Returns the exit code.
/// Throws UsageError for arguments, of which it has none beside --help.
int schema_verb(const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace faultline
