#include "sim/core/operations.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace faultline {

namespace {

/// The payload of a message.
struct Envelope {
  std::uint32_t tag = 0;
  std::uint32_t epoch = 0;
  OperationData data = {};
};
static_assert(sizeof(Envelope) == Payload::kBytes);

}  // namespace

// ---- what the program asks for ----------------------------------------------------------------

Operation Operations::send(Context& context, ActorId peer, std::uint32_t tag, std::uint32_t bytes,
                           double timeout_s, const OperationData& data) {
  Record record{.number = ++latest_, .peer = peer, .tag = tag};
  if (heard_of(peer).dead) {
    record.state = OperationState::failed;
  } else {
    Message& message = context.send(peer, keys_.message_kind, bytes);
    message.flags |= kNotifySent;
    message.payload.put(Envelope{tag, epoch_, data});
    leaving_.push_back({peer, record.number});
  }
  return add(context, record, timeout_s);
}

Operation Operations::receive(Context& context, ActorId peer, std::uint32_t tag, double timeout_s) {
  Record record{.number = ++latest_, .peer = peer, .tag = tag, .is_receive = true};
  const auto early = std::find_if(early_.begin(), early_.end(), [&](const Early& message) {
    return message.from.actor == peer && message.tag == tag && message.epoch == epoch_;
  });
  if (early != early_.end()) {
    record.data = early->data;
    record.state = OperationState::done;
    early_.erase(early);
  } else if (heard_of(peer).dead) {
    record.state = OperationState::failed;
  }
  return add(context, record, timeout_s);
}

Operation Operations::add(Context& context, Record record, double timeout_s) {
  ++counts_[static_cast<std::size_t>(record.state)];
  if (record.state == OperationState::pending && timeout_s != kNever) {
    record.deadline_s = context.now_s() + timeout_s;
    ++with_deadline_;
    if (record.deadline_s < timer_due_s_) set_timer(context, record.deadline_s);
  }
  records_.push_back(record);
  return record.number;
}

void Operations::cancel(Context& context, Operation operation) {
  Record* record = find(operation);
  if (record != nullptr && record->state == OperationState::pending)
    end(context, *record, OperationState::cancelled);
}

void Operations::cancel_all(Context& context) {
  for (Record& record : records_)
    if (record.state == OperationState::pending) end(context, record, OperationState::cancelled);
}

void Operations::raise(Context& context, Operation operation) {
  Record* record = find(operation);
  if (record == nullptr) return;
  if (record->state == OperationState::pending)
    end(context, *record, OperationState::failed);
  else if (record->state == OperationState::done)
    change(*record, OperationState::failed);
}

void Operations::enter_epoch(Context& context, std::uint32_t epoch) {
  if (epoch <= epoch_)
    throw std::invalid_argument("epoch " + std::to_string(epoch) + " of operations after epoch " +
                                std::to_string(epoch_));
  cancel_all(context);
  epoch_ = epoch;
  std::erase_if(early_, [epoch](const Early& message) { return message.epoch < epoch; });
}

void Operations::begin_again(Context& context) {
  cancel_all(context);
  Operations again(keys_);
  again.heard_ = std::move(heard_);
  *this = std::move(again);
}

void Operations::forget_ended() {
  std::erase_if(records_,
                [](const Record& record) { return record.state != OperationState::pending; });
  const std::uint32_t pending = count(OperationState::pending);
  counts_ = {};
  counts_[static_cast<std::size_t>(OperationState::pending)] = pending;
}

// ---- how an operation ends --------------------------------------------------------------------

/// Only of what is pending. The timer would keep a run alive that nothing else keeps.
void Operations::end(Context& context, Record& record, OperationState state) {
  change(record, state);
  if (record.deadline_s == kNever || --with_deadline_ > 0 || timer_due_s_ == kNever) return;
  context.cancel_timer(keys_.timer_key);
  timer_due_s_ = kNever;
}

void Operations::change(Record& record, OperationState state) {
  --counts_[static_cast<std::size_t>(record.state)];
  ++counts_[static_cast<std::size_t>(state)];
  record.state = state;
}

void Operations::set_timer(Context& context, double deadline_s) {
  timer_due_s_ = deadline_s;
  context.set_timer(keys_.timer_key, std::max(0.0, deadline_s - context.now_s()));
}

// ---- events -----------------------------------------------------------------------------------

bool Operations::on_message(Context& context, const Message& message) {
  if (message.kind != keys_.message_kind) return false;
  const auto [tag, epoch, data] = message.payload.get<Envelope>();
  const Incarnation from{message.from, message.from_incarnation};
  if (epoch < epoch_ || from.number < heard_of(from.actor).peer.number) return true;
  if (epoch == epoch_)
    for (Record& record : records_)
      if (record.state == OperationState::pending && record.is_receive &&
          record.peer == from.actor && record.tag == tag) {
        record.data = data;
        end(context, record, OperationState::done);
        return true;
      }
  early_.push_back({from, epoch, tag, data});
  return true;
}

bool Operations::on_sent(Context& context, ActorId to, std::uint16_t kind) {
  if (kind != keys_.message_kind) return false;
  const auto left = std::find_if(leaving_.begin(), leaving_.end(),
                                 [to](const Leaving& message) { return message.peer == to; });
  if (left == leaving_.end()) return true;
  Record* record = find(left->send);
  leaving_.erase(left);
  if (record != nullptr && record->state == OperationState::pending)
    end(context, *record, OperationState::done);
  return true;
}

bool Operations::on_timer(Context& context, std::uint64_t key) {
  if (key != keys_.timer_key) return false;
  const double due_s = std::exchange(timer_due_s_, kNever);
  if (due_s == kNever) return true;
  double next_s = kNever;
  for (Record& record : records_) {
    if (record.state != OperationState::pending) continue;
    if (record.deadline_s <= due_s)
      end(context, record, OperationState::timed_out);
    else
      next_s = std::min(next_s, record.deadline_s);
  }
  if (next_s != kNever) set_timer(context, next_s);
  return true;
}

bool Operations::on_peer_failed(Context& context, Incarnation peer) {
  // If it has restarted meanwhile, its earlier life has been dealt with.
  return peer.number >= heard_of(peer.actor).peer.number && hear(context, {peer, true});
}

bool Operations::on_peer_restarted(Context& context, Incarnation peer) {
  return peer.number > heard_of(peer.actor).peer.number && hear(context, {peer, false});
}

// A layer that recovers a peer keeps this component from hearing of its death and restart, and then
// all incarnations of the peer are one. Hence nothing here asks the context for incarnations.

/// True if an operation has failed because of the news.
bool Operations::hear(Context& context, const Heard& news) {
  const Incarnation peer = news.peer;
  const auto place =
      std::lower_bound(heard_.begin(), heard_.end(), peer.actor,
                       [](const Heard& entry, ActorId actor) { return entry.peer.actor < actor; });
  if (place != heard_.end() && place->peer.actor == peer.actor)
    *place = news;
  else
    heard_.insert(place, news);
  std::erase_if(early_, [peer](const Early& message) {
    return message.from.actor == peer.actor && message.from.number < peer.number;
  });
  bool any = false;
  for (Record& record : records_) {
    if (record.state != OperationState::pending || record.peer != peer.actor) continue;
    end(context, record, OperationState::failed);
    any = true;
  }
  return any;
}

Operations::Heard Operations::heard_of(ActorId peer) const {
  const auto place =
      std::lower_bound(heard_.begin(), heard_.end(), peer,
                       [](const Heard& entry, ActorId actor) { return entry.peer.actor < actor; });
  if (place != heard_.end() && place->peer.actor == peer) return *place;
  return {{peer, 0}, false};
}

// ---- how they stand ---------------------------------------------------------------------------

const Operations::Record* Operations::find(Operation operation) const {
  const auto place = std::lower_bound(
      records_.begin(), records_.end(), operation,
      [](const Record& record, Operation number) { return record.number < number; });
  return place != records_.end() && place->number == operation ? &*place : nullptr;
}

Operations::Record* Operations::find(Operation operation) {
  return const_cast<Record*>(std::as_const(*this).find(operation));
}

const Operations::Record& Operations::at(Operation operation) const {
  const Record* record = find(operation);
  if (record == nullptr)
    throw std::out_of_range("there is no operation " + std::to_string(operation));
  return *record;
}

OperationState Operations::state(Operation operation) const { return at(operation).state; }

const OperationData& Operations::data(Operation operation) const { return at(operation).data; }

bool Operations::all_done(std::span<const Operation> operations) const {
  return std::all_of(operations.begin(), operations.end(), [this](Operation operation) {
    return state(operation) == OperationState::done;
  });
}

bool Operations::any_failed(std::span<const Operation> operations) const {
  return std::any_of(operations.begin(), operations.end(), [this](Operation operation) {
    const OperationState now = state(operation);
    return now == OperationState::failed || now == OperationState::timed_out;
  });
}

bool Operations::none_pending(std::span<const Operation> operations) const {
  return std::none_of(operations.begin(), operations.end(), [this](Operation operation) {
    return state(operation) == OperationState::pending;
  });
}

void Operations::digest(Digest& into) const {
  into.add(epoch_, latest_, records_.size());
  for (const Record& record : records_) {
    into.add(record.number, record.peer, record.tag, record.is_receive, record.state);
    into.add(record.deadline_s, record.data);
  }
  std::vector<const Early*> early;
  early.reserve(early_.size());
  for (const Early& message : early_) early.push_back(&message);
  // Their order matters only among those that one receive could match.
  std::stable_sort(early.begin(), early.end(), [](const Early* a, const Early* b) {
    return std::pair(a->from, a->tag) < std::pair(b->from, b->tag);
  });
  for (const Early* message : early)
    into.add(message->from, message->epoch, message->tag, message->data);
  into.add(early.size(), leaving_.size());
  for (const Leaving& message : leaving_) into.add(message.peer, message.send);
  into.add(heard_.size());
  for (const Heard& news : heard_) into.add(news.peer, news.dead);
}

std::string Operations::waiting_for() const {
  const auto first = std::find_if(records_.begin(), records_.end(), [](const Record& record) {
    return record.state == OperationState::pending;
  });
  if (first == records_.end()) return {};
  return "a message with tag " + std::to_string(first->tag) +
         (first->is_receive ? " from " : " to leave for ") + std::to_string(first->peer);
}

}  // namespace faultline
