// stencil and ordered-stencil with objects: how many messages of which go where, and which states
// they end in, also after a rollback and when objects have moved.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/core/checkpoint_request.hpp"
#include "sim/core/split_mix.hpp"
#include "tests/support/job.hpp"
#include "workloads/stencil.hpp"
#include "workloads/stencil_states.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

using Steps = std::vector<std::array<int, 3>>;

Steps along(int dimensions) {
  Steps steps;
  for (int d = 0; d < dimensions; ++d)
    for (const int by : {-1, 1}) {
      std::array<int, 3> step{0, 0, 0};
      step[static_cast<std::size_t>(d)] = by;
      steps.push_back(step);
    }
  return steps;
}

Steps all_around() {
  Steps steps;
  for (int number = 0; number < 27; ++number)
    if (number != 13) steps.push_back({number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1});
  return steps;
}

/// What a preset exchanges, in words of the test's own.
struct Shape {
  std::vector<Steps> exchanges;
  bool periodic;
  bool reduces = false;
};

Shape shape_of(const std::string& preset) {
  if (preset == "wave2d") return {{along(2)}, true};
  if (preset == "jacobi3d") return {{along(3)}, true};
  return {{all_around(), along(3)}, false, true};
}

/// Messages of all objects in an iteration, and those between the runs of objects of two ranks.
struct Counts {
  std::uint64_t messages = 0;
  std::uint64_t remote = 0;

  bool operator==(const Counts&) const = default;
};

/// Counts by the numbers of places in the order of rows.
Counts counted(const Shape& shape, const std::array<int, 3>& grid, std::uint32_t per_rank) {
  const auto number = [&](int x, int y, int z) {
    return static_cast<std::uint32_t>(x + grid[0] * (y + grid[1] * z));
  };
  const auto wrapped = [&](int at, int size) { return shape.periodic ? (at + size) % size : at; };
  const auto outside = [](int at, int size) { return at < 0 || at >= size; };
  Counts counts;
  for (int z = 0; z < grid[2]; ++z)
    for (int y = 0; y < grid[1]; ++y)
      for (int x = 0; x < grid[0]; ++x)
        for (const Steps& steps : shape.exchanges)
          for (const auto& [dx, dy, dz] : steps) {
            const int to_x = wrapped(x + dx, grid[0]);
            const int to_y = wrapped(y + dy, grid[1]);
            const int to_z = wrapped(z + dz, grid[2]);
            if (outside(to_x, grid[0]) || outside(to_y, grid[1]) || outside(to_z, grid[2]))
              continue;
            ++counts.messages;
            if (number(x, y, z) / per_rank != number(to_x, to_y, to_z) / per_rank) ++counts.remote;
          }
  return counts;
}

Counts planned(const StencilPlan& plan) {
  Counts counts;
  for (ObjectId object = 0; object < plan.objects(); ++object)
    for (std::size_t exchange = 0; exchange < plan.exchanges().size(); ++exchange)
      plan.for_each_neighbour(object, exchange, [&](const StencilPlan::Neighbour& neighbour) {
        ++counts.messages;
        if (plan.home(neighbour.object) != plan.home(object)) ++counts.remote;
      });
  return counts;
}

StencilPlan plan_of(const std::string& preset, std::uint32_t processes, std::uint32_t objects,
                    const std::string& mapping = "linear", std::uint64_t iterations = 1) {
  StencilOptions options;
  options.preset = preset;
  options.objects_per_process = objects;
  options.object_mapping = mapping;
  options.iterations = iterations;
  return {options, JobShape{.processes = processes}, false};
}

OptionValues values_of(const std::string& preset, std::int64_t objects,
                       const std::string& mapping = "linear", std::int64_t iterations = 3) {
  return {{"preset", preset},
          {"objects_per_process", objects},
          {"object_mapping", mapping},
          {"iterations", iterations},
          {"compute_s", 1e-5}};
}

double digest_of(const StencilPlan& plan, const std::vector<std::uint64_t>& states) {
  std::uint64_t digest = 0;
  for (ObjectId object = 0; object < plan.objects(); ++object)
    digest += StencilStates::share(object, states[object]);
  return static_cast<double>(digest & StencilStates::kBits);
}

/// Takes part in checkpoints as message logging would: when all ranks have asked for a number, all
/// are told so, by rank 0.
class Checkpoints : public Layer {
 public:
  explicit Checkpoints(Job& job) : job_(job) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Checkpoints>(*this);
  }
  void on_request(Context& context, const StackRequest& request) override {
    request_ = request;
    job_.note(context, "asked", static_cast<std::int64_t>(number()));
    tell_ready(context);
  }
  void on_message(Context& context, const Message& message) override {
    if (message.kind == kAll) return all_ready(context);
    if (++ready_ < context.job().processes) return;
    ready_ = 0;
    for (Rank rank = 0; rank < context.job().processes; ++rank) context.send(rank, kAll, 0);
  }

 protected:
  enum Kind : std::uint16_t { kReady, kAll, kObject };
  static void tell_ready(Context& context) { context.send(0, kReady, 0); }
  virtual void all_ready(Context& context) { pass(context, number()); }
  void pass(Context& context, std::uint64_t number) {
    context.answer(request_, CheckpointRequest{number});
  }
  [[nodiscard]] std::uint64_t number() const { return request_.get<CheckpointRequest>().number; }
  Job& job() { return job_; }

 private:
  void digest_state(Digest& into) const override { into.add(request_, ready_); }

  Job& job_;
  StackRequest request_;
  std::uint32_t ready_ = 0;
};

/// When all wait at number 2, all ranks go back to number 1, once.
class GoesBack final : public Checkpoints {
 public:
  using Checkpoints::Checkpoints;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<GoesBack>(*this);
  }
  void on_restored(Context& context) override {
    went_back_ = true;
    tell_ready(context);
  }

 protected:
  void all_ready(Context& context) override {
    if (number() == 2 && !went_back_) return context.restore(image_);
    if (number() == 2 && !passed_again_) {
      passed_again_ = true;
      return pass(context, 1);
    }
    if (number() == 1) image_ = *context.capture();
    Checkpoints::all_ready(context);
  }

 private:
  Image image_;
  bool went_back_ = false;
  bool passed_again_ = false;
};

/// Rank 0 spreads its objects over the others at number 1. They come home before number 2.
class Spreads final : public Checkpoints {
 public:
  using Checkpoints::Checkpoints;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Spreads>(*this);
  }
  void on_request(Context& context, const StackRequest& request) override {
    if (context.self() != 0) send_home(context);
    const bool first = request.get<CheckpointRequest>().number != asked_for_;
    asked_for_ = request.get<CheckpointRequest>().number;
    if (first && (context.self() != 0 || helpers_.empty()))
      Checkpoints::on_request(context, request);
    else
      late_ = request;
  }
  void on_message(Context& context, const Message& message) override {
    if (message.kind != kObject) return Checkpoints::on_message(context, message);
    context.host_object(*context.attached<PackedObject>(message));
  }
  void on_object_moved(Context& context, ObjectId object) override {
    job().note(context, "moved", object);
    const std::vector<ObjectId> here = context.objects();
    const bool came_home = std::find(here.begin(), here.end(), object) != here.end();
    if (context.self() != 0) return;
    if (came_home) helpers_.erase(object);
    if (helpers_.empty()) Checkpoints::on_request(context, late_);
    // The program goes on when it hosts none of them any more.
    if (here.empty()) Checkpoints::all_ready(context);
  }
  Passage on_receive(Context& context, Message& message) override {
    const auto helper = helpers_.find(message.to_object);
    if (message.channel != Family::workload || helper == helpers_.end()) return Passage::deliver;
    context.relay(message, helper->second);
    return Passage::hold;
  }

 protected:
  void all_ready(Context& context) override {
    if (context.self() == 0 && number() == 1)
      for (const ObjectId object : context.objects()) {
        const Rank helper = 1 + object % (context.job().processes - 1);
        move(context, object, helper);
        helpers_[object] = helper;
      }
    else
      Checkpoints::all_ready(context);
  }

 private:
  static void move(Context& context, ObjectId object, Rank to) {
    const std::optional<PackedObject> packed = context.pack(object);
    REQUIRE(packed);
    Message& message = context.send(to, kObject, static_cast<std::uint32_t>(packed->bytes));
    context.attach(message, *packed);
    context.remove_object(object);
  }
  static void send_home(Context& context) {
    const auto objects = context.objects();
    for (const ObjectId object : objects)
      if (object < kPerRank) move(context, object, 0);
  }

 public:
  static constexpr ObjectId kPerRank = 4;

 private:
  std::map<ObjectId, Rank> helpers_;  ///< at rank 0: where its objects are
  std::uint64_t asked_for_ = UINT64_MAX;
  StackRequest late_;
};

/// Runs a stencil above such a layer.
template <class Above>
Seen run_above(const std::string& workload, const OptionValues& values, EngineKind engine) {
  Job job(6, quick_machine());
  job.workload(workload, values);
  job.own(Family::message_logging, [&job](ActorId) { return std::make_unique<Above>(job); });
  job.spec.stop.when = StopWhen::finished;
  return job.run(engine);
}

OptionValues with_checkpoints(OptionValues values, std::int64_t iterations) {
  values["checkpoint_iterations"] = iterations;
  return values;
}

}  // namespace

TEST_CASE("the messages of Table 1 follow from its grids and the linear map") {
  // fast-message-logging Table 1: 144.40, 214.80 and 4295.55 generated determinants, and 72.90,
  // 141.10 and 3181.85 remote messages for each PE and iteration.
  struct Row {
    const char* preset;
    std::array<int, 3> grid;
    std::uint32_t objects;
    double messages;
    double remote;
  };
  for (const Row& row :
       {Row{"wave2d", {192, 192, 1}, 36, 144, 74.25}, Row{"jacobi3d", {36, 32, 32}, 36, 216, 144},
        Row{"lulesh", {64, 64, 32}, 128, 4032376.0 / 1024, 2996088.0 / 1024}}) {
    INFO(row.preset);
    const StencilPlan plan = plan_of(row.preset, 1024, row.objects);
    for (std::size_t d = 0; d < 3; ++d)
      CHECK(plan.grid()[d] == static_cast<std::uint32_t>(row.grid[d]));
    const Counts counts = planned(plan);
    CHECK(counts == counted(shape_of(row.preset), row.grid, row.objects));
    CHECK(static_cast<double>(counts.messages) / 1024 == row.messages);
    CHECK(static_cast<double>(counts.remote) / 1024 == row.remote);
  }
}

TEST_CASE("a run sends what its plan says, and LULESH a result to each object") {
  for (const EngineKind engine : engines())
    for (const std::string preset : {"wave2d", "jacobi3d", "lulesh"})
      for (const std::string mapping : {"linear", "block"}) {
        Job job(6, quick_machine());
        job.workload("stencil", values_of(preset, 4, mapping));
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ' ' << preset << ' ' << mapping);
        const Counts counts = planned(plan_of(preset, 6, 4, mapping));
        // Five parts go up the tree, five results down, and one to each object.
        const std::uint64_t reduction = preset == "lulesh" ? 5 + 5 + 24 : 0;
        CHECK(seen.metric("application_messages") ==
              static_cast<double>(3 * (counts.messages + reduction)));
        CHECK(seen.metric("object_messages") ==
              static_cast<double>(counts.messages + (reduction > 0 ? 24 : 0)) / 6);
        CHECK(seen.metric("remote_messages") == static_cast<double>(counts.remote) / 6);
        CHECK(seen.metric("iterations_done") == 18);
        CHECK(seen.metric("iteration_time_s") == seen.metric("stencil_time_s") / 3);
      }
}

TEST_CASE("neighbours are neighbours of each other, in blocks and runs, and homes are even") {
  for (const std::string preset : {"wave2d", "jacobi3d", "lulesh"})
    for (const std::string mapping : {"linear", "block"})
      for (const std::uint32_t objects : {1U, 2U, 12U}) {
        INFO(preset << ' ' << mapping << ' ' << objects);
        const StencilPlan plan = plan_of(preset, 6, objects, mapping);
        std::vector<std::uint32_t> at_home(6);
        for (ObjectId object = 0; object < plan.objects(); ++object) {
          ++at_home[plan.home(object)];
          CHECK(plan.object_at(plan.place_of(object)) == object);
        }
        CHECK(at_home == std::vector<std::uint32_t>(6, objects));
        for (std::size_t exchange = 0; exchange < plan.exchanges().size(); ++exchange) {
          std::multiset<std::pair<ObjectId, ObjectId>> ways;
          for (ObjectId object = 0; object < plan.objects(); ++object)
            plan.for_each_neighbour(object, exchange, [&](const StencilPlan::Neighbour& other) {
              ways.emplace(object, other.object);
            });
          for (const auto& [from, to] : ways)
            CHECK(ways.count({from, to}) == ways.count({to, from}));
        }
      }
}

TEST_CASE("a rank with a block of objects has fewer remote messages than one with a run") {
  // A block of 6 x 6 has 24 sides outward.
  CHECK(planned(plan_of("wave2d", 1024, 36, "block")).remote == 24 * 1024);
  CHECK(planned(plan_of("wave2d", 1024, 36, "linear")).remote == 76032);
}

TEST_CASE("objects end in the states that are computed without an engine, in any order") {
  for (const EngineKind engine : engines())
    for (const std::string preset : {"none", "wave2d", "lulesh"})
      for (const Ordering ordering : {Ordering::fifo, Ordering::unordered})
        for (const std::string synchronization : {"tags", "barrier"})
          for (const bool checkpoints : {false, true}) {
            Job job(6, quick_machine());
            OptionValues values = values_of(preset, 4);
            values["synchronization"] = synchronization;
            if (checkpoints) values["checkpoint_iterations"] = std::int64_t{2};
            job.workload("stencil", values);
            job.spec.platform.ordering = ordering;
            job.spec.platform.unordered_delay_s = 2e-5;
            job.spec.stop.when = StopWhen::finished;
            const Seen seen = job.run(engine);
            INFO(engine_word(engine) << ' ' << preset << ' ' << synchronization);
            const StencilPlan plan = plan_of(preset, 6, 4, "linear", 3);
            CHECK(seen.metric("state_digest") == digest_of(plan, final_states(plan)));
            CHECK(seen.metric("state_difference") == 0);
            CHECK(seen.result.outcome == Outcome::finished);
            CHECK(seen.violations().empty());
          }
}

TEST_CASE("the right states are those of the rule, object by object") {
  // Three objects in an open row: a sum of what the neighbours had, by the side that they lie on.
  StencilOptions options{.dimensions = 1, .periodic = false, .iterations = 2};
  options.objects_per_process = 3;
  const StencilPlan plan(options, JobShape{.processes = 1}, false);
  constexpr std::uint64_t kBits = (std::uint64_t{1} << 52) - 1;
  const auto from = [](std::uint64_t state, std::uint64_t side) {
    return split_mix(state ^ (side + 1) << 56U);
  };
  std::vector<std::uint64_t> states{split_mix(1) & kBits, split_mix(2) & kBits,
                                    split_mix(3) & kBits};
  for (int iteration = 0; iteration < 2; ++iteration)
    states = {split_mix(states[0] + from(states[1], 1)) & kBits,
              split_mix(states[1] + from(states[0], 0) + from(states[2], 1)) & kBits,
              split_mix(states[2] + from(states[1], 0)) & kBits};
  CHECK(final_states(plan) == states);
}

TEST_CASE("an object that ends in a wrong state is a violation") {
  class Forging final : public Layer {
   public:
    [[nodiscard]] std::unique_ptr<Component> clone() const override {
      return std::make_unique<Forging>(*this);
    }
    void on_sends(Context& context, std::span<Message* const> batch, bool) override {
      for (Message* message : batch) {
        auto halo = message->payload.get<Stencil::Halo>();
        if (context.self() == 2 && halo.iteration == 1) halo.state ^= 1;
        message->payload.put(halo);
        context.forward(*message);
      }
    }

   private:
    void digest_state(Digest&) const override {}
  };
  Job job(6, quick_machine());
  job.workload("stencil", values_of("wave2d", 4));
  job.own(Family::termination, [](ActorId) { return std::make_unique<Forging>(); });
  job.spec.stop.when = StopWhen::finished;
  const Seen seen = job.run();
  CHECK(seen.violations() == Words{"wrong-state"});
  CHECK(seen.metric("state_difference") != 0);
}

TEST_CASE("the state of an ordered stencil depends on the order of messages, and on nothing else") {
  const auto digest = [](Ordering ordering, std::uint64_t seed, const std::string& workload) {
    Job job(6, quick_machine());
    job.workload(workload, values_of("wave2d", 4));
    job.spec.platform.ordering = ordering;
    job.spec.platform.unordered_delay_s = 2e-5;
    const Seen seen = job.run(EngineKind::loggp, seed);
    CHECK(seen.violations().empty());
    return seen.metric("state_digest");
  };
  CHECK(digest(Ordering::fifo, 1, "ordered-stencil") ==
        digest(Ordering::fifo, 2, "ordered-stencil"));
  std::set<double> digests{digest(Ordering::fifo, 1, "ordered-stencil")};
  for (const std::uint64_t seed : {1U, 2U, 3U})
    digests.insert(digest(Ordering::unordered, seed, "ordered-stencil"));
  CHECK(digests.size() == 4);
  CHECK(digest(Ordering::unordered, 1, "stencil") == digest(Ordering::unordered, 2, "stencil"));
}

TEST_CASE("a stencil goes on from images of a synchronisation point") {
  for (const EngineKind engine : engines())
    for (const std::string preset : {"wave2d", "lulesh"}) {
      const OptionValues values = with_checkpoints(values_of(preset, 4, "linear", 5), 2);
      const Seen plain = run_above<Checkpoints>("stencil", values, engine);
      const Seen back = run_above<GoesBack>("stencil", values, engine);
      INFO(engine_word(engine) << ' ' << preset);
      // At the start, after 2 and 4 iterations, and at the end.
      CHECK(plain.values(3, "asked") == Values{0, 1, 2, 3});
      CHECK(back.values(3, "asked") == Values{0, 1, 2, 2, 3});
      CHECK(back.metric("state_digest") == plain.metric("state_digest"));
      CHECK(back.metric("remote_messages") == plain.metric("remote_messages"));
      CHECK(back.violations().empty());
      CHECK(back.result.outcome == Outcome::finished);
    }
}

TEST_CASE("objects go on where they have been taken, and come home at a synchronisation point") {
  for (const EngineKind engine : engines())
    for (const std::string workload : {"stencil", "ordered-stencil"})
      for (const std::string preset : {"jacobi3d", "lulesh"}) {
        const OptionValues values =
            with_checkpoints(values_of(preset, Spreads::kPerRank, "linear", 5), 2);
        const Seen plain = run_above<Checkpoints>("stencil", values, engine);
        const Seen spread = run_above<Spreads>(workload, values, engine);
        INFO(engine_word(engine) << ' ' << workload << ' ' << preset);
        // They leave in their order, and come home in any.
        Values moved = spread.values(0, "moved");
        std::sort(moved.begin() + Spreads::kPerRank, moved.end());
        CHECK(moved == Values{0, 1, 2, 3, 0, 1, 2, 3});
        CHECK(spread.metric("iterations_done") == 30);
        CHECK(spread.metric("remote_messages") == plain.metric("remote_messages"));
        if (workload == "stencil")
          CHECK(spread.metric("state_digest") == plain.metric("state_digest"));
        CHECK(spread.violations().empty());
        CHECK(spread.result.outcome == Outcome::finished);
      }
}
