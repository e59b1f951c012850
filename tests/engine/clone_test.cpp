// SPDX-License-Identifier: Apache-2.0

// clone() copies the whole state of a component, and the copy shares nothing that changes: every
// registered component runs on copies of itself, and the run does not change.

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/copied_components.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// "" if a run on copies is the same, whichever of the two goes on, else which run is another.
std::string difference(Job& job, scenario::EngineKind engine) {
  const scenario::RunSpec real = job.spec;
  const std::string expected = to_text(job.run(engine));
  std::string found;
  for (const GoesOn goes_on : {GoesOn::copy, GoesOn::original}) {
    const Copies copies(job.spec, goes_on);
    const std::string seen = to_text(job.run(engine));
    job.spec = real;
    if (seen == expected) continue;
    found.append(goes_on == GoesOn::copy ? "with the copy: " : "with the original: ");
    found.append(seen).append(" instead of ").append(expected).append("\n");
  }
  return found;
}

// ---- the runs -----------------------------------------------------------------------------------

constexpr std::uint32_t kProcesses = 8;

/// Options that make the runs of a workload short. Workloads that are not named here have their
/// defaults, and the limit of events.
OptionValues short_run(const std::string& workload) {
  static const std::map<std::string, OptionValues> options{
      {"allreduce", {{"repetitions", std::int64_t{10}}}},
      {"flood", {{"fanout", std::int64_t{3}}}},
      {"ping-pong", {{"repetitions", std::int64_t{20}}}},
      {"projection", {{"threshold", 1e-3}}},
      {"script",
       {{"rules",
         std::vector<std::string>{"0 at start: send a to 3, send b to 5",
                                  "3 on a: compute work, send b to 5", "5 on 1st b: send c to 0",
                                  "5 on 2nd b: compute work", "5 after work: send c to 0",
                                  "0 on 2nd c: compute work"}}}},
      {"ordered-stencil", {{"iterations", std::int64_t{5}}}},
      {"stencil", {{"iterations", std::int64_t{5}}}},
      {"try-script",
       {{"steps", std::vector<std::string>{"try", "compute 1e-5 s",
                                           "exchange 100 B with -1 +1 among 1-6", "try local",
                                           "allreduce 8 B", "finish", "finish", "checkpoint"}}}},
      {"token-ring", {{"stop_probability", 0.05}, {"branch_probability", 0.3}}},
      {"uniform-traffic", {{"hops", std::int64_t{10}}}},
      {"work-stealing", {{"board", std::int64_t{6}}, {"cut_depth", std::int64_t{3}}}}};
  const auto found = options.find(workload);
  return found == options.end() ? OptionValues{} : found->second;
}

std::vector<const Registration*> all_of(bool workloads) {
  std::vector<const Registration*> found;
  for (const Registration& registration : registrations())
    if ((registration.family == Family::workload) == workloads) found.push_back(&registration);
  return found;
}

/// The defaults of a component, and each of its choices and truth values at another than its
/// default, unless it refuses that. A choice may stand for a class of its own.
std::vector<OptionValues> variants(const Registration& registration, const OptionValues& changes) {
  OptionValues values;
  for (const OptionSpec& option : registration.options) values[option.name] = option.default_value;
  for (const auto& [name, value] : changes) values.at(name) = value;
  JobShape job;
  job.processes = job.nodes = kProcesses;
  std::vector<OptionValues> found{changes};
  const auto add = [&](const std::string& name, const OptionValue& value) {
    OptionValues changed = values;
    changed.at(name) = value;
    if (value == values.at(name)) return;
    if (registration.check && !registration.check(changed, job).empty()) return;
    found.push_back(changes);
    found.back()[name] = value;
  };
  for (const OptionSpec& option : registration.options) {
    for (const std::string& choice : option.choices)
      add(option.name, option.kind == OptionKind::texts ? OptionValue(ChosenWords{choice})
                                                        : OptionValue(choice));
    if (option.kind == OptionKind::boolean)
      for (const bool value : {false, true}) add(option.name, value);
  }
  return found;
}

/// A workload and a protocol, and whatever else the protocol needs.
struct Stack {
  const Registration& workload;
  OptionValues workload_options;
  const Registration& protocol;
  OptionValues protocol_options;

  void set_up(Job& job) const {
    job.workload(workload.name, workload_options);
    job.use(protocol.family, protocol.name, protocol_options);
    if (protocol.family == Family::failure_detection)
      job.detector("rel-lazy");
    else if (protocol.needs_detection())
      job.use(Family::failure_detection, "oracle");
    job.spec.stop.events = 5000;
  }

  /// Is the protocol, as it is here, refused above this workload?
  [[nodiscard]] bool is_refused() const {
    if (!protocol.as<RecoveryTraits>().check_with_workload) return false;
    const auto all_of = [](const Registration& component, const OptionValues& set) {
      OptionValues values = set;
      for (const OptionSpec& option : component.options)
        values.emplace(option.name, option.default_value);
      return values;
    };
    return !protocol.as<RecoveryTraits>()
                .check_with_workload(all_of(protocol, protocol_options), workload,
                                     all_of(workload, workload_options))
                .empty();
  }

  [[nodiscard]] bool survives_deaths() const {
    return protocol.tolerates_faults() || protocol.family == Family::failure_detection;
  }

  [[nodiscard]] std::string words() const {
    std::string said = workload.name + " under " + protocol.name;
    for (const auto* options : {&workload_options, &protocol_options})
      for (const auto& [name, value] : *options)
        if (const auto* text = std::get_if<std::string>(&value))
          said.append(", ").append(name).append(" ").append(*text);
    return said;
  }
};

/// Checks a run in which nobody dies, and if the stack survives it, one in which two ranks do.
void check_copies(const Stack& stack, scenario::EngineKind engine) {
  INFO(stack.words() << " on " << engine_word(engine));
  if (stack.is_refused()) return;
  Job job(kProcesses, quick_machine());
  stack.set_up(job);
  CHECK(difference(job, engine) == "");
  if (!stack.survives_deaths()) return;
  const double end_s = job.run().metric("end_time_s");
  job.kill(0.4 * end_s, {3}).kill(0.6 * end_s, {5});
  CHECK(job.run(engine).metric("faults_struck") > 0);
  CHECK(difference(job, engine) == "");
}

// ---- mistakes -----------------------------------------------------------------------------------

/// What the clone() of a component gets wrong.
enum class Mistake : std::uint8_t { none, shares_count, shares_report, forgets_count, draws_anew };

constexpr MetricSpec kHad{"had", Merge::sum, "how often a rank had the ball"};
constexpr MetricSpec kReports{"reports", Merge::last, "how often a rank was asked for its metrics"};

/// A ball goes round until a rank has had it five times. On the way, it rests for random times.
class Ball final : public Workload {
 public:
  Ball(Mistake mistake, std::shared_ptr<double> reported)
      : mistake_(mistake), reported_(std::move(reported)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    auto copy = std::make_unique<Ball>(*this);
    if (mistake_ != Mistake::shares_count) copy->count_ = std::make_shared<int>(*count_);
    if (mistake_ == Mistake::forgets_count) *copy->count_ = 0;
    if (mistake_ == Mistake::draws_anew) copy->random = Stream(1, 1, Purpose::workload, 1);
    return copy;
  }

  void start(WorkloadContext& context) override {
    if (context.self() == 0) context.send(1, 0, 8);
  }
  void on_message(WorkloadContext& context, const Message&) override {
    ++*count_;
    context.compute(random.exponential(1e-3));
  }
  void on_compute_done(WorkloadContext& context, std::uint64_t) override {
    if (*count_ < 5) context.send((context.self() + 1) % context.job().processes, 0, 8);
  }
  void report(MetricTotals& totals) const override {
    if (mistake_ == Mistake::shares_report) totals.put(kReports, ++*reported_);
    totals.put(kHad, *count_);
  }

 private:
  void digest_state(Digest& into) const override { into.add(*count_); }

  Mistake mistake_;
  std::shared_ptr<int> count_ = std::make_shared<int>(0);
  std::shared_ptr<double> reported_;  ///< by all ranks
};

std::string difference_with(Mistake mistake, scenario::EngineKind engine) {
  Registration registration{.family = Family::workload,
                            .name = "ball",
                            .summary = "",
                            .source = "",
                            .message_kinds = {"ball"},
                            .metrics = {&kHad, &kReports}};
  registration.make = [mistake](const OptionValues&, const JobShape&) -> ComponentFactory {
    const auto reported = std::make_shared<double>(0.0);
    return [mistake, reported](ActorId) { return std::make_unique<Ball>(mistake, reported); };
  };
  Job job(4, quick_machine());
  job.spec.components[index_of(Family::workload)] = {&registration, {}};
  job.spec.stop.events = 2000;
  return difference(job, engine);
}

}  // namespace

TEST_CASE("the runs on copies see what clone() gets wrong") {
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    CHECK(difference_with(Mistake::none, engine) == "");
    for (const Mistake mistake : {Mistake::shares_count, Mistake::shares_report}) {
      CAPTURE(static_cast<int>(mistake));
      const std::string seen = difference_with(mistake, engine);
      CHECK(seen.find("with the copy: ") != std::string::npos);
      CHECK(seen.find("with the original: ") != std::string::npos);
    }
    for (const Mistake mistake : {Mistake::forgets_count, Mistake::draws_anew}) {
      CAPTURE(static_cast<int>(mistake));
      CHECK(difference_with(mistake, engine).find("with the copy: ") != std::string::npos);
    }
  }
}

TEST_CASE("every protocol goes on as a copy of itself, under every workload") {
  for (const Registration* protocol : all_of(false))
    for (const OptionValues& options : variants(*protocol, {}))
      for (const Registration* workload : all_of(true))
        check_copies({*workload, short_run(workload->name), *protocol, options},
                     scenario::EngineKind::loggp);
}

TEST_CASE("every variant of a workload goes on as a copy of itself") {
  const Registration* detector = find_registration(Family::termination, "rel-eager");
  REQUIRE(detector != nullptr);
  for (const Registration* workload : all_of(true))
    for (const OptionValues& options : variants(*workload, short_run(workload->name)))
      check_copies({*workload, options, *detector, {}}, scenario::EngineKind::loggp);
}

TEST_CASE("protocols go on as copies of themselves on simgrid") {
  if (!kSimGridEngine) return;
  const Registration* workload = find_registration(Family::workload, "work-stealing");
  REQUIRE(workload != nullptr);
  for (const Registration* protocol : all_of(false))
    check_copies({*workload, short_run(workload->name), *protocol, {}},
                 scenario::EngineKind::simgrid);
}

}  // namespace faultline::engine
