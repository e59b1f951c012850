// The path of a message allocates nothing once the most messages in flight have been reached.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "tests/support/job.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

std::uint64_t allocations = 0;

}  // namespace

// Every new expression of this program comes through here. Not inlined: GCC would warn of a pair
// that does not match.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

struct Cost {
  std::uint64_t allocations;
  double messages;
};

Cost cost_of(const std::string& detector, std::uint32_t processes, std::int64_t hops) {
  Job job(processes, quick_machine());
  job.workload("uniform-traffic", {{"hops", hops}});
  if (!detector.empty()) job.detector(detector);
  const std::uint64_t before = allocations;
  const RunResult result = run_simulation(job.spec, EngineKind::loggp, 1, 0);
  const std::uint64_t after = allocations;
  return {after - before, *result.metrics.values().at("application_messages")};
}

}  // namespace

TEST_CASE("ten times the messages need no more allocations, but for the growth of a few arrays") {
  // HCDA is left out: its borrowers keep what they delay.
  for (const std::uint32_t processes : {16U, 2000U})
    for (const std::string& detector : {std::string(), std::string("dijkstra-scholten"),
                                        std::string("four-counter"), std::string("cda")}) {
      const Cost few = cost_of(detector, processes, 20);
      const Cost many = cost_of(detector, processes, 200);
      INFO(detector << ", " << processes << " processes: " << few.allocations << " and "
                    << many.allocations);
      CHECK(few.allocations > 0);
      CHECK(many.messages == 10 * few.messages);
      CHECK(many.allocations < few.allocations + 64);
    }
}

TEST_CASE("what the adoption protocols allocate is bounded by what they store, not by messages") {
  // A vector that grows to n allocates 1 + ceil(log2 n) times. Each of 16 ranks stores its
  // partners, its successors, and for each of these 15 its up to 15 potential children.
  constexpr std::uint64_t kVector = 1 + 4;
  constexpr std::uint64_t kRank = kVector + kVector + 15 * kVector;
  const std::uint64_t bare = cost_of("dijkstra-scholten", 16, 20000).allocations;
  for (const std::string detector : {"indep", "rel-lazy", "rel-eager"}) {
    const Cost cost = cost_of(detector, 16, 20000);
    INFO(detector << ": " << cost.allocations << ", without " << bare);
    CHECK(cost.messages == 320000);
    CHECK(cost.allocations < bare + 16 * kRank);
  }
}
