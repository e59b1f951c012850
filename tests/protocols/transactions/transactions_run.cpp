#include "tests/protocols/transactions/transactions_run.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <utility>

#include "tests/support/drawn_machine.hpp"
#include "tests/support/shrinking.hpp"

namespace faultline::test {

namespace {

BlockFault draw_fault(Stream& random, const TransactionsRun& run, const std::string& protocol,
                      std::uint64_t events) {
  std::vector<const char*> marks{"contributed", "decided", "regroup", "spawn",
                                 "join",        "restore", "resume",  "checkpoint"};
  if (protocol == "ulfm") marks.insert(marks.end(), {"revoke", "shrink"});
  BlockFault fault;
  fault.victim = static_cast<Rank>(random.below(run.processes));
  if (random.chance(0.5)) {
    fault.event = 1 + random.below(events);
  } else {
    fault.mark = marks.at(random.below(marks.size()));
    fault.value = static_cast<std::int64_t>(random.below(3));
  }
  return fault;
}

/// Requests time out after 10 ms, and a wait for an outcome is given up after 240 ms at the
/// earliest.
void draw_harmless(Stream& random, BlockFault& fault) {
  static const std::array<double, 4> stalls_s{1e-5, 1e-3, 0.009, 0.05};
  fault.soft = random.chance(0.5);
  if (!fault.soft) fault.stall_s = stalls_s.at(random.below(stalls_s.size()));
}

/// Does anybody die with the keeper of its checkpoint, at whatever times?
bool can_lose_both_copies(const TransactionsRun& run) {
  const std::vector<BlockFault> deaths = run.deaths();
  if (run.recovery == "merge") return deaths.size() > 1;  // data move
  const auto dies = [&](Rank rank) {
    return std::any_of(deaths.begin(), deaths.end(),
                       [rank](const BlockFault& death) { return death.victim == rank; });
  };
  // It is on another node, up to two nodes further on. After a death, ranks can lie elsewhere.
  for (const BlockFault& death : deaths)
    for (Rank step = 1; step <= 2 * run.processes_per_node; ++step)
      if (dies((death.victim + step) % run.processes)) return true;
  return false;
}

std::string judge(const TransactionsRun& run, const Seen& seen, double right_digest) {
  if (!seen.result.violations.empty())
    return seen.result.violations.front().kind + ": " + seen.result.violations.front().detail;
  const double struck = run.deaths().empty() ? 0.0 : seen.metric("faults_struck");
  switch (seen.result.outcome) {
    case Outcome::finished:
      // Who has died after its last TryBlock has not finished.
      if ((run.deaths().empty() || seen.metric("failed_ranks") == 0) &&
          seen.metric("state_digest") != right_digest)
        return "other states than without faults";
      return {};
    case Outcome::fatal_reported:
      if (seen.result.fatal_reason == "both copies of a checkpoint are lost" &&
          run.checkpoint == "partner" && run.recovery != "shrink" && can_lose_both_copies(run))
        return {};
      if (seen.result.fatal_reason == "no process is left that knows the world" &&
          struck >= run.processes)
        return {};
      return "gave up: " + seen.result.fatal_reason;
    case Outcome::all_failed:
      return struck >= run.processes ? std::string() : "all failed";
    default:
      return std::string("the run ended as ") + outcome_word(seen.result.outcome) + " at " +
             std::to_string(seen.metric("end_time_s"));
  }
}

/// Every way to make one field simpler.
std::vector<TransactionsRun> simpler_runs(const TransactionsRun& run) {
  std::vector<TransactionsRun> simpler;
  const auto propose = [&](auto change) {
    TransactionsRun changed = run;
    change(changed);
    if (describe(changed) != describe(run)) simpler.push_back(changed);
  };
  for (std::size_t i = 0; i < run.faults.size(); ++i)
    propose([i](TransactionsRun& r) {
      r.faults.erase(r.faults.begin() + static_cast<std::ptrdiff_t>(i));
    });
  propose([](TransactionsRun& r) { r.processes_per_node = 1; });
  propose([](TransactionsRun& r) { r.random_costs = false; });
  propose([](TransactionsRun& r) { r.ordering = Ordering::fifo; });
  propose([](TransactionsRun& r) { r.iterations = (r.iterations + 1) / 2; });
  propose([](TransactionsRun& r) { r.iterations_per_block = 1; });
  propose([](TransactionsRun& r) {
    r.has_sums = false;
    r.scope = "global";
  });
  propose([](TransactionsRun& r) { r.is_lulesh = false; });
  propose([](TransactionsRun& r) { r.notice_spread_s = 0.0; });
  propose([](TransactionsRun& r) { r.spawn_s = 0.0; });
  propose([](TransactionsRun& r) { r.checkpoint = "none"; });
  propose([](TransactionsRun& r) { r.checkpoint_iterations = 1; });
  propose([](TransactionsRun& r) { r.rebuild_over = "star"; });
  propose([](TransactionsRun& r) { r.agreement = "era"; });
  propose([](TransactionsRun& r) { r.release = "timeout"; });
  propose([](TransactionsRun& r) { r.wait_timeout_s = 1.0; });
  propose([](TransactionsRun& r) { r.recovery = "rebuild"; });
  propose([](TransactionsRun& r) { r.scope = "global"; });
  propose([](TransactionsRun& r) {
    r.processes -= r.processes > 3 && !r.is_lulesh ? 1 : 0;
    for (BlockFault& death : r.faults) death.victim %= r.processes;
  });
  for (std::size_t i = 0; i < run.faults.size(); ++i) {
    propose([i](TransactionsRun& r) { r.faults[i].event -= r.faults[i].event > 1 ? 1 : 0; });
    propose([i](TransactionsRun& r) { r.faults[i].event = (r.faults[i].event + 1) / 2; });
  }
  return simpler;
}

/// MiniFE, LULESH, or, where nobody replaces the dead, a program that can go on without them.
void set_program(Job& job, const TransactionsRun& run) {
  constexpr std::int64_t kSide = 6;
  OptionValues options{{"iterations", run.iterations},
                       {"iterations_per_block", run.iterations_per_block}};
  if (run.recovery == "shrink") {
    options["compute_s"] = 1e-5;
    options["allreduces"] = std::int64_t{run.has_sums ? 2 : 0};
    job.workload("try-blocks", options);
  } else if (run.is_lulesh) {
    options["zones_per_side"] = kSide;
    job.workload("lulesh-mpi", options);
  } else {
    for (const char* rows : {"nx", "ny", "nz"}) options[rows] = kSide;
    options["dots"] = run.has_sums ? "inside" : "none";
    job.workload("minife", options);
  }
}

OptionValues options_of(const TransactionsRun& run, const std::string& protocol) {
  OptionValues values{{"checkpoint", run.checkpoint},
                      {"checkpoint_iterations", run.checkpoint_iterations},
                      {"rebuild_over", run.rebuild_over}};
  if (run.checkpoint == "local") values["spawn"] = "same-node";
  if (protocol == "relaunch") {
    values["relaunch_s"] = run.spawn_s;
    return values;
  }
  values["spawn_s"] = run.spawn_s;
  values["recovery"] = run.recovery;
  if (protocol == "ulfm") return values;
  values["agreement"] = run.agreement;
  values["release"] = run.release;
  values["scope"] = run.scope;
  values["request_timeout_s"] = run.release == "invite" ? 1e9 : 0.01;
  values["wait_timeout_s"] = run.wait_timeout_s;
  return values;
}

}  // namespace

std::vector<BlockFault> TransactionsRun::deaths() const {
  std::vector<BlockFault> deaths;
  std::copy_if(faults.begin(), faults.end(), std::back_inserter(deaths),
               [](const BlockFault& fault) { return fault.kills(); });
  return deaths;
}

TransactionsRun draw_transactions_run(std::uint64_t seed, const std::string& protocol) {
  Stream random(seed, 0, Purpose::transactions, 0);
  const auto among = [&random](auto... values) {
    const std::array list{values...};
    return list[random.below(list.size())];
  };
  TransactionsRun run;
  run.seed = seed;
  run.processes = 3 + static_cast<std::uint32_t>(random.below(6));
  run.processes_per_node = 1 + static_cast<std::uint32_t>(random.below(2));
  run.iterations = 1 + static_cast<std::int64_t>(random.below(5));
  run.iterations_per_block = 1 + static_cast<std::int64_t>(random.below(3));
  run.has_sums = random.chance(0.6);
  run.random_costs = random.chance(0.5);
  run.ordering = among(Ordering::fifo, Ordering::unordered);
  run.notice_delay_s = among(1e-6, 1e-5, 1e-4);
  run.notice_spread_s = among(0.0, 1e-5, 1e-4);
  run.spawn_s = among(0.0, 1e-5, 1e-3);
  const bool saves = random.chance(0.6);
  if (saves) run.checkpoint = among("local", "partner", "storage");
  run.checkpoint_iterations = 1 + static_cast<std::int64_t>(random.below(2));
  run.rebuild_over = among("star", "tree");
  run.agreement = among("era", "two-phase", "star");
  run.release = among("timeout", "invite");
  if (protocol != "relaunch") run.recovery = among("rebuild", "merge", "shrink");
  if (protocol == "fampi" && run.has_sums) run.scope = among("global", "with-collective");
  run.is_lulesh = run.recovery != "shrink" && random.chance(0.2);
  if (run.is_lulesh) run.processes = 8;
  run.wait_timeout_s = among(1.0, 0.06);
  if (run.recovery == "merge" && run.checkpoint == "local") run.checkpoint = "storage";
  const std::uint64_t events = make_run(run, protocol, EngineKind::loggp).result.events;
  const std::uint64_t deaths = 1 + random.below(3);
  const std::uint64_t others = protocol == "relaunch" ? 0 : random.below(4);
  run.faults.reserve(deaths + others);
  for (std::uint64_t i = 0; i < deaths + others; ++i) {
    run.faults.push_back(draw_fault(random, run, protocol, events));
    if (i >= deaths) draw_harmless(random, run.faults.back());
  }
  return run;
}

std::string describe(const TransactionsRun& run) {
  std::ostringstream text;
  text << "{.seed = " << run.seed << ", .processes = " << run.processes
       << ", .processes_per_node = " << run.processes_per_node
       << ", .iterations = " << run.iterations
       << ", .iterations_per_block = " << run.iterations_per_block << std::boolalpha
       << ", .has_sums = " << run.has_sums << ", .is_lulesh = " << run.is_lulesh
       << ", .random_costs = " << run.random_costs
       << ", .ordering = Ordering::" << (run.ordering == Ordering::fifo ? "fifo" : "unordered")
       << ", .notice_delay_s = " << run.notice_delay_s
       << ", .notice_spread_s = " << run.notice_spread_s << ", .spawn_s = " << run.spawn_s
       << ", .checkpoint = \"" << run.checkpoint
       << "\", .checkpoint_iterations = " << run.checkpoint_iterations << ", .rebuild_over = \""
       << run.rebuild_over << "\", .agreement = \"" << run.agreement << "\", .release = \""
       << run.release << "\", .recovery = \"" << run.recovery << "\", .scope = \"" << run.scope
       << "\", .wait_timeout_s = " << run.wait_timeout_s << ", .faults = {";
  for (const BlockFault& fault : run.faults)
    text << "{" << fault.event << ", \"" << fault.mark << "\", " << fault.value << ", "
         << fault.victim << ", " << fault.soft << ", " << fault.stall_s << "}, ";
  text << "}}";
  return text.str();
}

Seen make_run(const TransactionsRun& run, const std::string& protocol, EngineKind engine,
              const MakeWrong& make_wrong) {
  Job job(run.processes, machine_of(run.seed, run.random_costs));
  job.spec.platform.processes_per_node = run.processes_per_node;
  job.spec.platform.spare_nodes = 4;
  job.spec.platform.ordering = run.ordering;
  job.spec.stop.when = StopWhen::finished;
  job.spec.stop.events = 1000000;
  set_program(job, run);
  job.use(Family::transactions, protocol, options_of(run, protocol));
  job.use(Family::failure_detection, "oracle",
          {{"delay_s", run.notice_delay_s}, {"spread_s", run.notice_spread_s}});
  for (const BlockFault& struck : run.faults) {
    FaultSpec fault;
    if (struck.mark.empty())
      fault.event = struck.event;
    else
      fault.mark = MarkSpec{struck.mark, struck.value};
    fault.ranks = {struck.victim};
    fault.soft = struck.soft;
    fault.stall_s = struck.stall_s;
    job.spec.faults.push_back(fault);
  }
  if (make_wrong) make_wrong(job.spec);
  return job.run(engine, run.seed);
}

std::string broken_promise(const TransactionsRun& run, const std::string& protocol,
                           EngineKind engine, const MakeWrong& make_wrong) {
  try {
    TransactionsRun peaceful = run;
    peaceful.faults.clear();
    const Seen truth = make_run(peaceful, protocol, EngineKind::loggp);
    return judge(run, make_run(run, protocol, engine, make_wrong), truth.metric("state_digest"));
  } catch (const std::exception& broken) {
    return std::string("broken: ") + broken.what();
  }
}

std::string counterexample(const std::string& protocol, EngineKind engine, std::uint64_t runs,
                           const MakeWrong& make_wrong) {
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const auto broken = [&](const TransactionsRun& run) {
      return broken_promise(run, protocol, engine, make_wrong);
    };
    const TransactionsRun run = draw_transactions_run(seed, protocol);
    std::string promise = broken(run);
    if (promise.empty()) continue;
    const auto found =
        shrunk(BrokenRun<TransactionsRun>{run, std::move(promise)}, simpler_runs, broken);
    return describe(found.run) + ": " + found.promise;
  }
  return {};
}

}  // namespace faultline::test
