// SPDX-License-Identifier: Apache-2.0

// Every registered component adds its whole state to a digest: a copy has the digest of the
// original, at any moment of a run, and what goes on in a run shows in the digests.

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/alone.hpp"
#include "tests/support/job.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline {

using namespace test;

namespace {

/// What was seen of the components of a run.
struct Looks {
  std::uint64_t many = 0;
  std::uint64_t unlike_copy = 0;
  std::set<StateDigest> digests;
};

Looks looks;

/// Compares a component with its copy whenever it has handled something.
template <class Role>
class Compared final : public PassThrough<Compared<Role>, Role> {
 public:
  using typename Forwarding<Role>::Context;

  using PassThrough<Compared<Role>, Role>::PassThrough;
  void start(Context& context) override {
    Forwarding<Role>::start(context);
    look();
  }
  void on_message(Context& context, const Message& message) override {
    Forwarding<Role>::on_message(context, message);
    look();
  }
  void on_compute_done(Context& context, std::uint64_t tag) override {
    Forwarding<Role>::on_compute_done(context, tag);
    look();
  }
  void on_peer_failed(Context& context, Incarnation peer) override {
    Forwarding<Role>::on_peer_failed(context, peer);
    look();
  }
  void on_flushed(Context& context, Incarnation peer) override {
    Forwarding<Role>::on_flushed(context, peer);
    look();
  }

 private:
  void look() const {
    ++looks.many;
    if (digest_of(*this->clone()) != digest_of(*this)) ++looks.unlike_copy;
    // Without the random stream, which is this one's own and has another key on each rank.
    looks.digests.insert(digest_of(this->inner()));
  }
};

/// Options under which a run is short.
OptionValues short_run(const std::string& workload) {
  if (workload == "flood") return {{"fanout", std::int64_t{2}}};
  if (workload == "random-tree") return {{"minimum_height", std::int64_t{5}}};
  if (workload == "uniform-traffic") return {{"hops", std::int64_t{10}}};
  if (workload == "work-stealing")
    return {{"preset", std::string("tensor-contraction")}, {"tasks", std::int64_t{100}}};
  if (workload == "ping-pong" || workload == "allreduce")
    return {{"repetitions", std::int64_t{20}}};
  if (workload == "script")
    return {{"rules", std::vector<std::string>{"0 at start: send a to 1, send a to 1",
                                               "1 on 2nd a: send b to 2, compute work",
                                               "2 on b: send c to 0"}}};
  if (workload == "try-script")
    return {{"steps", std::vector<std::string>{"try", "compute 1e-5 s", "exchange 8 B with +1",
                                               "finish", "allreduce 8 B among 2-5"}}};
  if (workload == "stencil" || workload == "ordered-stencil")
    return {{"iterations", std::int64_t{10}}};
  return {};
}

template <class Role>
Looks looks_at(Job& job, Family family) {
  looks = {};
  Registration compared;
  make_mistaken<Compared<Role>>(job.spec, family, compared);
  job.run();
  return looks;
}

void check(const Looks& seen, const std::string& name, std::size_t digests) {
  INFO(name);
  CHECK(seen.many > 0);
  CHECK(seen.unlike_copy == 0);
  CHECK(seen.digests.size() >= digests);
}

std::vector<const Registration*> registered_in(Family family) {
  std::vector<const Registration*> found;
  for (const Registration& registration : registrations())
    if (registration.family == family) found.push_back(&registration);
  return found;
}

}  // namespace

// Where a workload keeps all that is to be done in messages and computations, its digest need not
// change.
TEST_CASE("every workload has the digest of its copy throughout a run") {
  const std::set<std::string> keep_nothing{"projection", "random-tree"};
  for (const Registration* workload : registered_in(Family::workload)) {
    Job job(8, quick_machine());
    job.workload(workload->name, short_run(workload->name));
    const std::size_t least = keep_nothing.count(workload->name) > 0 ? 1 : 2;
    check(looks_at<Workload>(job, Family::workload), workload->name, least);
  }
}

TEST_CASE("every termination detector has the digest of its copy throughout a run with deaths") {
  for (const Registration* detector : registered_in(Family::termination)) {
    Job job(8, quick_machine());
    job.workload("work-stealing", short_run("work-stealing")).detector(detector->name);
    job.use(Family::failure_detection, "oracle");
    if (detector->tolerates_faults()) job.kill(2e-3, {5});
    check(looks_at<TerminationDetector>(job, Family::termination), detector->name, 10);
  }
}

TEST_CASE("hcda has the digest of its copy with each kind of credit") {
  for (const char* credit : {"huang", "mattern", "own-currency"}) {
    Job job(8, quick_machine());
    job.workload("uniform-traffic", short_run("uniform-traffic"));
    job.detector("hcda", {{"credit", std::string(credit)}, {"initial_credit", std::int64_t{4}}});
    check(looks_at<TerminationDetector>(job, Family::termination), credit, 10);
  }
}

TEST_CASE("every failure detector has the digest of its copy throughout a run") {
  for (const Registration* detector : registered_in(Family::failure_detection)) {
    Job job(8, quick_machine());
    job.workload("uniform-traffic").use(Family::failure_detection, detector->name);
    job.kill(1e-5, {5});
    check(looks_at<Detector>(job, Family::failure_detection), detector->name, 1);
  }
}

TEST_CASE("the random stream of a component is part of its state, also where it has not drawn") {
  Alone alone(Family::workload, "token-ring", job_of(4), 1);
  const auto copy = alone.component().clone();
  CHECK(digest_of(*copy) == alone.digest());
  copy->random.next();
  CHECK(digest_of(*copy) != alone.digest());
  copy->random = Stream(1, 2, Purpose::workload, 3);
  CHECK(digest_of(*copy) != alone.digest());
}

TEST_CASE("a wrapper adds the digest of its component, and its own state") {
  Alone alone(Family::termination, "dijkstra-scholten", job_of(4), 0);
  const Compared<TerminationDetector> before(alone.component().clone());
  alone.sends({1});
  const Compared<TerminationDetector> after(alone.component().clone());
  CHECK(digest_of(before) != digest_of(after));
  CHECK(digest_of(Compared<TerminationDetector>(alone.component().clone())) == digest_of(after));
}

}  // namespace faultline
