// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "sim/core/forwarding.hpp"
#include "sim/scenario/run_spec.hpp"
#include "tests/support/has_role.hpp"

namespace faultline::test {

/// Passes every handler on to a real component. `Mistake` inherits from this and
/// overrides the handlers that it gets wrong. Random numbers are not passed on.
template <class Mistake, class Role>
class PassThrough : public Forwarding<Role> {
 public:
  using Forwarding<Role>::Forwarding;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Mistake>(static_cast<const Mistake&>(*this));
  }
};

/// Replaces the run's protocol of `family` by one with a mistake: each component becomes a
/// `Mistake`, made from the real component and `arguments`. `mistaken` must outlive the run.
template <class Mistake, class... Arguments>
void make_mistaken(scenario::RunSpec& spec, Family family, Registration& mistaken,
                   Arguments... arguments) {
  scenario::ComponentChoice& choice = spec.components[static_cast<std::size_t>(family)];
  mistaken = *choice.registration;
  mistaken.properties.clear();  // they look into the real component
  mistaken.make = [family, make = mistaken.make, arguments...](
                      const OptionValues& options, const JobShape& job) -> ComponentFactory {
    return [family, factory = make(options, job), arguments...](ActorId self) {
      return of_role(std::make_unique<Mistake>(factory(self), arguments...), family);
    };
  };
  choice.registration = &mistaken;
}

}  // namespace faultline::test
