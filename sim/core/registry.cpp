// SPDX-License-Identifier: Apache-2.0
#include "sim/core/registry.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <variant>

namespace faultline {

namespace {

std::vector<Registration>& collected() {
  static std::vector<Registration> all;
  return all;
}

/// Are the traits those of that role, or none?
bool fits(const Traits& traits, Role role) {
  switch (role) {
    case Role::workload:
      return std::holds_alternative<WorkloadTraits>(traits);
    case Role::recovery:
      return std::holds_alternative<RecoveryTraits>(traits);
    case Role::termination:
      return std::holds_alternative<TerminationTraits>(traits);
    case Role::detector:
      break;
  }
  return std::holds_alternative<DetectorTraits>(traits);
}

}  // namespace

// ---- what several roles declare ---------------------------------------------------------------

bool Registration::needs_fifo() const {
  return as<TerminationTraits>().needs_fifo || as<RecoveryTraits>().needs_fifo;
}

bool Registration::needs_detection() const {
  return as<WorkloadTraits>().needs_detection || as<TerminationTraits>().needs_detection ||
         as<RecoveryTraits>().needs_detection;
}

bool Registration::needs_logging_off() const {
  return as<TerminationTraits>().needs_logging_off || as<RecoveryTraits>().needs_logging_off;
}

bool Registration::has_images() const {
  return as<WorkloadTraits>().has_images || as<TerminationTraits>().has_images;
}

bool Registration::tolerates_faults() const {
  const Role role = place_of(family).role;
  return role == Role::recovery || role == Role::detector ||
         as<TerminationTraits>().tolerates_faults;
}

const MayGiveUp& Registration::may_give_up() const {
  if (const auto* workload = std::get_if<WorkloadTraits>(&traits)) return workload->may_give_up;
  if (const auto* recovery = std::get_if<RecoveryTraits>(&traits)) return recovery->may_give_up;
  return as<TerminationTraits>().may_give_up;
}

// ---- all of them ------------------------------------------------------------------------------

Registered::Registered(Registration registration) {
  if (!std::holds_alternative<std::monostate>(registration.traits) &&
      !fits(registration.traits, place_of(registration.family).role))
    throw std::logic_error(registration.name + " declares traits of another role");
  collected().push_back(std::move(registration));
}

Residence residence_of(const Registration& registration, const OptionValues& options) {
  const auto& residence = registration.as<DetectorTraits>().residence;
  return residence ? residence(options) : Residence::ranks;
}

const std::vector<Registration>& registrations() {
  static const std::vector<Registration> sorted = [] {
    auto all = collected();
    std::sort(all.begin(), all.end(), [](const Registration& a, const Registration& b) {
      return std::tie(a.family, a.name) < std::tie(b.family, b.name);
    });
    return all;
  }();
  return sorted;
}

const Registration* find_registration(Family family, const std::string& name) {
  for (const auto& registration : registrations())
    if (registration.family == family && registration.name == name) return &registration;
  return nullptr;
}

}  // namespace faultline
