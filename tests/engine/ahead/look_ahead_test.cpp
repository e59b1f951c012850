// SPDX-License-Identifier: Apache-2.0

// To look ahead changes no result, and only large jobs do it.

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <utility>

#include "sim/core/prefetched.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// What the programs of a run were asked to fetch.
struct Asked {
  std::uint64_t of_own = 0;     ///< for a message to the program's rank
  std::uint64_t of_others = 0;  ///< for another one
};

/// Every rank sends a message that goes three ranks further.
class Relaying : public Workload {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Relaying>(*this);
  }
  void start(WorkloadContext& context) override { send_on(context, 3); }
  void on_message(WorkloadContext& context, const Message& message) override {
    send_on(context, message.payload.get<std::uint64_t>());
  }

 private:
  void digest_state(Digest&) const override {}
  static void send_on(WorkloadContext& context, std::uint64_t hops) {
    if (hops == 0) return;
    const Rank next = (context.self() + 7) % context.job().processes;
    context.send(next, 0, 8).payload.put(hops - 1);
  }
};

class PrefetchedRelaying final : public Relaying, public Prefetched {
 public:
  PrefetchedRelaying(ActorId self, std::shared_ptr<Asked> asked)
      : self_(self), asked_(std::move(asked)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<PrefetchedRelaying>(*this);
  }
  void fetch_ahead(const Message& message) const override {
    ++(message.to == self_ ? asked_->of_own : asked_->of_others);
  }

 private:
  ActorId self_;
  std::shared_ptr<Asked> asked_;
};

/// Runs the program on so many processes. If there is `asked`, the program is Prefetched.
RunResult run_on(std::uint32_t processes, const std::shared_ptr<Asked>& asked) {
  Job job(processes, quick_machine(processes));
  job.own(Family::workload, [asked](ActorId self) -> std::unique_ptr<Component> {
    if (asked == nullptr) return std::make_unique<Relaying>();
    return std::make_unique<PrefetchedRelaying>(self, asked);
  });
  return job.run().result;
}

}  // namespace

TEST_CASE("a prefetched program of a large job is asked for its own messages only") {
  const auto asked = std::make_shared<Asked>();
  run_on(5000, asked);
  CHECK(asked->of_own > 5000);
  CHECK(asked->of_others == 0);
}

TEST_CASE("a small job does not look ahead") {
  const auto asked = std::make_shared<Asked>();
  run_on(4096, asked);
  CHECK(asked->of_own == 0);
}

TEST_CASE("a run has the same result if its program is prefetched") {
  const RunResult prefetched = run_on(5000, std::make_shared<Asked>());
  const RunResult plain = run_on(5000, nullptr);
  CHECK(prefetched.events == plain.events);
  CHECK(prefetched.metrics.values() == plain.metrics.values());
}

}  // namespace faultline::engine
