#include "analysis/search/message_times.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

namespace faultline::search {

double longest_send_s(const RunSpec& spec) {
  double longest_B = 0.0;
  for (const ComponentChoice& choice : spec.components)
    if (choice.registration != nullptr)
      for (const OptionSpec& option : choice.registration->options) {
        const auto given = choice.options.find(option.name);
        if (option.unit != "B" || given == choice.options.end()) continue;
        if (const auto* bytes = std::get_if<std::int64_t>(&given->second); bytes != nullptr)
          longest_B = std::max(longest_B, static_cast<double>(*bytes));
      }
  return longest_B / spec.platform.machine.nic_bandwidth_Bps;
}

}  // namespace faultline::search
