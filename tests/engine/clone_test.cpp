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

#include "sim/core/forwarding.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Which of the two goes on after a handler: the copy, or what it was made from.
enum class GoesOn : std::uint8_t { copy, original };

/// What another context knows of peers.
class SameKnowledge final : public Services {
 public:
  explicit SameKnowledge(const Context& context) : context_(context) {}
  [[nodiscard]] Incarnation known(ActorId, ActorId peer) const override {
    return context_.known(peer);
  }

 private:
  const Context& context_;
};

/// A turn like that of `real`, for a handler of which nothing may come: what it sends and asks for
/// is thrown away.
class ScrapTurn {
 public:
  ScrapTurn(const ScriptContext& real, MessagePool& pool) : knowledge_(real) {
    turn_.pool = &pool;
    turn_.services = &knowledge_;
    turn_.placement = &real.placement();
    turn_.job = real.job();
    turn_.now_s = real.now_s();
    turn_.self = real.self();
    turn_.incarnation = real.incarnation();
    turn_.phase = real.phase();
    turn_.computing = real.busy() ? 1 : 0;
    turn_.active = real.active();
    turn_.present = (1U << kFamilies) - 1;
  }
  ScrapTurn(const ScrapTurn&) = delete;
  ScrapTurn& operator=(const ScrapTurn&) = delete;
  ~ScrapTurn() {
    for (const auto* level : {&turn_.outbox, &turn_.upward})
      for (const std::vector<Message*>& messages : *level)
        for (Message* message : messages)
          if ((message->flags & kForwarded) == 0) turn_.pool->give_back(message);
  }

  Turn& turn() { return turn_; }

 private:
  SameKnowledge knowledge_;
  Turn turn_;
};

/// Before each handler its component is cloned, and one of the two first runs the handler with
/// nothing coming of it. If they share something that the handler changes, it has changed for the
/// other one, too, when that one runs the handler and goes on. What the other one has not got of
/// the state shows likewise.
template <class Role>
class CopiedComponent : public Forwarding<Role> {
 public:
  using typename Forwarding<Role>::Context;

  CopiedComponent(std::unique_ptr<Component> inner, Family family, GoesOn goes_on,
                  std::shared_ptr<MessagePool> pool)
      : Forwarding<Role>(std::move(inner)),
        pool_(std::move(pool)),
        family_(family),
        goes_on_(goes_on) {}

  void start(Context& context) override { twice(context, &Role::start); }
  void on_timer(Context& context, std::uint64_t key) override {
    twice(context, &Role::on_timer, key);
  }
  void on_compute_done(Context& context, std::uint64_t tag) override {
    twice(context, &Role::on_compute_done, tag);
  }
  void on_message(Context& context, const Message& message) override {
    twice(context, &Role::on_message, message);
  }
  void on_restored(Context& context) override { twice(context, &Role::on_restored); }
  void on_sent(Context& context, ActorId to, std::uint16_t kind) override {
    twice(context, &Role::on_sent, to, kind);
  }
  void on_flushed(Context& context, Incarnation peer) override {
    twice(context, &Role::on_flushed, peer);
  }
  void on_request(Context& context, const StackRequest& request) override {
    twice(context, &Role::on_request, request);
  }
  void on_answer(Context& context, const StackRequest& answer) override {
    twice(context, &Role::on_answer, answer);
  }
  void on_peer_failed(Context& context, Incarnation peer) override {
    twice(context, &Role::on_peer_failed, peer);
  }
  void on_peer_restarted(Context& context, Incarnation peer) override {
    twice(context, &Role::on_peer_restarted, peer);
  }
  void on_restart_refused(Context& context, Incarnation peer) override {
    twice(context, &Role::on_restart_refused, peer);
  }
  void report(MetricTotals& totals) const override {
    MetricTotals scrap = totals;
    this->inner().report(scrap);
    this->inner().clone()->report(totals);
  }

 protected:
  /// Runs a handler once for nothing and once in earnest.
  template <class Handler, class... Arguments>
  void twice(Context& context, Handler handler, const Arguments&... arguments) {
    const auto call = [&](Role& role, Context& c) { (role.*handler)(c, arguments...); };
    for_nothing_and_in_earnest(context, call, call);
  }
  /// As above, where the handler may change its arguments: `scrap` gives away copies of them.
  /// Returns what `handler` returns.
  template <class Scrap, class Handler>
  auto for_nothing_and_in_earnest(Context& context, Scrap scrap, Handler handler) {
    // The engine has given the random numbers to this component, and takes them from it when a
    // phase begins.
    if (!has_random_) this->inner().random = this->random;
    has_random_ = true;
    std::unique_ptr<Component> other = this->inner().clone();
    if (goes_on_ == GoesOn::copy) other = this->replace_inner(std::move(other));
    {
      const ScriptContext real(context);
      ScrapTurn turn(real, *pool_);
      Context nowhere(turn.turn(), family_);
      scrap(static_cast<Role&>(*other), nowhere);
    }
    const Following following(*this);
    return handler(this->inner(), context);
  }

 private:
  /// Takes over the random numbers when the handler has returned.
  class Following {
   public:
    explicit Following(CopiedComponent& component) : component_(component) {}
    Following(const Following&) = delete;
    Following& operator=(const Following&) = delete;
    ~Following() { component_.random = component_.inner().random; }

   private:
    CopiedComponent& component_;
  };

  std::shared_ptr<MessagePool> pool_;  ///< of all components of the run
  Family family_;
  GoesOn goes_on_;
  bool has_random_ = false;
};

class CopiedWorkload final : public CopiedComponent<Workload> {
 public:
  using CopiedComponent::CopiedComponent;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CopiedWorkload>(*this);
  }
  void on_announced(Context& context, std::uint32_t phase) override {
    twice(context, &Workload::on_announced, phase);
  }
};

template <class Role>
class CopiedLayer final : public CopiedComponent<Role> {
 public:
  using CopiedComponent<Role>::CopiedComponent;
  using typename CopiedComponent<Role>::Context;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CopiedLayer>(*this);
  }
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override {
    std::vector<Message> copies(batch.size());
    std::vector<Message*> copied_batch(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      copies[i] = *batch[i];
      copied_batch[i] = &copies[i];
    }
    this->for_nothing_and_in_earnest(
        context, [&](Role& layer, Context& c) { layer.on_sends(c, copied_batch, still_active); },
        [&](Role& layer, Context& c) { layer.on_sends(c, batch, still_active); });
  }
  Passage on_receive(Context& context, Message& message) override {
    Message copy = message;
    return this->for_nothing_and_in_earnest(
        context, [&](Role& layer, Context& c) { layer.on_receive(c, copy); },
        [&](Role& layer, Context& c) { return layer.on_receive(c, message); });
  }
  void on_idle(Context& context) override { this->twice(context, &Role::on_idle); }
};

class CopiedDetector final : public CopiedComponent<Detector> {
 public:
  using CopiedComponent::CopiedComponent;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<CopiedDetector>(*this);
  }
  void on_exit_notice(Context& context, Incarnation dead) override {
    twice(context, &Detector::on_exit_notice, dead);
  }
  void on_local_exit(Context& context, Incarnation rank) override {
    twice(context, &Detector::on_local_exit, rank);
  }
  void on_link_lost(Context& context, Incarnation peer) override {
    twice(context, &Detector::on_link_lost, peer);
  }
};

std::unique_ptr<Component> copied(std::unique_ptr<Component> component, Family family,
                                  GoesOn goes_on, const std::shared_ptr<MessagePool>& pool) {
  switch (faultline::place_of(family).role) {
    case Role::workload:
      return std::make_unique<CopiedWorkload>(std::move(component), family, goes_on, pool);
    case Role::recovery:
      return std::make_unique<CopiedLayer<RecoveryLayer>>(std::move(component), family, goes_on,
                                                          pool);
    case Role::termination:
      return std::make_unique<CopiedLayer<TerminationDetector>>(std::move(component), family,
                                                                goes_on, pool);
    case Role::detector:
      return std::make_unique<CopiedDetector>(std::move(component), family, goes_on, pool);
  }
  throw std::logic_error("no such role");
}

/// The registrations of a run whose components all run on copies of themselves.
class Copies {
 public:
  Copies(scenario::RunSpec& spec, GoesOn goes_on) {
    const auto pool = std::make_shared<MessagePool>();
    for (const StackPlace& place : kStack) {
      scenario::ComponentChoice& choice = spec.components[index_of(place.family)];
      if (choice.registration == nullptr) continue;
      Registration& registration = registrations_[index_of(place.family)];
      registration = *choice.registration;
      registration.make = [make = registration.make, family = place.family, goes_on, pool](
                              const OptionValues& options,
                              const JobShape& job) -> ComponentFactory {
        return [factory = make(options, job), family, goes_on, pool](ActorId self) {
          return copied(factory(self), family, goes_on, pool);
        };
      };
      choice.registration = &registration;
    }
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

 private:
  Registration registrations_[kFamilies];
};

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
