// SPDX-License-Identifier: Apache-2.0
#include "protocols/checkpoints/image_checkpoints.hpp"

#include <algorithm>
#include <utility>

#include "protocols/checkpoints/keeper.hpp"
#include "sim/core/checkpoint_request.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::checkpoints {

namespace {

/// The incarnation that has sent a message.
Incarnation sender_of(const Message& message) { return {message.from, message.from_incarnation}; }

}  // namespace

ImageCheckpoints::ImageCheckpoints(const CheckpointOptions& options, const JobShape& job, Rank self)
    : job_(job),
      self_(self),
      control_bytes_(options.control_bytes),
      image_bytes_(options.image_bytes),
      round_(job.processes, self, options.control_bytes) {}

// ---- to take one ------------------------------------------------------------------------------

void ImageCheckpoints::ask(const StackRequest& request) {
  invariant(request.get<CheckpointRequest>().number == epoch_,
            "a program asks for another checkpoint than the next");
  asked_ = request;
}

ImageCheckpoints::Due ImageCheckpoints::take(RecoveryContext& context, const BesideImage& beside) {
  std::optional<Image> image = context.capture(due_ ? Moment::any : Moment::between_work);
  still_to_take_ = !image;
  if (!image) return Due::nothing;
  taken_ = {.checkpoint = {std::move(*image), epoch_, asked_, beside.unsent, beside.deliveries}};
  times_.begin(context.now_s());
  context.mark(kCheckpointMark, static_cast<std::int64_t>(epoch_));
  const Rank keeper = keeper_of(context.placement(), job_, self_);
  if (keeper == kNobody) return round_.stored(context);
  taken_->keeper = context.known(keeper);
  send_copy(context, *taken_, false);
  return Due::nothing;
}

ImageCheckpoints::Due ImageCheckpoints::on_message(RecoveryContext& context,
                                                   const Message& message) {
  if (message.kind == CheckpointMessage::image) {
    keep(context, message);
    return Due::nothing;
  }
  if (message.payload.get<RoundStep>().number != epoch_) return Due::nothing;
  return message.kind == CheckpointMessage::image_stored ? round_.stored(context)
                                                         : round_.on_message(context, message);
}

/// A program says how large its state is, or its objects do.
std::uint64_t ImageCheckpoints::bytes_of(const Checkpoint& checkpoint) const {
  std::uint64_t bytes = checkpoint.request ? checkpoint.request->get<CheckpointRequest>().bytes : 0;
  for (const ObjectId object : checkpoint.image.objects())
    bytes += checkpoint.image.pack(object).bytes;
  if (bytes == 0) bytes = image_bytes_;
  for (const Message& message : checkpoint.unsent) bytes += message.bytes;
  return bytes + control_bytes_;
}

void ImageCheckpoints::send_copy(RecoveryContext& context, const OwnImage& own,
                                 bool committed) const {
  Message& message =
      context.send(own.keeper.actor, CheckpointMessage::image, bytes_of(own.checkpoint));
  message.payload.put(ImageWords{{own.checkpoint.number, level()}, committed ? 1U : 0U});
  context.attach(message, own.checkpoint);
}

void ImageCheckpoints::keep(RecoveryContext& context, const Message& message) {
  const auto* checkpoint = context.attached<Checkpoint>(message);
  store_.put_pending(sender_of(message), *checkpoint);
  context.send(message.from, CheckpointMessage::image_stored, control_bytes_)
      .payload.put(RoundStep{checkpoint->number, level()});
}

void ImageCheckpoints::commit(RecoveryContext& context, std::uint64_t level) {
  invariant(taken_ && taken_->checkpoint.number == epoch_,
            "a checkpoint is committed without an image");
  kept_ = std::exchange(taken_, std::nullopt);
  forget_request();
  store_.commit(epoch_);
  ++epoch_;
  times_.end(context.now_s());
  begin_round(level);
}

void ImageCheckpoints::begin_round(std::uint64_t level) {
  round_.begin({epoch_, level});
  still_to_take_ = false;
}

// ---- restarts ---------------------------------------------------------------------------------

ImageCheckpoints::Known ImageCheckpoints::known(const RecoveryContext& context) const {
  Known all{.epoch = epoch_, .images = {}};
  if (arrived_) {  // of a checkpoint that was committed
    all.epoch = std::max(epoch_, arrived_->checkpoint.number + 1);
    all.images.push_back({self_, arrived_->checkpoint.number});
  }
  for (const KeptImages& kept : store_.clients()) {
    if (context.known(kept.rank).number == 0) continue;
    if (kept.committed) all.images.push_back({kept.rank, kept.committed->number});
    if (kept.pending) all.images.push_back({kept.rank, kept.pending->number});
  }
  return all;
}

void ImageCheckpoints::drop_round() {
  taken_.reset();
  store_.drop_pending();
}

void ImageCheckpoints::renew_copy(RecoveryContext& context) {
  if (!kept_ || kept_->keeper.actor == kNobody) return;
  const Incarnation now = context.known(kept_->keeper.actor);
  if (now == kept_->keeper) return;
  kept_->keeper = now;
  send_copy(context, *kept_, true);
}

void ImageCheckpoints::serve_clients(RecoveryContext& context) {
  for (KeptImages& kept : store_.clients()) {
    const Incarnation client = context.known(kept.rank);
    if (client.number <= kept.sent_to || !kept.committed) continue;
    kept.sent_to = client.number;
    Message& message =
        context.send(client.actor, CheckpointMessage::your_image, bytes_of(*kept.committed));
    message.payload.put(RoundStep{kept.committed->number, level()});
    context.attach(message, *kept.committed);
  }
}

void ImageCheckpoints::keep_renewed(RecoveryContext& context, const Message& message) {
  store_.put_committed(sender_of(message), *context.attached<Checkpoint>(message));
}

void ImageCheckpoints::on_your_image(RecoveryContext& context, const Message& message) {
  arrived_ = {.checkpoint = *context.attached<Checkpoint>(message), .keeper = sender_of(message)};
}

bool ImageCheckpoints::take_arrived(RecoveryContext& context) {
  if (!arrived_ || arrived_->checkpoint.number + 1 != epoch_) return false;
  kept_ = std::exchange(arrived_, std::nullopt);
  renew_copy(context);
  return true;
}

// ---- seen from outside ------------------------------------------------------------------------

void ImageCheckpoints::report(MetricTotals& totals) const {
  times_.report(kCheckpointTime, totals);
}

}  // namespace faultline::checkpoints
