#include "protocols/message_logging/fast.hpp"

#include <algorithm>

namespace faultline {

namespace {

OptionSet<FastOptions> options() {
  OptionSet<FastOptions> set;
  add_logging_options(set);
  set.option("identifier", &FastOptions::identifier,
             {.doc = "identity of a message between two objects. `ssn`: a sequence number of the "
                     "sender, for programs that send in a fixed order; `iteration-type` and "
                     "`type-tag`: the program's tag and the kind of message",
              .source = "fast-message-logging section 4.1",
              .choices = {"ssn", "iteration-type", "type-tag"}});
  return set;
}

const Registered registered{registration<Fast>(
    {.family = Family::message_logging,
     .name = "fast",
     .summary = "messages are logged at their senders; programs that take them in by their tags "
                "need no more",
     .source = "fast-message-logging section 4, Algorithm 1",
     .traits = {.tolerates_faults = true,
                .needs_detection = true,
                .takes_images = true,
                .needs_order_free = true,
                .needs_no_layer_above = true},
     .message_kinds = logging_kinds(),
     .metrics = logging_metrics()},
    options())};

/// The first word of what the program says, its tag; counted from 1.
std::uint64_t tag_of(const Message& message) { return message.payload.get<std::uint64_t>() + 1; }

}  // namespace

Fast::Channel Fast::channel_of(const Message& message) const {
  const std::uint64_t kind =
      counts_ ? 0 : (static_cast<std::uint64_t>(message.channel) << 16U) + message.kind + 1;
  return {faultline::channel_of(message), kind};
}

// def Send(alpha, msg, beta), line 2
std::uint64_t Fast::identity(const Message& message) {
  return counts_ ? LoggedLayer::identity(message) : tag_of(message);
}

std::uint64_t Fast::identity_again(const Message& message, std::uint64_t number) const {
  return counts_ ? number : tag_of(message);
}

// def Receive(alpha, msg, beta), lines 17 to 22
CheckpointedLayer::Verdict Fast::admit_current(Context& context, Message& message) {
  if (!is_new(message)) return Verdict::discard;
  if (message.from != self()) ++peer(context, message.from).taken_in;
  return Verdict::deliver;
}

bool Fast::is_new(const Message& message) {
  constexpr std::uint64_t kBits = 64;
  const std::uint64_t number = message.logging.get<LoggingStamp>().id;
  Window& window = windows_[channel_of(message)];
  if (number > window.latest) {
    const std::uint64_t ahead = number - window.latest;
    window.before = ahead >= kBits ? 0 : window.before << ahead;
    if (window.latest > 0 && ahead <= kBits) window.before |= std::uint64_t{1} << (ahead - 1);
    window.latest = number;
    return true;
  }
  const std::uint64_t behind = window.latest - number;
  if (behind == 0 || behind > kBits) return false;
  const std::uint64_t bit = std::uint64_t{1} << (behind - 1);
  if ((window.before & bit) != 0) return false;
  window.before |= bit;
  return true;
}

// def Checkpoint, line 28
void Fast::on_committed(Context& context) {
  LoggedLayer::on_committed(context);
  windows_.reset();
}

void Fast::digest_state(Digest& into) const {
  LoggedLayer::digest_state(into);
  into.add(windows_);
}

}  // namespace faultline
