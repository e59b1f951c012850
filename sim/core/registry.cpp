// SPDX-License-Identifier: Apache-2.0
#include "sim/core/registry.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace faultline {

namespace {

std::vector<Registration>& collected() {
  static std::vector<Registration> all;
  return all;
}

}  // namespace

Registered::Registered(Registration registration) {
  collected().push_back(std::move(registration));
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
