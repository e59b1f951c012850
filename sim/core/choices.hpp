// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "sim/core/options.hpp"

namespace faultline {

/// Declares the option `choices` of a workload that asks WorkloadContext::choose wherever it may as
/// well go on in another way.
template <class Struct>
OptionSet<Struct> with_choices(OptionSet<Struct> set, std::string Struct::*member) {
  return set.option("choices", member,
                    {.doc = "what the workload may do: `seeded`: its random streams say; `all`: "
                            "the search goes on with every choice, and in other runs "
                            "the random streams say",
                     .choices = {"seeded", "all"}});
}

/// What a choice is about whose n-th answer is the n-th of all ranks but the one that chooses, and
/// one whose n-th answer is rank n. A search in which ranks change places has to know.
inline constexpr const char* kChildRank = "the child, among the other ranks";
inline constexpr const char* kReceiverRank = "the receiver, among the other ranks";
inline constexpr const char* kNextRank = "the next rank";

/// Are all choices of the workload with these options branches, for whoever explores the job?
inline bool has_open_choices(const OptionValues& workload) {
  const auto choices = workload.find("choices");
  return choices != workload.end() && std::get<std::string>(choices->second) == "all";
}

}  // namespace faultline
