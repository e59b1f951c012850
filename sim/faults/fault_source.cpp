// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/fault_source.hpp"

#include <algorithm>

namespace faultline::faults {

namespace {

std::vector<FaultSourceRegistration>& collected() {
  static std::vector<FaultSourceRegistration> all;
  return all;
}

/// What fails: nodes, unless the source says otherwise.
platform::Part part_of(const FaultSourceChoice& choice) {
  const auto component = choice.options.find("component");
  if (component == choice.options.end()) return platform::Part::node;
  return platform::part_of_word(std::get<std::string>(component->second));
}

}  // namespace

RegisteredFaultSource::RegisteredFaultSource(FaultSourceRegistration registration) {
  collected().push_back(std::move(registration));
}

const std::vector<FaultSourceRegistration>& fault_sources() {
  static const std::vector<FaultSourceRegistration> sorted = [] {
    auto all = collected();
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
  }();
  return sorted;
}

const FaultSourceRegistration* find_fault_source(const std::string& name) {
  for (const FaultSourceRegistration& registration : fault_sources())
    if (registration.name == name) return &registration;
  return nullptr;
}

std::optional<std::uint64_t> limit_of(const FaultSourceChoice& choice) {
  const auto* limit = std::get_if<std::int64_t>(&choice.options.at("limit"));
  if (limit == nullptr) return std::nullopt;
  return static_cast<std::uint64_t>(*limit);
}

double mtbf_of(const std::vector<FaultSourceChoice>& sources, const FaultTarget& target) {
  double per_second = 0.0;
  for (const FaultSourceChoice& source : sources) {
    if (!source.registration->mtbf_s || cuts_off(source)) continue;
    if (const auto mtbf_s = source.registration->mtbf_s(source.options, target))
      per_second += 1.0 / *mtbf_s;
  }
  return per_second > 0.0 ? 1.0 / per_second : kNever;
}

std::optional<Stratum> stratum_of(const std::vector<FaultSourceChoice>& sources,
                                  std::uint64_t replication) {
  for (const FaultSourceChoice& source : sources)
    if (source.registration->stratum)
      if (const auto stratum = source.registration->stratum(source.options, replication))
        return stratum;
  return std::nullopt;
}

bool cuts_off(const FaultSourceChoice& choice) { return part_of(choice) == platform::Part::router; }

bool strikes_nodes(const FaultSourceChoice& choice) {
  if (cuts_off(choice)) return false;
  const auto victims = choice.options.find("victims");
  return victims == choice.options.end() || std::get<std::string>(victims->second) == "nodes";
}

std::uint32_t nodes_together(const FaultSourceChoice& choice, const FaultTarget& target) {
  return platform::nodes_of(part_of(choice), target.parts()).value_or(1);
}

bool is_repaired(const FaultSourceChoice& choice) {
  const auto repair = choice.options.find("repair");
  return repair != choice.options.end() && std::holds_alternative<OptionGroup>(repair->second);
}

Stream fault_stream(const FaultTarget& target, const std::string& key, const std::string& use,
                    std::uint64_t unit) {
  std::uint64_t hash = 14695981039346656037U;
  std::string name = key;
  name += '/';
  name += use;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  return {target.job.seed, target.job.replication, Purpose::faults, hash + unit};
}

}  // namespace faultline::faults
