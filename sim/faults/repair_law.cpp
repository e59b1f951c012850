// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/repair_law.hpp"

#include <cmath>

namespace faultline::faults {

const OptionSet<RepairOptions>& RepairOptions::options() {
  using Options = RepairOptions;
  static const auto set =
      OptionSet<Options>()
          .option("law", &Options::law,
                  {.doc = "exponential, with mean_s; or lognormal, with mu and sigma",
                   .source = "Schroeder and Gibson, DSN 2006: repairs are lognormal",
                   .choices = {"exponential", "lognormal"}})
          .option(
              "mean_s", &Options::mean_s,
              {.doc = "mean time of a repair", .unit = "s", .minimum = 0, .above_minimum = true})
          .option("mu", &Options::mu,
                  {.doc = "mean of the logarithm of a repair's seconds: 8.2 is a median of an hour",
                   .minimum = -20,
                   .maximum = 25})
          .option("sigma", &Options::sigma,
                  {.doc = "standard deviation of that logarithm",
                   .minimum = 0,
                   .maximum = 10,
                   .above_minimum = true});
  return set;
}

std::vector<OptionProblem> check_repair(const std::optional<RepairOptions>& repair,
                                        const PlacementOptions& where) {
  if (!repair) return {};
  if (where.victims != "nodes")
    return {{"repair", "a rank has nothing to repair, expected null or victims nodes"}};
  const bool is_lognormal = repair->law == "lognormal";
  std::vector<std::string> missing;
  std::vector<std::string> foreign;
  const auto check = [&](const char* name, const std::optional<double>& value, bool is_needed) {
    if (is_needed && !value) missing.emplace_back(name);
    if (!is_needed && value) foreign.emplace_back(name);
  };
  check("mean_s", repair->mean_s, !is_lognormal);
  check("mu", repair->mu, is_lognormal);
  check("sigma", repair->sigma, is_lognormal);
  if (missing.empty() && foreign.empty()) return {};
  const auto joined = [](const std::vector<std::string>& names, const char* between) {
    return names.size() == 1 ? names[0] : names[0] + between + names[1];
  };
  std::string why = "the law " + repair->law;
  if (!missing.empty()) why += " needs " + joined(missing, " and ");
  if (!foreign.empty())
    why += (missing.empty() ? " has no " : ", and has no ") + joined(foreign, " or ");
  return {{"repair", why}};
}

RepairLaw::RepairLaw(const std::optional<RepairOptions>& repair, Stream random)
    : repair_(repair), random_(random) {}

double RepairLaw::draw_s() {
  return repair_->law == "lognormal" ? random_.lognormal(*repair_->mu, *repair_->sigma)
                                     : random_.exponential(*repair_->mean_s);
}

std::vector<double> RepairLaw::repairs_s(double time_s, std::size_t components) {
  std::vector<double> times_s(repair_ ? components : 0);
  for (double& back_s : times_s) back_s = time_s + draw_s();
  return times_s;
}

}  // namespace faultline::faults
