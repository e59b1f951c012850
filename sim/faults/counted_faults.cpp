// SPDX-License-Identifier: Apache-2.0

// The sources `counts` and `jaguar`: faults at stated moments, with sizes drawn from recorded
// counts.

#include <algorithm>
#include <utility>

#include "sim/faults/drawn_faults.hpp"
#include "sim/faults/size_strata.hpp"

namespace faultline::faults {
namespace {

struct CountedOptions {
  std::optional<FaultCountsInput> distribution;
  std::optional<std::uint64_t> size;
  std::string sampling = "plain";
  double time_s = 0.0;
  double window_s = 0.0;
  std::uint64_t limit = 1;
  std::optional<RepairOptions> repair;
};

const OptionSet<CountedOptions>& counted_options() {
  using Options = CountedOptions;
  static const auto set =
      OptionSet<Options>()
          .option("distribution", &Options::distribution,
                  {.doc = "recorded counts of how many died together"})
          .option("size", &Options::size,
                  {.doc = "number that die in each fault, instead of a distribution", .minimum = 1})
          .option("sampling", &Options::sampling,
                  {.doc = "plain: each fault draws its size from the distribution; stratified: the "
                          "sizes are dealt to the replications, the rare ones more often than "
                          "they occur, and means over all runs are weighted (docs/faults.md)",
                   .source = "Cochran 1977, chapter 5",
                   .choices = {"plain", "stratified"}})
          .option("time_s", &Options::time_s,
                  {.doc = "time at which the faults strike",
                   .unit = "s",
                   .minimum = 0,
                   .required = true})
          .option("window_s", &Options::window_s,
                  {.doc = "each fault strikes at a moment drawn from a window of this length that "
                          "begins at time_s; 0: all at once",
                   .unit = "s",
                   .minimum = 0})
          .option("limit", &Options::limit,
                  {.doc = "number of faults", .minimum = 1, .maximum = 1e6})
          .option("repair", &Options::repair, {.doc = kRepairDoc});
  return set;
}

CountedOptions read_counted(OptionValues values) {
  values.emplace("size", std::monostate{});
  return counted_options().read(values);
}

bool is_stratified(const CountedOptions& options) { return options.sampling == "stratified"; }

std::optional<Stratum> stratum_of_counted(const OptionValues& values, std::uint64_t replication) {
  const CountedOptions options = read_counted(values);
  const bool has_sizes = options.distribution && options.distribution->content;
  if (!is_stratified(options) || !has_sizes) return std::nullopt;
  return SizeStrata(*options.distribution->content).of(replication);
}

SizeLaw size_law(const CountedOptions& options, const FaultTarget& target, const std::string& key) {
  if (!options.distribution) return SizeLaw(*options.size);
  const FaultCounts& counts = *options.distribution->content;
  if (is_stratified(options))
    return SizeLaw(
        static_cast<std::uint64_t>(SizeStrata(counts).of(target.job.replication).failed));
  return {counts, fault_stream(target, key, "size")};
}

/// The moments of `limit` faults, drawn within the window and sorted.
Arrivals arrivals_in_window(const CountedOptions& options, Stream random) {
  std::vector<double> times_s(options.limit);
  for (double& time_s : times_s) time_s = options.time_s + options.window_s * random.uniform();
  std::sort(times_s.begin(), times_s.end());
  return [times_s = std::move(times_s), next = std::size_t{0}]() mutable -> std::optional<Arrival> {
    if (next == times_s.size()) return std::nullopt;
    return Arrival{times_s[next++], std::nullopt};
  };
}

FaultSourceRegistration counted(FaultSourceRegistration base) {
  base.options = counted_options().specs();
  const auto& victims = placement_options().specs();
  base.options.insert(base.options.end(), victims.begin(), victims.end());
  base.check = [](const OptionValues& values, const FaultTarget& target) {
    const PlacementOptions where = placement_options().read(values);
    auto problems = check_placement(where, target);
    const CountedOptions options = read_counted(values);
    for (OptionProblem& problem : check_repair(options.repair, where))
      problems.push_back(std::move(problem));
    if (options.distribution.has_value() == options.size.has_value())
      problems.push_back({"distribution", "expected one of distribution and size"});
    if (is_stratified(options) && !options.distribution)
      problems.push_back({"sampling", R"("stratified" needs a distribution of sizes)"});
    if (is_stratified(options) && options.limit > 1)
      problems.push_back({"sampling",
                          R"("stratified" needs limit 1: a run with several faults has several )"
                          "sizes"});
    return problems;
  };
  base.stratum = stratum_of_counted;
  base.make = [](const OptionValues& values, const FaultTarget& target,
                 const std::string& key) -> std::unique_ptr<FaultSource> {
    const CountedOptions options = read_counted(values);
    VictimPlacement placement(placement_options().read(values), target,
                              fault_stream(target, key, "place"));
    return std::make_unique<DrawnFaults>(
        arrivals_in_window(options, fault_stream(target, key, "time")),
        size_law(options, target, key), std::move(placement),
        RepairLaw(options.repair, fault_stream(target, key, "repair")), options.limit);
  };
  return base;
}

const RegisteredFaultSource counts{
    counted({.name = "counts",
             .summary = "faults of several nodes at stated moments, with sizes that are stated or "
                        "drawn from a file of recorded counts",
             .source = "adoption-2013-lifflander, section 6"})};

/// The source `counts`, with the counts of Jaguar as the default.
FaultSourceRegistration counted_on_jaguar() {
  FaultSourceRegistration made =
      counted({.name = "jaguar",
               .summary = "faults of several nodes at stated moments, with the sizes of 1,062 "
                          "faults recorded on Jaguar",
               .source = "adoption-2013-lifflander, Table 1"});
  // The sizes of this source always come from counts.
  std::erase_if(made.options, [](const OptionSpec& option) { return option.name == "size"; });
  OptionSpec& distribution = made.options.front();
  distribution.nullable = false;
  distribution.default_value = FaultCountsInput{.file = "jaguar", .hash = {}, .content = {}};
  return made;
}

const RegisteredFaultSource jaguar{counted_on_jaguar()};

}  // namespace
}  // namespace faultline::faults
