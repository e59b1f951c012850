// Detectors with one mistake each, which the search for counterexamples must find: this is what
// shows that the search for those of the real ones (random_run_test.cpp) can fail.

#include <catch2/catch.hpp>
#include <memory>

#include "tests/protocols/termination/random_run.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// Rank 0 asks every rank for what it has sent and received, each answers when it is idle, and
/// rank 0 announces when `equal_rounds` rounds in a row have four equal sums. Two rounds are
/// Mattern's four-counter method and right; one is the classic mistake.
class Polling {
 public:
  explicit Polling(std::uint32_t equal_rounds) : equal_rounds_(equal_rounds) {}

  enum Kind : std::uint16_t { kProbe, kAnswer, kOver };

  void count_sends(std::size_t messages) { mine_.sent += static_cast<std::int64_t>(messages); }
  void count_receipt() { ++mine_.received; }

  void on_idle(Context& context) {
    if (context.self() == 0 && !polling_) poll(context);
    while (asked_) answer(context);
  }

  void on_message(Context& context, const Message& message) {
    if (message.kind == kOver) return context.announce();
    if (message.kind == kAnswer) return count_answer(context, message.payload.get<Counters>());
    asked_ = true;
    if (!context.active()) answer(context);
  }

 private:
  struct Counters {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };

  void poll(Context& context) {
    polling_ = asked_ = true;
    answers_ = 0;
    sums_ = {};
    for (Rank rank = 1; rank < context.job().processes; ++rank) context.send(rank, kProbe, 8);
    if (!context.active()) answer(context);
  }

  void answer(Context& context) {
    asked_ = false;
    if (context.self() == 0)
      count_answer(context, mine_);
    else
      context.send(0, kAnswer, 16).payload.put(mine_);
  }

  void count_answer(Context& context, const Counters& counters) {
    sums_.sent += counters.sent;
    sums_.received += counters.received;
    if (++answers_ < context.job().processes) return;
    polling_ = false;
    const bool balanced = sums_.sent == sums_.received;
    equal_ = !balanced ? 0 : sums_.sent == last_sum_ ? equal_ + 1 : 1;
    last_sum_ = sums_.sent;
    if (equal_ == equal_rounds_) {
      for (Rank rank = 1; rank < context.job().processes; ++rank) context.send(rank, kOver, 8);
      context.announce();
    } else if (balanced || context.job().processes > 1) {
      poll(context);  // a single process waits until it is idle once more
    }
  }

  std::uint32_t equal_rounds_;
  Counters mine_;
  Counters sums_;  ///< of this round
  std::int64_t last_sum_ = 0;
  std::uint32_t answers_ = 0;
  std::uint32_t equal_ = 0;  ///< rounds in a row
  bool asked_ = false;
  bool polling_ = false;
};

Handlers polling_handlers(std::uint32_t equal_rounds) {
  const auto polling = std::make_shared<Polling>(equal_rounds);
  return {.message = [=](Context& context,
                         const Message& message) { polling->on_message(context, message); },
          .sends =
              [=](Context& context, std::span<Message* const> batch, bool) {
                polling->count_sends(batch.size());
                for (Message* message : batch) context.forward(*message);
              },
          .receive =
              [=](Context&, Message&) {
                polling->count_receipt();
                return Passage::deliver;
              },
          .idle = [=](Context& context) { polling->on_idle(context); }};
}

DetectorUnderTest polling(std::uint32_t equal_rounds) {
  return {.name = "polling", .install = [equal_rounds](Job& job, const RandomRun&) {
            job.script(Family::termination,
                       [equal_rounds](ActorId) { return polling_handlers(equal_rounds); });
          }};
}

/// Dijkstra-Scholten that acknowledges the engaging message at once too, so that the root knows of
/// its own messages only.
DetectorUnderTest without_parents() {
  return {.name = "without parents", .install = [](Job& job, const RandomRun& run) {
            job.script(Family::termination, [run](ActorId self) {
              const auto owed = std::make_shared<std::size_t>(0);
              const auto detect = [=](Context& context) {
                if (self != 0 || *owed > 0) return;
                for (Rank rank = 1; rank < run.processes; ++rank) context.send(rank, 1, 8);
                context.announce();
              };
              Handlers handlers;
              handlers.sends = [=](Context& context, std::span<Message* const> batch, bool) {
                *owed += batch.size();
                for (Message* message : batch) context.forward(*message);
              };
              handlers.receive = [](Context& context, Message& message) {
                context.send(message.from, 0, 8);
                return Passage::deliver;
              };
              handlers.idle = detect;
              handlers.message = [=](Context& context, const Message& message) {
                if (message.kind == 1) return context.announce();
                --*owed;
                if (!context.active()) detect(context);
              };
              return handlers;
            });
          }};
}

/// A real detector behind handlers that a test can change.
Handlers handlers_of(const std::shared_ptr<Layer>& detector) {
  Handlers handlers;
  handlers.message = [=](Context& context, const Message& message) {
    detector->on_message(context, message);
  };
  handlers.sends = [=](Context& context, std::span<Message* const> batch, bool still_active) {
    detector->on_sends(context, batch, still_active);
  };
  handlers.receive = [=](Context& context, Message& message) {
    return detector->on_receive(context, message);
  };
  handlers.idle = [=](Context& context) { detector->on_idle(context); };
  handlers.conserved_in = [=](const Message& message) { return detector->conserved_in(message); };
  if (detector->conserved())
    handlers.conserved = [=] { return detector->conserved().value_or(Conserved{}); };
  return handlers;
}

/// A real detector with one mistake: `mutate` changes its handlers.
DetectorUnderTest mistaken(const std::string& name, const std::function<void(Handlers&)>& mutate) {
  return {.name = name,
          .install =
              [=](Job& job, const RandomRun& run) {
                const Registration& real = *find_registration(Family::termination, name);
                OptionValues values;
                for (const OptionSpec& option : real.options)
                  values[option.name] = option.default_value;
                JobShape shape = job_shape(job.spec.platform);
                shape.starts_at_root = run.starts_at_root;
                const ComponentFactory make = real.make(values, shape);
                job.script(Family::termination, [=](ActorId self) {
                  Handlers handlers = handlers_of(
                      std::static_pointer_cast<Layer>(std::shared_ptr<Component>(make(self))));
                  mutate(handlers);
                  return handlers;
                });
              },
          .ordering = needed_ordering(name)};
}

void misses_messages_to_itself(Handlers& handlers) {
  handlers.receive = [whole = handlers.receive](Context& context, Message& message) {
    return message.from == message.to ? Passage::deliver : whole(context, message);
  };
}

/// How small the counterexample must become is asked on loggp, which tries more seeds.
void check_found(const DetectorUnderTest& detector, const std::string& promise,
                 std::uint32_t processes, std::uint32_t tasks) {
  for (const EngineKind engine : engines()) {
    const auto found = search(detector, engine, 500);
    INFO(engine_word(engine) << " " << detector.name);
    REQUIRE(found);
    INFO(describe(found->run) << ": " << found->promise);
    CHECK(found->promise.find(promise) != std::string::npos);
    // What is printed is what failed.
    CHECK(broken_promise(found->run, detector, engine) == found->promise);
    if (engine == EngineKind::simgrid) continue;
    CHECK(found->run.processes <= processes);
    CHECK(found->run.tasks <= tasks);
    CHECK(found->run.phases == 1);
  }
}

}  // namespace

TEST_CASE("the search finds a detector that believes one wave, and shrinks what it finds") {
  check_found(polling(1), "tasks left", 3, 12);
}

TEST_CASE("the same detector with two waves is right, and the search finds nothing") {
  for (const EngineKind engine : engines()) {
    CHECK(counterexample(polling(2), engine, sample_of(400, engine)) == "");
  }
}

TEST_CASE("the search finds a Dijkstra-Scholten without parents") {
  check_found(without_parents(), "tasks left", 3, 4);
}

TEST_CASE("the search finds a CDA that loses the credit of messages to itself") {
  check_found(mistaken("cda", misses_messages_to_itself), "credit: ", 1, 2);
}

TEST_CASE("the search finds a CDA that hands out more than it owns") {
  check_found(
      mistaken("cda",
               [](Handlers& handlers) {
                 handlers.sends = [whole = handlers.sends](Context& context,
                                                           std::span<Message* const> batch,
                                                           bool still_active) {
                   whole(context, batch, still_active);
                   for (Message* message : batch)
                     message->termination.put(message->termination.get<std::int64_t>() + 64);
                 };
               }),
      "credit: credit is not conserved: 64 too much", 1, 2);
}

TEST_CASE("the search finds a CDA that does not flush") {
  check_found(mistaken("cda", [](Handlers& handlers) { handlers.idle = {}; }), "hung: ", 1, 0);
}

TEST_CASE("the search finds a four-counter that misses messages to itself") {
  check_found(mistaken("four-counter", misses_messages_to_itself), "hung: ", 1, 2);
}

TEST_CASE("the search finds a four-counter that counts what it is about to receive") {
  // A rank that counts its sends as received at once balances what is in flight.
  check_found(mistaken("four-counter",
                       [](Handlers& handlers) {
                         handlers.receive = [](Context&, Message&) { return Passage::deliver; };
                         handlers.sends = {};
                       }),
              "tasks left", 2, 3);
}

TEST_CASE("the search finds a Dijkstra-Scholten that breaks its own invariant, and shrinks it") {
  // While it is active, it takes an acknowledgement for two.
  DetectorUnderTest detector = mistaken("dijkstra-scholten", [](Handlers& handlers) {
    handlers.message = [whole = handlers.message](Context& context, const Message& message) {
      whole(context, message);
      if (message.kind == 0 && context.active()) whole(context, message);
    };
  });
  // It announces too early, too.
  detector.looks_for = "broken invariant: an acknowledgement that nobody owes";
  check_found(detector, detector.looks_for + " (dijkstra_scholten.cpp:", 3, 12);
}

TEST_CASE("spoiling nothing breaks nothing") {
  for (const std::string& name : detectors()) {
    INFO(name);
    CHECK(counterexample(mistaken(name, [](Handlers&) {}), EngineKind::loggp, 50) == "");
  }
}
