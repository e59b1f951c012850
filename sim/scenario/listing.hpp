#pragma once

#include <string>
#include <vector>

namespace faultline {

/// The sections of what a scenario can name: protocols, workloads, machines, engines, faults.
const std::vector<std::string>& listing_sections();

/// Everything that is declared of these sections, for machines (docs/output.md).
std::string listing_json(const std::vector<std::string>& sections);

/// The same for people, in 80 columns and in short; `options`: with the options of each entry.
std::string listing_text(const std::vector<std::string>& sections, bool options);

}  // namespace faultline
