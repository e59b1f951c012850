// SPDX-License-Identifier: Apache-2.0
#include "workloads/stencil.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "sim/core/checkpoint_request.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/iterations_done.hpp"
#include "sim/core/wire_bytes.hpp"
#include "workloads/bulk_program.hpp"
#include "workloads/program_metrics.hpp"
#include "workloads/stencil_program.hpp"

namespace faultline::workloads {

namespace {

OptionSet<StencilOptions> options() {
  using Options = StencilOptions;
  return OptionSet<Options>()
      .option("dimensions", &Options::dimensions,
              {.doc = "dimensions of the grid without a preset", .minimum = 1, .maximum = 3})
      .option("periodic", &Options::periodic,
              {.doc = "whether the grid wraps around, without a preset"})
      .option("iterations", &Options::iterations,
              {.doc = "iterations of the stencil", .minimum = 1, .maximum = 1e15})
      .option("bytes", &Options::bytes,
              {.doc = "size of a halo message of a process with one object. With V objects in d "
                      "dimensions it is V^((d-1)/d) times smaller",
               .unit = "B"})
      .option("compute_s", &Options::compute_s,
              {.doc = "computation time of an iteration, of all objects of a process together",
               .unit = "s",
               .minimum = 0,
               .maximum = 1e6})
      .option("preset", &Options::preset,
              {.doc = "the program whose exchanges these are. `wave2d`, `jacobi3d`: with the "
                      "neighbours along 2 and 3 dimensions that wrap around. `lulesh`: with all 26 "
                      "neighbours on an open grid (nodes), then with the 6 along its dimensions "
                      "(elements), then the smallest time step of all objects",
               .source = "fast-message-logging section 5",
               .choices = {"none", "wave2d", "jacobi3d", "lulesh"}})
      .option("objects_per_process", &Options::objects_per_process,
              {.doc = "objects of a process, the virtualization ratio",
               .source = "fast-message-logging section 5",
               .minimum = 1,
               .maximum = 65536})
      .option("object_mapping", &Options::object_mapping,
              {.doc = "map of objects to processes. `linear`: runs of objects in the order of the "
                      "first dimension, as Charm++ maps arrays by default. `block`: blocks of the "
                      "grid",
               .source = "fast-message-logging Table 1, whose remote messages are those of runs",
               .choices = {"linear", "block"}})
      .option("object_bytes", &Options::object_bytes,
              {.doc = "size of an object in an image and on its way to another process. The "
                      "default is 32^3 numbers of 8 bytes, whose halo has the 8,192 bytes of the "
                      "default of `bytes`",
               .unit = "B"})
      .option("checkpoint_iterations", &Options::checkpoint_iterations,
              {.doc = "number of iterations after which all objects wait for each other, as at the "
                      "start and the end, so that message logging can take a checkpoint. null: "
                      "never",
               .source = "fast-message-logging section 4.1",
               .minimum = 1})
      .option("synchronization", &Options::synchronization,
              {.doc = "`tags`: an object goes on when it has its own halos (Fig. 3b). `barrier`: "
                      "all objects wait for each other after each iteration (Fig. 3a)",
               .source = "fast-message-logging Fig. 3",
               .choices = {"tags", "barrier"}})
      .option("copy_bandwidth_Bps", &Options::copy_bandwidth_Bps,
              {.doc = "rate at which an object copies its halos out of its grid and into it, each "
                      "byte twice, as part of its computation. null: copying takes no time",
               .unit = "B/s",
               .minimum = 0,
               .above_minimum = true});
}

constexpr MetricSpec kIterations{"iterations_done", Merge::sum,
                                 "iterations of all ranks: those of all objects, divided by "
                                 "`objects_per_process`"};
constexpr MetricSpec kObjectMessages{"object_messages", Merge::mean,
                                     "messages to objects, per process and iteration. A message "
                                     "that is sent again after a recovery counts once"};
constexpr MetricSpec kRemote{"remote_messages", Merge::mean,
                             "object_messages to a receiver whose home is another process than its "
                             "sender's"};
constexpr Mark kIterationMark{"iteration",
                              "the first object of a rank begins an iteration: its number, from 0"};

bool asks_for_checkpoints(const OptionValues& values) {
  return !std::holds_alternative<std::monostate>(values.at("checkpoint_iterations"));
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const auto objects = std::get<std::int64_t>(values.at("objects_per_process"));
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (objects * job.processes > kMost)
    return {{"objects_per_process", "expected at most " + std::to_string(kMost / job.processes) +
                                        " with " + std::to_string(job.processes) +
                                        " processes, got " + std::to_string(objects)}};
  if (!asks_for_checkpoints(values)) return {};
  const std::int64_t largest = static_cast<std::int64_t>(kLargestSize_B) / objects;
  const auto bytes = std::get<std::int64_t>(values.at("object_bytes"));
  if (bytes <= largest) return {};
  return {{"object_bytes", "expected at most " + std::to_string(largest) + " with " +
                               std::to_string(objects) +
                               " objects_per_process, because an image has at most 1 TB, got " +
                               std::to_string(bytes)}};
}

std::vector<OptionProblem> check_with_blocks(const OptionValues& values, const JobShape& job) {
  const auto objects = std::get<std::int64_t>(values.at("objects_per_process"));
  if (!job.has_transactions || objects == 1) return check(values, job);
  return {{"objects_per_process",
           "expected 1 under transactions, which recover processes and no objects, got " +
               std::to_string(objects)}};
}

BlockContents try_blocks(const OptionValues& values) {
  const bool waits_for_all = std::get<std::string>(values.at("preset")) == "lulesh" ||
                             std::get<std::string>(values.at("synchronization")) == "barrier";
  return {.has_messages = true, .has_collective = waits_for_all, .needs_all_ranks = true};
}

/// Under transactions, a stencil of one object a process is a bulk program.
void add_try_blocks(Registration& made) {
  made.check = check_with_blocks;
  made.declare<WorkloadTraits>().try_blocks = try_blocks;
  made.message_kinds.emplace_back("request");
  const Registration bulk = bulk_program_registration(made.name, made.summary, made.source);
  for (const MetricSpec* metric : bulk.metrics)
    if (std::ranges::count(made.metrics, metric) == 0) made.metrics.push_back(metric);
  made.marks.insert(made.marks.end(), bulk.marks.begin(), bulk.marks.end());
}

Registration stencil(const char* name, const char* summary, const char* source, bool ordered) {
  const OptionSet<StencilOptions> set = options();
  Registration made{.family = Family::workload,
                    .name = name,
                    .summary = summary,
                    .source = source,
                    .traits = WorkloadTraits{.finishes = true,
                                             .has_images = true,
                                             .has_objects = true,
                                             .tags_messages = true,
                                             .driven_by_messages = true,
                                             .order_free = !ordered}};
  made.options = set.specs();
  made.message_kinds = {"halo", "second-halo", "elements", "contribution", "result"};
  made.metrics = {&kIterations, &kSolution, &kIterationTime, &kObjectMessages, &kRemote, &kDigest};
  made.marks = {&kIterationMark};
  made.check = check;
  if (!ordered) {
    made.metrics.push_back(&kDifference);
    made.declare<WorkloadTraits>().end_checks = {{&kDifference, "wrong-state"}};
    add_try_blocks(made);
  }
  made.declare<WorkloadTraits>().asks_for_checkpoints = asks_for_checkpoints;
  made.make = [set, ordered](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    const auto shared = std::make_shared<const StencilJob>(set.read(values), job, ordered);
    if (job.has_transactions && !ordered) return stencil_program_factory(shared, Stencil::kRequest);
    return [shared](ActorId self) { return std::make_unique<Stencil>(shared, self); };
  };
  return made;
}

const Registered plain{
    stencil("stencil", "halo exchange with the neighbours on a grid, then computation, iterated",
            "fast-message-logging sections 3 and 5 (Wave2D, Jacobi3D, LULESH)", false)};

const Registered ordered{
    stencil("ordered-stencil", "a stencil whose state depends on the order in which messages come",
            "fast-message-logging section 3: overlap regions that do not commute", true)};

}  // namespace

Stencil::Stencil(std::shared_ptr<const StencilJob> job, Rank self)
    : job_(std::move(job)),
      self_(self),
      objects_(plan().options().objects_per_process),
      reduction_(self, plan().processes(), plan().options().objects_per_process) {
  ObjectId number = first_at_home();
  for (Object& object : objects_) {
    object.number = number++;
    object.state = StencilStates::initial(object.number);
  }
}

std::unique_ptr<Component> Stencil::clone() const { return std::make_unique<Stencil>(*this); }

void Stencil::digest_state(Digest& into) const {
  into.add(reduction_, results_, objects_, waiting_, done_, synchronization_, asked_, finished_);
  into.add_sorted(early_results_, [](const Part& part) { return part.number; });
  if (plan().ordered())
    into.add(early_);
  else
    into.add_sorted(early_, [](const Early& early) {
      return std::tuple(early.object, early.number, early.side);
    });
}

// ---- iterations -------------------------------------------------------------------------------

void Stencil::start(WorkloadContext& context) {
  if (plan().synchronizations() > 0) {
    for (Object& object : objects_) object.phase = Phase::synchronizing;
    waiting_ = static_cast<std::uint32_t>(objects_.size());
    synchronize(context);
    return;
  }
  for (Object& object : objects_) begin_exchange(context, object);
}

void Stencil::begin_exchange(WorkloadContext& context, Object& object) {
  const std::uint64_t iteration = iteration_of(object);
  if (object.exchange % exchanges() == 0 && iteration >= marked_) {
    context.mark(kIterationMark, static_cast<std::int64_t>(iteration));
    marked_ = iteration + 1;
  }
  object.phase = Phase::exchanging;
  send_halos(context, object);
  if (!early_.empty()) take_early(object);
  try_compute(context, object);
}

void Stencil::send_halos(WorkloadContext& context, Object& object) {
  const std::size_t exchange = object.exchange % exchanges();
  const Halo halo{.iteration = iteration_of(object), .state = object.state};
  std::uint32_t neighbours = 0;
  std::uint64_t bytes = 0;
  plan().for_each_neighbour(object.number, exchange, [&](const StencilPlan::Neighbour& neighbour) {
    const std::uint16_t kind = exchange > 0 ? kElements : neighbour.second ? kSecondHalo : kHalo;
    const Rank home = plan().home(neighbour.object);
    Message& message = context.send(home, kind, neighbour.bytes);
    message.from_object = object.number;
    message.to_object = neighbour.object;
    Halo content = halo;
    content.side = neighbour.its_side;
    message.payload.put(content);
    ++neighbours;
    bytes += neighbour.bytes;
  });
  object.missing = neighbours - static_cast<std::uint32_t>(std::popcount(object.arrived[0]));
  object.halo_bytes = static_cast<float>(bytes);
}

void Stencil::on_message(WorkloadContext& context, const Message& message) {
  if (message.kind == kContribution) {
    reduction_.take(message.payload.get<Part>());
    return complete_reductions(context);
  }
  if (message.kind == kResult && message.to_object == kNoObject) {
    early_results_.push_back(message.payload.get<Part>());
    return pass_results_on(context);
  }
  Object& object = hosted(message.to_object);
  if (message.kind == kResult) return take_result(context, object, message.payload.get<Part>());
  const auto halo = message.payload.get<Halo>();
  const std::uint64_t exchange =
      halo.iteration * exchanges() + (message.kind == kElements ? 1U : 0U);
  take(object, {object.number, exchange, halo.side, halo.state});
  try_compute(context, object);
}

/// Neighbours are at most one exchange apart, or two at a corner, until one of them goes back to an
/// earlier state. It then sends halos again, of which each counts once, and its neighbours are
/// further ahead of it.
void Stencil::take(Object& object, const Early& halo) {
  if (halo.number < object.exchange) return;
  const std::uint64_t ahead = halo.number - object.exchange;
  const bool is_now = ahead == 0 && object.phase == Phase::exchanging;
  if (ahead > 1 || (plan().ordered() && !is_now)) {
    early_.push_back(halo);
    return;
  }
  const std::uint32_t side = 1U << halo.side;
  if ((object.arrived[ahead] & side) != 0) return;
  object.arrived[ahead] |= side;
  if (is_now) --object.missing;
  const std::uint64_t part = StencilStates::part(halo.value, static_cast<std::uint32_t>(halo.side));
  if (plan().ordered())
    object.state = StencilStates::next(object.state, part);
  else
    object.consumed[ahead] += part;
}

/// Takes the halos that came too early for the object, in the order in which they came. It does so
/// after the object has sent, so that what it sends does not depend on how long it has computed.
void Stencil::take_early(Object& object) {
  for (const Early& early : std::exchange(early_, {}))
    if (early.object == object.number && early.side != kNoSide)
      take(object, early);
    else
      early_.push_back(early);
}

void Stencil::try_compute(WorkloadContext& context, Object& object) {
  if (object.phase != Phase::exchanging || object.missing != 0) return;
  object.phase = Phase::computing;
  context.compute(plan().compute_s(object.exchange % exchanges(), object.halo_bytes),
                  object.number);
}

void Stencil::on_compute_done(WorkloadContext& context, std::uint64_t number) {
  Object& object = hosted(static_cast<ObjectId>(number));
  object.state = StencilStates::next(object.state, std::exchange(object.consumed[0], 0));
  std::swap(object.consumed[0], object.consumed[1]);
  object.arrived[0] = std::exchange(object.arrived[1], 0);
  ++object.exchange;
  object.phase = Phase::reducing;
  if (object.exchange % exchanges() != 0) return begin_exchange(context, object);
  if (!plan().waits_for_all()) return end_iteration(context, object);
  contribute(context, object, object.state);
}

void Stencil::end_iteration(WorkloadContext& context, Object& object) {
  if (!plan().synchronization_after(iteration_of(object))) return go_on(context, object);
  object.phase = Phase::synchronizing;
  ++waiting_;
  synchronize(context);
}

void Stencil::go_on(WorkloadContext& context, Object& object) {
  if (iteration_of(object) < plan().options().iterations) return begin_exchange(context, object);
  object.phase = Phase::done;
  ++done_;
  finish_if_done(context);
}

/// An object that must synchronise at its end has already done so.
void Stencil::finish_if_done(WorkloadContext& context) {
  if (finished_ || done_ < objects_.size() || synchronization_ < plan().synchronizations()) return;
  finished_ = true;
  finish_s_ = context.now_s();
  context.ask(Family::message_logging, IterationsDone{plan().options().iterations});
  context.finish();
}

// ---- synchronisation points -------------------------------------------------------------------

/// Objects that go on from an earlier state can have results before this rank has all contributions
/// again. The rank is at the synchronisation point only with them.
bool Stencil::has_reduced() const {
  const std::uint64_t reductions =
      plan().waits_for_all() ? plan().iterations_at(synchronization_) : 0;
  return reduction_.completed() >= reductions && results_ >= reductions;
}

/// When all objects that are here wait, message logging takes a checkpoint. Without message logging
/// they wait for the objects of all other ranks.
void Stencil::synchronize(WorkloadContext& context) {
  if (synchronization_ == plan().synchronizations() || waiting_ < objects_.size() || asked_ ||
      !has_reduced())
    return;
  if (context.ask(Family::message_logging, CheckpointRequest{synchronization_})) {
    asked_ = true;
    context.declare_work(1);  // the rank goes on without a message
    return;
  }
  ++synchronization_;
  waiting_ = 0;
  for (Object& object : objects_) contribute(context, object, object.state);
}

void Stencil::on_answer(WorkloadContext& context, const StackRequest& answer) {
  if (!answer.is<CheckpointRequest>() || answer.get<CheckpointRequest>().number != synchronization_)
    return;
  ++synchronization_;
  waiting_ = 0;
  if (std::exchange(asked_, false)) context.declare_work(-1);
  for (Object& object : objects_)
    if (object.phase == Phase::synchronizing) go_on(context, object);
  if (objects_.empty() && synchronization_ < plan().synchronizations())
    synchronize(context);
  else
    finish_if_done(context);
}

// ---- seen from outside ------------------------------------------------------------------------

void Stencil::report(MetricTotals& totals) const {
  const std::uint32_t per_process = plan().options().objects_per_process;
  std::uint64_t iterations = 0;
  for (const Object& object : objects_) iterations += iteration_of(object);
  const double done = static_cast<double>(iterations) / per_process;
  totals.put(kIterations, done);
  totals.put_null(kSolution);  // unless a rank has finished
  if (finished_) totals.put(kSolution, finish_s_);
  if (!plan().is_extended()) return;
  report_messages(totals, done);
  report_states(totals);
}

/// The progress of an object is known, so messages that it has sent again after a recovery count
/// once.
void Stencil::report_messages(MetricTotals& totals, double iterations) const {
  std::uint64_t all = results_ * plan().options().objects_per_process;
  std::uint64_t remote = 0;
  for (const Object& object : objects_) {
    // An object of a rank that has not started waits for nothing.
    const bool has_begun = object.phase == Phase::computing ||
                           (object.phase == Phase::exchanging && object.missing > 0);
    const std::uint64_t begun = object.exchange + (has_begun ? 1 : 0);
    const Rank home = plan().home(object.number);
    for (std::size_t exchange = 0; exchange < exchanges(); ++exchange) {
      const std::uint64_t times = (begun + exchanges() - 1 - exchange) / exchanges();
      plan().for_each_neighbour(object.number, exchange, [&](const StencilPlan::Neighbour& to) {
        all += times;
        if (plan().home(to.object) != home) remote += times;
      });
    }
  }
  totals.put_weighted(kObjectMessages, static_cast<double>(all), iterations);
  totals.put_weighted(kRemote, static_cast<double>(remote), iterations);
}

/// Null unless a rank has finished.
void Stencil::report_states(MetricTotals& totals) const {
  totals.put_null(kIterationTime);
  totals.put_null(kDigest);
  if (!plan().ordered()) totals.put_null(kDifference);
  if (!finished_) return;
  totals.put(kIterationTime, finish_s_ / static_cast<double>(plan().options().iterations));
  std::uint64_t digest = 0;
  for (const Object& object : objects_) digest += StencilStates::share(object.number, object.state);
  totals.put(kDigest, digest & StencilStates::kBits);
  if (plan().ordered()) return;
  const std::vector<std::uint64_t>& right = job_->right_states(plan().options().iterations);
  for (std::uint32_t i = 0; i < plan().options().objects_per_process; ++i) {
    const ObjectId number = first_at_home() + i;
    digest -= StencilStates::share(number, right[number]);
  }
  totals.put(kDifference, digest & StencilStates::kBits);
}

std::string Stencil::waiting_for() const {
  const auto waits = std::find_if(objects_.begin(), objects_.end(),
                                  [](const Object& object) { return object.phase != Phase::done; });
  if (waits == objects_.end()) return {};
  const std::string iteration = "iteration " + std::to_string(iteration_of(*waits));
  std::string text = waits->phase == Phase::reducing
                         ? "the result of a reduction before " + iteration
                     : waits->phase == Phase::synchronizing
                         ? "the other objects before " + iteration
                         : std::to_string(waits->missing) + " halos of " + iteration;
  if (plan().options().objects_per_process > 1)
    text += " (object " + std::to_string(waits->number) + ")";
  return text;
}

}  // namespace faultline::workloads
