// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/checkpointed_layer.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/checkpoint_request.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/iterations_done.hpp"

namespace faultline {

namespace {

constexpr MetricSpec kCheckpointTime{"checkpoint_time_s", Merge::mean,
                                     "from the image of a rank until its program goes on"};
constexpr MetricSpec kRecoveryTime{
    "recovery_time_s", Merge::maximum,
    "from a death until all ranks are where they were, as far as others know"};

constexpr Mark kCheckpointMark{
    "checkpoint", "a rank has taken its image: how many checkpoints were committed before"};
constexpr Mark kRecoveryMark{"recovery",
                             "a restarted process begins to recover: its incarnation, from 1"};
constexpr Mark kRecoveredMark{
    "recovered", "a process, or an object, is where it was: how many restarts there have been"};

/// The layer asks itself to go on when the program has handled its answer.
struct Resume {
  static constexpr std::uint16_t kRequest = 2;
  std::uint64_t unused = 0;
};

/// The layer asks whether there is such a component. Nobody answers.
struct Presence {
  static constexpr std::uint16_t kRequest = 4;
  std::uint64_t unused = 0;
};

/// The level of what is about checkpoints, or 0.
std::uint64_t level_of(const Message& message) { return message.payload.get<RoundStep>().level; }

}  // namespace

std::vector<std::string> checkpoint_kinds(const std::vector<std::string>& own) {
  std::vector<std::string> kinds{"ready",    "take",   "stored", "commit",       "restarted",
                                 "reported", "agreed", "image",  "image-stored", "your-image"};
  kinds.insert(kinds.end(), own.begin(), own.end());
  return kinds;
}

MetricSpecs checkpoint_metrics(const MetricSpecs& own) {
  MetricSpecs metrics{&kCheckpointTime, &kRecoveryTime};
  metrics.insert(metrics.end(), own.begin(), own.end());
  return metrics;
}

Marks checkpoint_marks() { return {&kCheckpointMark, &kRecoveryMark, &kRecoveredMark}; }

CheckpointedLayer::CheckpointedLayer(const CheckpointOptions& options, const JobShape& job,
                                     Rank self)
    : control_bytes_(options.control_bytes),
      self_(self),
      rare_(std::make_unique<RareState>(options, job, self)) {}

void CheckpointedLayer::start(Context& context) {
  has_detector_ = context.ask(Family::termination, Presence{});
  if (context.incarnation() == 0) {
    up_ = true;
    return;
  }
  context.mark(kRecoveryMark, context.incarnation());
  go_on(context, rare_->wave.begin(context, context.death_s()));
}

// ---- messages of the program ------------------------------------------------------------------

/// What came before and can be handed up goes first.
Passage CheckpointedLayer::on_receive(Context& context, Message& message) {
  const bool is_next = held_.empty() || !hands_up_singly();
  if (hands_up() && is_next) return pass(context, message, admit(context, message));
  if (is_next)
    on_early(context, message);
  else
    hand_up_later(context);
  return pass(context, message, Verdict::hold);
}

Passage CheckpointedLayer::pass(Context& context, Message& message, Verdict verdict) {
  if (verdict == Verdict::deliver) return Passage::deliver;
  if (verdict == Verdict::discard) context.discard(message);
  if (verdict == Verdict::hold) held_.push_back(message);
  return Passage::hold;
}

void CheckpointedLayer::release_held(Context& context) {
  if (held_.empty()) return;
  if (hands_up_singly()) return hand_up_later(context);
  for (Message& message : std::exchange(held_, {})) {
    const Verdict verdict = hands_up() ? admit(context, message) : Verdict::hold;
    if (verdict == Verdict::deliver) context.deliver(message);
    if (verdict == Verdict::discard) context.discard(message);
    if (verdict == Verdict::hold) held_.push_back(std::move(message));
  }
}

/// The program gets its answer first, and what has been held then: its state when it goes on must
/// not depend on what came early.
void CheckpointedLayer::resume(Context& context) {
  resumes_ = true;
  end_quiet(context);
  context.answer(kept().request, CheckpointRequest{kept().number});
  context.ask(Family::message_logging, Resume{});
}

// ---- checkpoints ------------------------------------------------------------------------------

void CheckpointedLayer::on_request(Context& context, const StackRequest& request) {
  if (request.is<Resume>()) {
    resumes_ = false;
    return on_resumed(context);
  }
  if (request.is<IterationsDone>()) {
    rare_->iterations = request.get<IterationsDone>().iterations;
    return;
  }
  if (!up_) return;  // of a program that is about to be put back
  invariant(request.get<CheckpointRequest>().number == epoch_,
            "a program asks for another checkpoint than the next");
  rare_->asked = request;
  on_asked(context);
  ask_if_ready(context);
}

void CheckpointedLayer::ask_if_ready(Context& context) {
  if (!rare_->asked || rare_->round.asked() || rare_->wave.joined() != level() || !is_ready())
    return;
  go_on(context, has_detector_ ? rare_->round.ask(context)
                               : rare_->round.ask(context, rare_->sent - rare_->received));
}

void CheckpointedLayer::go_on(Context& context, CheckpointRound::Due due) {
  if (due == CheckpointRound::Due::be_quiet) {
    quiet_ = true;
    return go_on(context, rare_->round.is_quiet(context, rare_->sent - rare_->received));
  }
  if (due == CheckpointRound::Due::take) take_image(context);
  if (due != CheckpointRound::Due::commit) return;
  commit(context);
  resume(context);
}

/// If something of the program is still under way, the image is taken later.
void CheckpointedLayer::take_image(Context& context) {
  std::optional<Image> image = context.capture();
  rare_->take_due = !image;
  if (!image) return context.set_timer(kTryAgain, kTryAgain_s);
  rare_->taken = {{std::move(*image), epoch_, *rare_->asked, rare_->unsent, all_deliveries()}, {}};
  rare_->taken_s = context.now_s();
  context.mark(kCheckpointMark, static_cast<std::int64_t>(epoch_));
  const Rank keeper = keeper_of(context.placement(), job(), self_);
  if (keeper == kNobody) return go_on(context, rare_->round.stored(context));
  rare_->taken->keeper = context.known(keeper);
  send_image(context, *rare_->taken, false);
}

void CheckpointedLayer::on_timer(Context& context, std::uint64_t key) {
  if (key == kTryAgain && rare_->take_due && rare_->wave.joined() == level()) take_image(context);
  // All components have started, and the program has asked for nothing: it never does.
  if (key == kBegin && !begun_ && !waits() && up_) send_unsent(context);
  if (key == kHandUp && hands_up()) {
    if (hand_up_next(context) || release_one_held(context))
      hand_up_later(context);
    else
      ask_if_ready(context);  // what was handed up last has been handled
  }
  if (key == kStarted) {
    starts_ = false;
    release_held(context);
  }
}

/// Objects say how large they are.
std::uint64_t CheckpointedLayer::bytes_of(const Checkpoint& checkpoint) const {
  std::uint64_t bytes = 0;
  for (const ObjectId object : checkpoint.image.objects())
    bytes += checkpoint.image.pack(object).bytes;
  if (bytes == 0) bytes = rare_->image_bytes;
  for (const Message& message : checkpoint.unsent) bytes += message.bytes;
  return bytes + control_bytes_;
}

void CheckpointedLayer::send_image(Context& context, const OwnImage& own, bool committed) {
  Message& message = context.send(own.keeper.actor, kImage, bytes_of(own.checkpoint));
  message.payload.put(ImageWords{{own.checkpoint.number, level()}, committed ? 1U : 0U});
  context.attach(message, own.checkpoint);
}

void CheckpointedLayer::on_image(Context& context, const Message& message) {
  const auto* checkpoint = context.attached<Checkpoint>(message);
  keep_image({message.from, message.from_incarnation}, *checkpoint);
  context.send(message.from, kImageStored, control_bytes_)
      .payload.put(RoundStep{checkpoint->number, level()});
}

void CheckpointedLayer::commit(Context& context) {
  invariant(rare_->taken && rare_->taken->checkpoint.number == epoch_,
            "a checkpoint is committed without an image");
  rare_->kept = std::exchange(rare_->taken, std::nullopt);
  rare_->asked.reset();
  rare_->store.commit(epoch_);
  ++epoch_;
  rare_->sent = rare_->received = 0;
  rare_->checkpoint_time_s += context.now_s() - rare_->taken_s;
  ++rare_->checkpoints;
  begin_round();
  on_committed(context);
}

void CheckpointedLayer::begin_round() {
  rare_->round.begin({epoch_, level()});
  rare_->take_due = false;
}

// ---- messages of this layer -------------------------------------------------------------------

/// What an old incarnation has sent is about a state that is gone.
void CheckpointedLayer::on_message(Context& context, const Message& message) {
  if (is_of_old_incarnation(context, message)) return;
  if (message.kind >= kOwnKinds) return on_own_message(context, message);
  if (message.kind >= CheckpointRound::kKinds && message.kind < RestartWave::kKinds)
    return go_on(context, rare_->wave.on_message(context, message));
  if (message.kind == kImage && message.payload.get<ImageWords>().committed == 1)
    return rare_->store.put_committed({message.from, message.from_incarnation},
                                      *context.attached<Checkpoint>(message));
  if (message.kind == kYourImage) return on_your_image(context, message);
  if (level_of(message) > level())
    rare_->early.push_back(message);
  else
    handle_step(context, message);
}

/// While a restart is being agreed on, the round is void.
void CheckpointedLayer::handle_step(Context& context, const Message& message) {
  const auto step = message.payload.get<RoundStep>();
  if (step.level < level() || rare_->wave.joined() > level()) return;
  if (message.kind == kImage) return on_image(context, message);
  if (step.number != epoch_) return;
  if (message.kind == kImageStored)
    go_on(context, rare_->round.stored(context));
  else
    go_on(context, rare_->round.on_message(context, message));
}

// ---- restarts ---------------------------------------------------------------------------------

/// Everybody who hears of a rank's death asks for the restart, so that it does not matter who dies
/// next. The resource manager grants one.
void CheckpointedLayer::on_peer_failed(Context& context, Incarnation peer) {
  if (peer.actor < job().processes)  // a daemon comes back with its ranks
    context.restart(peer, RestartOn::same_node);
}

void CheckpointedLayer::on_restart_refused(Context& context, Incarnation peer) {
  if (std::find(rare_->for_spare_nodes.begin(), rare_->for_spare_nodes.end(), peer) !=
      rare_->for_spare_nodes.end())
    return context.fatal("no node is left for a rank that has died");
  rare_->for_spare_nodes.push_back(peer);
  context.restart(peer, RestartOn::spare_node);
}

void CheckpointedLayer::on_peer_restarted(Context& context, Incarnation) {
  go_on(context, rare_->wave.on_peer_restarted(context));
}

void CheckpointedLayer::go_on(Context& context, RestartWave::Due due) {
  if (due == RestartWave::Due::report) join(context);
  if (due == RestartWave::Due::agreed) agree(context);
}

void CheckpointedLayer::join(Context& context) {
  RestartReport own;
  own.epoch = epoch_;
  if (rare_->arrived) {  // of a checkpoint that was committed
    own.epoch = std::max(epoch_, rare_->arrived->checkpoint.number + 1);
    own.images.push_back({self_, rare_->arrived->checkpoint.number});
  }
  for (const KeptImages& kept : rare_->store.clients()) {
    if (context.known(kept.client).number == 0) continue;
    if (kept.committed) own.images.push_back({kept.client, kept.committed->number});
    if (kept.pending) own.images.push_back({kept.client, kept.pending->number});
  }
  on_joined(context, rare_->wave.root(), own);
  may_repeat_ = true;
  go_on(context, rare_->wave.report(context, own));
}

void CheckpointedLayer::agree(Context& context) {
  const RestartAgreement& agreement = rare_->wave.agreement();
  if (!up_) {
    epoch_ = agreement.epoch;
    begin_round();
    if (rare_->wave.root() == self_) on_reports(context, rare_->wave.reports());
    await_image(context);
  } else {
    if (epoch_ < agreement.epoch) {
      commit(context);
      if (!rolls_back()) resume(context);
    }
    invariant(epoch_ == agreement.epoch, "ranks have committed different checkpoints");
    rare_->taken.reset();
    rare_->store.drop_pending();
    begin_round();
    if (!rolls_back()) end_quiet(context);
    renew_copy(context);
    on_agreed(context);
    ask_if_ready(context);
  }
  serve_clients(context);
  for (const Message& message : std::exchange(rare_->early, {})) on_message(context, message);
}

/// The keeper has restarted, and has lost the image.
void CheckpointedLayer::renew_copy(Context& context) {
  if (!rare_->kept || rare_->kept->keeper.actor == kNobody) return;
  const Incarnation now = context.known(rare_->kept->keeper.actor);
  if (now == rare_->kept->keeper) return;
  rare_->kept->keeper = now;
  send_image(context, *rare_->kept, true);
}

void CheckpointedLayer::serve_clients(Context& context) {
  for (KeptImages& kept : rare_->store.clients()) {
    const Incarnation client = context.known(kept.client);
    if (client.number <= kept.sent_to || !kept.committed) continue;
    kept.sent_to = client.number;
    Message& message = context.send(client.actor, kYourImage, bytes_of(*kept.committed));
    message.payload.put(RoundStep{kept.committed->number, level()});
    context.attach(message, *kept.committed);
  }
}

/// What has come for a program that begins anew waits until it has started. A program that never
/// asks for a checkpoint gets no answer after which it could come.
void CheckpointedLayer::await_image(Context& context) {
  if (epoch_ == 0) {
    context.start_above();
    up_ = true;
    starts_ = !held_.empty();
    if (starts_) context.set_timer(kStarted, 0.0);
    return on_up(context);
  }
  if (rare_->arrived && rare_->arrived->checkpoint.number + 1 == epoch_)
    return take_arrived(context);
  const std::vector<Rank>& have = rare_->wave.agreement().have_images;
  if (std::find(have.begin(), have.end(), self_) == have.end())
    return context.fatal("a rank has died, and so has the keeper of its image");
  awaits_image_ = true;
}

/// It can come before this rank knows what has been agreed on. If its keeper dies then, this rank
/// alone has it.
void CheckpointedLayer::on_your_image(Context& context, const Message& message) {
  if (up_) return;
  rare_->arrived = {*context.attached<Checkpoint>(message),
                    {message.from, message.from_incarnation}};
  if (awaits_image_ && rare_->arrived->checkpoint.number + 1 == epoch_) take_arrived(context);
}

void CheckpointedLayer::take_arrived(Context& context) {
  awaits_image_ = false;
  rare_->kept = std::exchange(rare_->arrived, std::nullopt);
  renew_copy(context);
  put_back(context);
}

void CheckpointedLayer::roll_back(Context& context) {
  if (!rare_->kept) return;
  rare_->asked.reset();
  up_ = resumes_ = false;
  put_back(context);
}

void CheckpointedLayer::put_back(Context& context) {
  rare_->unsent = kept().unsent;
  quiet_ = false;
  begun_ = true;
  rare_->sent = rare_->received = 0;
  context.restore(kept().image);
}

void CheckpointedLayer::on_restored(Context& context) {
  up_ = true;
  on_up(context);
  resumes_ = true;
  if (goes_on_at_once(context)) resume(context);
}

// ---- seen from outside ------------------------------------------------------------------------

void CheckpointedLayer::recovered(Context& context, double death_s) {
  context.mark(kRecoveredMark, static_cast<std::int64_t>(level()));
  std::optional<double>& longest_s = rare_->recovery_time_s;
  longest_s = std::max(longest_s.value_or(0.0), context.now_s() - death_s);
}

/// A rank that dies after its end, and comes back, does so twice.
double CheckpointedLayer::iterations_to_report(MetricTotals& totals) const {
  if (rare_->iterations == 0 || totals.numbers().add(self_, self_ + 1) == 0) return 0.0;
  return static_cast<double>(rare_->iterations);
}

void CheckpointedLayer::report(MetricTotals& totals) const {
  totals.put_weighted(kCheckpointTime, rare_->checkpoint_time_s,
                      static_cast<double>(rare_->checkpoints));
  if (rare_->recovery_time_s)
    totals.put(kRecoveryTime, *rare_->recovery_time_s);
  else
    totals.put_null(kRecoveryTime);
}

std::string CheckpointedLayer::waiting_for() const {
  if (rare_->wave.joined() > level()) return "the other ranks to agree on a restart";
  if (awaits_image_) return "its image";
  if (!up_) return "its restart";
  if (rare_->asked) return "checkpoint " + std::to_string(epoch_);
  return {};
}

void CheckpointedLayer::digest_state(Digest& into) const {
  into.add(rare_->round, rare_->wave, epoch_, up_, resumes_, awaits_image_, rare_->asked,
           rare_->taken, rare_->kept, rare_->store, rare_->early);
  into.add(rare_->arrived, held_, rare_->take_due, rare_->for_spare_nodes);
  into.add(begun_, quiet_, starts_, rare_->unsent, rare_->sent, rare_->received);
}

}  // namespace faultline
