// SPDX-License-Identifier: Apache-2.0

// The sources `poisson` and `weibull`: faults that come without end, unless limited.

#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "sim/faults/drawn_faults.hpp"

namespace faultline {
namespace {

constexpr const char* kOfSchroeder =
    "Schroeder and Gibson, DSN 2006: Weibull with decreasing hazard, shape 0.7 to 0.8";

/// Options for the times between faults and for their sizes.
struct RenewalOptions {
  std::optional<double> mtbf_s;
  std::optional<double> scale_s;
  double shape = 0.7;
  std::string per = "system";
  bool stationary = false;
  double start_s = 0.0;
  std::optional<double> end_s;
  std::optional<std::uint64_t> limit;
  std::optional<std::uint64_t> size;
  std::optional<FaultCountsInput> sizes;
};

using Set = OptionSet<RenewalOptions>;

void add_span(Set& set) {
  using Options = RenewalOptions;
  set.option("per", &Options::per,
             {.doc = "whether the times are those between the faults of all nodes together, or of "
                     "every node (rank, if ranks are the victims) by itself",
              .choices = {"system", "node"}})
      .option("start_s", &Options::start_s,
              {.doc = "no fault strikes before this time", .unit = "s", .minimum = 0})
      .option("end_s", &Options::end_s,
              {.doc = "no fault strikes after this time", .unit = "s", .minimum = 0})
      .option("limit", &Options::limit,
              {.doc = "number of faults after which the source ends; null: it never ends, and the "
                      "run does not wait for it",
               .minimum = 1})
      .option("size", &Options::size,
              {.doc = "number that die in each fault; null: 1, or drawn from sizes", .minimum = 1})
      .option("sizes", &Options::sizes,
              {.doc = "recorded counts from which the number that die in each fault is drawn"});
}

const Set& poisson_options() {
  static const Set set = [] {
    Set made;
    made.option("mtbf_s", &RenewalOptions::mtbf_s,
                {.doc = "mean time between faults; required",
                 .unit = "s",
                 .minimum = 0,
                 .above_minimum = true});
    add_span(made);
    return made;
  }();
  return set;
}

const Set& weibull_options() {
  static const Set set = [] {
    Set made;
    using Options = RenewalOptions;
    const double none = 0;
    made.option(
            "shape", &Options::shape,
            {.doc =
                 "shape of the law; below 1, a fault makes another one soon after it more likely",
             .source = kOfSchroeder,
             .minimum = 0.05,
             .maximum = 100})
        .option("mtbf_s", &Options::mtbf_s,
                {.doc = "mean time between faults; give this or scale_s",
                 .unit = "s",
                 .minimum = none,
                 .above_minimum = true})
        .option(
            "scale_s", &Options::scale_s,
            {.doc = "63 % of the times between faults are shorter than this; give this or mtbf_s",
             .unit = "s",
             .minimum = none,
             .above_minimum = true})
        .option("stationary", &Options::stationary,
                {.doc = "true: the run begins in the middle of a long life; false: as if a fault "
                        "had struck at start_s, after which a shape below 1 brings more of them"});
    add_span(made);
    return made;
  }();
  return set;
}

/// Draws the times between faults (gaps).
class GapLaw {
 public:
  GapLaw(double shape, double scale_s, bool stationary)
      : shape_(shape), scale_s_(scale_s), stationary_(stationary) {}

  [[nodiscard]] double gap_s(Stream& random) const {
    return scale_s_ * std::pow(-std::log1p(-random.uniform()), 1 / shape_);
  }
  /// The time to the first fault. In a stationary process, the start of the run falls into a gap
  /// with a probability proportional to its length, and anywhere within it with equal probability
  /// (Cox, Renewal Theory, 1962). The length of such a gap, to the power `shape`, has a gamma law.
  [[nodiscard]] double first_gap_s(Stream& random) const {
    if (!stationary_ || shape_ == 1) return gap_s(random);
    return random.uniform() * scale_s_ * std::pow(gamma(1 + 1 / shape_, random), 1 / shape_);
  }

 private:
  /// Draws from a gamma law with parameter a >= 1 (Marsaglia and Tsang, ACM TOMS 26(3), 2000).
  static double gamma(double a, Stream& random) {
    const double d = a - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double radius = std::sqrt(-2 * std::log1p(-random.uniform()));
      const double normal = radius * std::cos(2 * M_PI * random.uniform());
      const double v = std::pow(1 + c * normal, 3);
      if (v <= 0) continue;
      if (std::log1p(-random.uniform()) < normal * normal / 2 + d - d * v + d * std::log(v))
        return d * v;
    }
  }

  double shape_;
  double scale_s_;
  bool stationary_;
};

/// One renewal process for all units together.
Arrivals of_system(const GapLaw& law, double start_s, Stream random) {
  return [=, time_s = start_s, begun = false]() mutable -> std::optional<Arrival> {
    time_s += begun ? law.gap_s(random) : law.first_gap_s(random);
    begun = true;
    return Arrival{time_s, std::nullopt};
  };
}

/// One renewal process for each unit. The earliest of their faults comes next.
class UnitArrivals {
 public:
  UnitArrivals(const GapLaw& law, double start_s, std::vector<Stream> random)
      : law_(law), random_(std::move(random)) {
    for (std::uint32_t unit = 0; unit < random_.size(); ++unit)
      next_.emplace(start_s + law_.first_gap_s(random_[unit]), unit);
  }

  std::optional<Arrival> operator()() {
    if (next_.empty()) return std::nullopt;
    const auto [time_s, unit] = next_.top();
    next_.pop();
    next_.emplace(time_s + law_.gap_s(random_[unit]), unit);
    return Arrival{time_s, unit};
  }

 private:
  using Next = std::pair<double, std::uint32_t>;
  GapLaw law_;
  std::vector<Stream> random_;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next_;
};

Arrivals until(Arrivals arrivals, double end_s) {
  return [arrivals = std::move(arrivals), end_s]() -> std::optional<Arrival> {
    const auto arrival = arrivals();
    return arrival && arrival->time_s <= end_s ? arrival : std::nullopt;
  };
}

double scale_of(const RenewalOptions& options) {
  if (options.scale_s) return *options.scale_s;
  return *options.mtbf_s / std::tgamma(1 + 1 / options.shape);
}

std::unique_ptr<FaultSource> make_renewal(const RenewalOptions& options, bool exponential,
                                          const PlacementOptions& where, const FaultTarget& target,
                                          const std::string& key) {
  VictimPlacement placement(where, target, fault_stream(target, key, "place"));
  const GapLaw law = exponential ? GapLaw(1, *options.mtbf_s, false)
                                 : GapLaw(options.shape, scale_of(options), options.stationary);
  Arrivals arrivals;
  if (options.per == "node") {
    std::vector<Stream> random;
    random.reserve(placement.units());
    for (std::uint32_t unit = 0; unit < placement.units(); ++unit)
      random.push_back(fault_stream(target, key, "time", unit));
    arrivals = UnitArrivals(law, options.start_s, std::move(random));
  } else {
    arrivals = of_system(law, options.start_s, fault_stream(target, key, "time"));
  }
  if (options.end_s) arrivals = until(std::move(arrivals), *options.end_s);
  SizeLaw sizes = options.sizes
                      ? SizeLaw(*options.sizes->content, fault_stream(target, key, "size"))
                      : SizeLaw(options.size.value_or(1));
  return std::make_unique<DrawnFaults>(std::move(arrivals), std::move(sizes), std::move(placement),
                                       options.limit);
}

std::vector<OptionProblem> check_renewal(const RenewalOptions& options, bool exponential,
                                         const PlacementOptions& where, const FaultTarget& target) {
  std::vector<OptionProblem> problems = check_placement(where, target);
  if (exponential && !options.mtbf_s)
    problems.push_back({"mtbf_s", "missing, expected the mean time between faults in seconds"});
  if (!exponential && options.mtbf_s.has_value() == options.scale_s.has_value())
    problems.push_back({"mtbf_s", "expected exactly one of mtbf_s and scale_s"});
  if (options.end_s && *options.end_s < options.start_s)
    problems.push_back({"end_s", "expected a time not before start_s"});
  if (options.size && options.sizes)
    problems.push_back({"size", "expected one of size and sizes, not both"});
  return problems;
}

/// Only some of the faults of a whole machine strike the job.
std::optional<double> mtbf_in_job(const RenewalOptions& options, bool exponential,
                                  const PlacementOptions& where, const JobShape& job) {
  if (!options.mtbf_s && (exponential || !options.scale_s)) return std::nullopt;
  const double gap_s =
      options.mtbf_s ? *options.mtbf_s : *options.scale_s * std::tgamma(1 + 1 / options.shape);
  if (options.per == "node") return gap_s / (where.victims == "ranks" ? job.processes : job.nodes);
  return where.scope == "job" ? std::optional(gap_s) : std::nullopt;
}

FaultSourceRegistration renewal(FaultSourceRegistration base, const Set& set, bool exponential) {
  base.options = set.specs();
  const auto& where = placement_options().specs();
  base.options.insert(base.options.end(), where.begin(), where.end());
  base.check = [&set, exponential](const OptionValues& values, const FaultTarget& target) {
    return check_renewal(set.read(values), exponential, placement_options().read(values), target);
  };
  base.make = [&set, exponential](const OptionValues& values, const FaultTarget& target,
                                  const std::string& key) {
    return make_renewal(set.read(values), exponential, placement_options().read(values), target,
                        key);
  };
  base.mtbf_s = [&set, exponential](const OptionValues& values, const JobShape& job) {
    return mtbf_in_job(set.read(values), exponential, placement_options().read(values), job);
  };
  return base;
}

const RegisteredFaultSource poisson{renewal(
    {.name = "poisson",
     .summary =
         "faults at random moments, independent of those before: exponential times between them",
     .source = "exponential law"},
    poisson_options(), true)};

const RegisteredFaultSource weibull{
    renewal({.name = "weibull",
             .summary = "Weibull times between faults, as on real machines",
             .source = kOfSchroeder},
            weibull_options(), false)};

}  // namespace
}  // namespace faultline
