#pragma once

#include <string>
#include <variant>

#include "sim/core/options.hpp"

namespace faultline {

/// Declares the option `choices` of a workload that asks Context::choose wherever it may as well go
/// on in another way.
template <class Struct>
OptionSet<Struct> with_choices(OptionSet<Struct> set, std::string Struct::*member) {
  return set.option("choices", member,
                    {.doc = "what the workload may do: `seeded`: its random streams say; `all`: "
                            "who explores the job goes on with every choice, and in other runs "
                            "the random streams say",
                     .choices = {"seeded", "all"},
                     .later = true});
}

/// Are all choices of the workload with these options branches, for whoever explores the job?
inline bool has_open_choices(const OptionValues& workload) {
  const auto choices = workload.find("choices");
  return choices != workload.end() && std::get<std::string>(choices->second) == "all";
}

}  // namespace faultline
