// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/safra.hpp"

#include "protocols/termination/detector_statistics.hpp"

namespace faultline::termination {

namespace {

enum Kind : std::uint16_t { kToken, kAnnounce };

const Registered registered{registration<Safra>(
    {.family = Family::termination,
     .name = "safra",
     .summary = "a token sums up messages on a ring, and processes that receive some blacken it",
     .source = "Dijkstra, EWD998: Shmuel Safra's version of termination detection, 1987",
     .traits = TerminationTraits{.announces = true},
     .message_kinds = {"token", "announce"},
     .metrics = detector_metrics(),
     .properties = {{.name = "ewd998",
                     .doc = "messages on their way are what all processes have counted, and what "
                            "the token says is true or proves nothing",
                     .holds = Safra::is_sound}}},
    OptionSet<SafraOptions>().option(
        "control_bytes", &SafraOptions::control_bytes,
        {.doc = "size of a control message", .unit = "B", .source = "assumed: two words"}))};

}  // namespace

// The root begins as if a probe had just failed: its black token proves nothing.
Safra::Safra(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
    : control_bytes_(options->control_bytes),
      tree_{job.processes},
      self_(self),
      has_token_(self == 0),
      token_{.black = 1} {}

std::unique_ptr<Component> Safra::clone() const { return std::make_unique<Safra>(*this); }

// A message is counted where it is sent ...
void Safra::on_sends(TerminationContext& context, std::span<Message* const> batch, bool) {
  c_ += static_cast<std::int64_t>(batch.size());
  for (Message* message : batch) context.forward(*message);
}

// ... and where it is received, which makes the process black.
Passage Safra::on_receive(TerminationContext&, Message&) {
  --c_;
  black_ = true;
  return Passage::deliver;
}

// The token stays with an active process until it is passive.
void Safra::on_idle(TerminationContext& context) {
  if (has_token_) hand_on(context);
}

void Safra::on_message(TerminationContext& context, const Message& message) {
  if (message.kind == kAnnounce) {
    tree_.announce(context, kAnnounce, control_bytes_);
    return;
  }
  token_ = message.payload.get<Token>();
  has_token_ = true;
  if (!context.active()) hand_on(context);
}

// The token takes on the count and the colour of the process, which is white again.
void Safra::hand_on(TerminationContext& context) {
  if (is_root()) {
    const bool proved = token_.black == 0 && !black_ && c_ + token_.q == 0;
    if (!proved) return begin_probe(context);
    has_token_ = false;
    tree_.announce(context, kAnnounce, control_bytes_);
    return;
  }
  token_.q += c_;
  if (black_) token_.black = 1;
  send_token(context, self_ - 1);
}

// A probe that has proved nothing is followed by another, with a white token.
void Safra::begin_probe(TerminationContext& context) {
  ++waves_;
  token_ = {};
  send_token(context, tree_.processes - 1);
}

void Safra::send_token(TerminationContext& context, Rank to) {
  black_ = false;
  has_token_ = false;
  context.send(to, kToken, control_bytes_).payload.put(token_);
}

void Safra::report(MetricTotals& totals) const {
  DetectorStatistics{.waves = waves_}.report(totals);
}

// The token is part of the state while it is here. Waves are counted for the report.
void Safra::digest_state(Digest& into) const {
  into.add(c_, black_, has_token_);
  if (has_token_) into.add(token_.q, token_.black);
}

// The token is at process t or on its way to it, and those above t have been visited. P1: they are
// passive, and q is their count; or, P2 to P4, this visit will prove nothing, because messages are
// on their way to those below, one of these is black, or the token is.
bool Safra::is_sound(const WholeState& whole) {
  std::int64_t on_their_way = 0;
  const Token* token = nullptr;
  Token sent;
  Rank t = 0;
  for (const Message* message : whole.messages()) {
    if (message->channel == Family::workload) ++on_their_way;
    if (message->channel != Family::termination || message->kind != kToken) continue;
    sent = message->payload.get<Token>();
    token = &sent;
    t = message->to;
  }
  std::int64_t counted = 0;
  for (Rank rank = 0; rank < whole.processes(); ++rank) {
    const auto& process = whole.as<Safra>(rank);
    counted += process.c_;
    if (!process.has_token_) continue;
    token = &process.token_;
    t = rank;
  }
  if (counted != on_their_way) return false;  // P0
  if (token == nullptr || token->black != 0) return true;
  std::int64_t above = 0;
  bool passive = true;
  bool black = false;
  for (Rank rank = 0; rank < whole.processes(); ++rank) {
    const auto& process = whole.as<Safra>(rank);
    if (rank <= t) {
      black = black || process.black_;
    } else {
      above += process.c_;
      passive = passive && !whole.active(rank);
    }
  }
  return (passive && above == token->q) || counted - above + token->q > 0 || black;
}

std::string Safra::waiting_for() const { return has_token_ ? "passivity" : "the token"; }

}  // namespace faultline::termination
