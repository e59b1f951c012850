// SPDX-License-Identifier: Apache-2.0

// The sources `poisson`, `weibull` and `lognormal`: faults that come without end, unless limited.

#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "sim/faults/drawn_faults.hpp"

namespace faultline::faults {
namespace {

constexpr const char* kOfSchroeder =
    "Schroeder and Gibson, DSN 2006: Weibull with decreasing hazard, shape 0.7 to 0.8";

/// Options for the times between faults and for their sizes.
struct RenewalOptions {
  std::optional<double> mtbf_s;
  std::optional<double> scale_s;
  double shape = 0.7;
  std::optional<double> mu;
  double sigma = 1.0;
  std::string per = "system";
  bool stationary = false;
  double start_s = 0.0;
  std::optional<double> end_s;
  std::optional<std::uint64_t> limit;
  std::optional<std::uint64_t> size;
  std::optional<FaultCountsInput> sizes;
  std::optional<RepairOptions> repair;
};

using Set = OptionSet<RenewalOptions>;

void add_span(Set& set) {
  using Options = RenewalOptions;
  set.option("per", &Options::per,
             {.doc = "whether the times are those between the faults of all nodes together, or of "
                     "every node (rank, if ranks are the victims; component, if others fail) by "
                     "itself",
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
              {.doc = "recorded counts from which the number that die in each fault is drawn"})
      .option("repair", &Options::repair, {.doc = kRepairDoc});
}

void add_stationary(Set& set) {
  set.option("stationary", &RenewalOptions::stationary,
             {.doc = "true: the run begins in the middle of a long life; false: as if a fault had "
                     "struck at start_s, after which many laws bring more of them"});
}

const Set& poisson_options() {
  static const Set set = [] {
    Set made;
    made.option("mtbf_s", &RenewalOptions::mtbf_s,
                {.doc = "mean time between faults",
                 .unit = "s",
                 .minimum = 0,
                 .above_minimum = true,
                 .required = true});
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
             .above_minimum = true});
    add_stationary(made);
    add_span(made);
    return made;
  }();
  return set;
}

const Set& lognormal_options() {
  static const Set set = [] {
    Set made;
    using Options = RenewalOptions;
    made.option("mu", &Options::mu,
                {.doc = "mean of the logarithm of the seconds between faults; give this or mtbf_s",
                 .minimum = -20,
                 .maximum = 25})
        .option("mtbf_s", &Options::mtbf_s,
                {.doc = "mean time between faults; give this or mu",
                 .unit = "s",
                 .minimum = 0,
                 .above_minimum = true})
        .option("sigma", &Options::sigma,
                {.doc = "standard deviation of that logarithm",
                 .source = kOfSchroeder,
                 .minimum = 0,
                 .maximum = 10,
                 .above_minimum = true});
    add_stationary(made);
    add_span(made);
    return made;
  }();
  return set;
}

/// Draws the times between faults (gaps).
class GapLaw {
 public:
  static GapLaw exponential(double mean_s) { return {Kind::weibull, 1, mean_s}; }
  static GapLaw weibull(double shape, double scale_s) { return {Kind::weibull, shape, scale_s}; }
  static GapLaw lognormal(double mu, double sigma) { return {Kind::lognormal, sigma, mu}; }

  [[nodiscard]] double mean_s() const {
    return kind_ == Kind::weibull ? scale_ * std::tgamma(1 + 1 / shape_)
                                  : std::exp(scale_ + shape_ * shape_ / 2);
  }
  [[nodiscard]] double gap_s(Stream& random) const {
    if (kind_ == Kind::lognormal) return random.lognormal(scale_, shape_);
    return scale_ * std::pow(-std::log1p(-random.uniform()), 1 / shape_);
  }
  /// The time to the first fault of a run that begins at a random moment of a long life. The moment
  /// falls into a gap with a probability proportional to its length, and anywhere within it with
  /// equal probability (Cox, Renewal Theory, 1962).
  [[nodiscard]] double first_gap_s(Stream& random) const {
    const bool has_no_memory = kind_ == Kind::weibull && shape_ == 1;
    return has_no_memory ? gap_s(random) : random.uniform() * gap_around_s(random);
  }

 private:
  enum class Kind : std::uint8_t { weibull, lognormal };
  GapLaw(Kind kind, double shape, double scale) : kind_(kind), shape_(shape), scale_(scale) {}

  /// The length of the gap around a random moment. Of a Weibull law, its power `shape` has a gamma
  /// law. Of a lognormal law, it is lognormal with the same sigma and a larger mu.
  [[nodiscard]] double gap_around_s(Stream& random) const {
    if (kind_ == Kind::lognormal) return random.lognormal(scale_ + shape_ * shape_, shape_);
    return scale_ * std::pow(gamma(1 + 1 / shape_, random), 1 / shape_);
  }
  /// Draws from a gamma law with parameter a >= 1 (Marsaglia and Tsang, ACM TOMS 26(3), 2000).
  static double gamma(double a, Stream& random) {
    const double d = a - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double normal = random.normal();
      const double v = std::pow(1 + c * normal, 3);
      if (v <= 0) continue;
      if (std::log1p(-random.uniform()) < normal * normal / 2 + d - d * v + d * std::log(v))
        return d * v;
    }
  }

  Kind kind_;
  double shape_;  ///< of a lognormal law, sigma
  double scale_;  ///< in seconds; of a lognormal law, mu
};

/// When faults come: the law of the gaps, and how they begin.
struct Rhythm {
  GapLaw law;
  bool is_stationary;

  [[nodiscard]] double first_gap_s(Stream& random) const {
    return is_stationary ? law.first_gap_s(random) : law.gap_s(random);
  }
};

/// One renewal process for all units together.
Arrivals of_system(const Rhythm& rhythm, double start_s, Stream random) {
  return [=, time_s = start_s, begun = false]() mutable -> std::optional<Arrival> {
    time_s += begun ? rhythm.law.gap_s(random) : rhythm.first_gap_s(random);
    begun = true;
    return Arrival{time_s, std::nullopt};
  };
}

/// One renewal process for each unit. The earliest of their faults comes next.
class UnitArrivals {
 public:
  UnitArrivals(const Rhythm& rhythm, double start_s, std::vector<Stream> random)
      : law_(rhythm.law), random_(std::move(random)) {
    for (std::uint32_t unit = 0; unit < random_.size(); ++unit)
      next_.emplace(start_s + rhythm.first_gap_s(random_[unit]), unit);
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

/// A kind of renewal source: its options, and the law that they state if they are complete.
struct RenewalKind {
  const Set& options;
  std::optional<GapLaw> (*law)(const RenewalOptions&);
  /// What is wrong with the options that state the law.
  std::vector<OptionProblem> (*check)(const RenewalOptions&);
};

std::optional<GapLaw> exponential_law(const RenewalOptions& options) {
  if (!options.mtbf_s) return std::nullopt;
  return GapLaw::exponential(*options.mtbf_s);
}

std::optional<GapLaw> weibull_law(const RenewalOptions& options) {
  if (options.scale_s) return GapLaw::weibull(options.shape, *options.scale_s);
  if (!options.mtbf_s) return std::nullopt;
  return GapLaw::weibull(options.shape, *options.mtbf_s / std::tgamma(1 + 1 / options.shape));
}

std::optional<GapLaw> lognormal_law(const RenewalOptions& options) {
  if (options.mu) return GapLaw::lognormal(*options.mu, options.sigma);
  if (!options.mtbf_s) return std::nullopt;
  return GapLaw::lognormal(std::log(*options.mtbf_s) - options.sigma * options.sigma / 2,
                           options.sigma);
}

/// Its only option is required.
std::vector<OptionProblem> check_exponential(const RenewalOptions&) { return {}; }

std::vector<OptionProblem> check_weibull(const RenewalOptions& options) {
  if (options.mtbf_s.has_value() != options.scale_s.has_value()) return {};
  return {{"mtbf_s", "expected exactly one of mtbf_s and scale_s"}};
}

std::vector<OptionProblem> check_lognormal(const RenewalOptions& options) {
  if (options.mtbf_s.has_value() != options.mu.has_value()) return {};
  return {{"mtbf_s", "expected exactly one of mtbf_s and mu"}};
}

std::unique_ptr<FaultSource> make_renewal(const RenewalOptions& options, const GapLaw& law,
                                          const PlacementOptions& where, const FaultTarget& target,
                                          const std::string& key) {
  VictimPlacement placement(where, target, fault_stream(target, key, "place"));
  const Rhythm rhythm{law, options.stationary};
  Arrivals arrivals;
  if (options.per == "node") {
    std::vector<Stream> random;
    random.reserve(placement.units());
    for (std::uint32_t unit = 0; unit < placement.units(); ++unit)
      random.push_back(fault_stream(target, key, "time", unit));
    arrivals = UnitArrivals(rhythm, options.start_s, std::move(random));
  } else {
    arrivals = of_system(rhythm, options.start_s, fault_stream(target, key, "time"));
  }
  if (options.end_s) arrivals = until(std::move(arrivals), *options.end_s);
  SizeLaw sizes = options.sizes
                      ? SizeLaw(*options.sizes->content, fault_stream(target, key, "size"))
                      : SizeLaw(options.size.value_or(1));
  return std::make_unique<DrawnFaults>(
      std::move(arrivals), std::move(sizes), std::move(placement),
      RepairLaw(options.repair, fault_stream(target, key, "repair")), options.limit);
}

std::vector<OptionProblem> check_renewal(const RenewalOptions& options,
                                         std::vector<OptionProblem> of_law,
                                         const PlacementOptions& where, const FaultTarget& target) {
  std::vector<OptionProblem> problems = check_placement(where, target);
  const auto add = [&problems](std::vector<OptionProblem> more) {
    for (OptionProblem& problem : more) problems.push_back(std::move(problem));
  };
  add(std::move(of_law));
  if (options.end_s && *options.end_s < options.start_s)
    problems.push_back({"end_s", "expected a time not before start_s"});
  if (options.size && options.sizes)
    problems.push_back({"size", "expected one of size and sizes, not both"});
  add(check_repair(options.repair, where));
  return problems;
}

/// Only some of the faults of a whole machine strike the job.
std::optional<double> mtbf_in_job(const RenewalOptions& options, const std::optional<GapLaw>& law,
                                  const PlacementOptions& where, const FaultTarget& target) {
  if (!law) return std::nullopt;
  const double gap_s = options.mtbf_s.value_or(law->mean_s());
  if (options.per == "node") {
    const auto parts = parts_in_job(platform::part_of_word(where.component), target);
    return gap_s / (where.victims == "ranks" ? target.job.processes : parts.value_or(1));
  }
  return where.scope == "job" ? std::optional(gap_s) : std::nullopt;
}

FaultSourceRegistration renewal(FaultSourceRegistration base, const RenewalKind& kind) {
  base.options = kind.options.specs();
  // The laws share a struct, whose members are null under the laws that do not need them.
  for (OptionSpec& option : base.options) option.nullable = option.nullable && !option.required;
  const auto& where = placement_options().specs();
  base.options.insert(base.options.end(), where.begin(), where.end());
  base.check = [kind](const OptionValues& values, const FaultTarget& target) {
    const RenewalOptions options = kind.options.read(values);
    return check_renewal(options, kind.check(options), placement_options().read(values), target);
  };
  base.make = [kind](const OptionValues& values, const FaultTarget& target,
                     const std::string& key) {
    const RenewalOptions options = kind.options.read(values);
    return make_renewal(options, kind.law(options).value(), placement_options().read(values),
                        target, key);
  };
  base.mtbf_s = [kind](const OptionValues& values, const FaultTarget& target) {
    const RenewalOptions options = kind.options.read(values);
    return mtbf_in_job(options, kind.law(options), placement_options().read(values), target);
  };
  return base;
}

const RegisteredFaultSource poisson{renewal(
    {.name = "poisson",
     .summary =
         "faults at random moments, independent of those before: exponential times between them",
     .source = "exponential law"},
    {poisson_options(), exponential_law, check_exponential})};

const RegisteredFaultSource weibull{
    renewal({.name = "weibull",
             .summary = "Weibull times between faults, as on real machines",
             .source = kOfSchroeder},
            {weibull_options(), weibull_law, check_weibull})};

const RegisteredFaultSource lognormal{
    renewal({.name = "lognormal",
             .summary = "lognormal times between faults, as on young machines",
             .source = "Schroeder and Gibson, DSN 2006: early years of a machine"},
            {lognormal_options(), lognormal_law, check_lognormal})};

}  // namespace
}  // namespace faultline::faults
