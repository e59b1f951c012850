// SPDX-License-Identifier: Apache-2.0
#include "sim/core/operations.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

/// The payload of a message.
struct Envelope {
  std::uint32_t tag = 0;
  std::uint32_t epoch = 0;
  OperationData data = {};
};
static_assert(sizeof(Envelope) <= Payload::kBytes);

/// Room for one more, and for few others: each rank of a large job has such lists, and one that
/// doubled would stay half empty.
template <class Kind>
void make_room(std::vector<Kind>& list) {
  if (list.size() == list.capacity()) list.reserve(list.size() + list.size() / 4 + 2);
}

}  // namespace

// ---- what the program asks for ----------------------------------------------------------------

Operation Operations::send(WorkloadContext& context, ActorId peer, std::uint32_t tag,
                           std::uint64_t bytes, double timeout_s, const OperationData& data) {
  make_room(sends_);
  Record& record = sends_.emplace_back(Record{.peer = peer, .tag = tag});
  if (heard_of(peer).dead) {
    record.state = OperationState::failed;
  } else {
    Message& message = context.send(peer, keys_.message_kind, bytes);
    message.flags |= kNotifySent;
    message.payload.put(Envelope{tag, epoch_, data});
    record.leaves = true;
  }
  return add(context, record, timeout_s);
}

Operation Operations::receive(WorkloadContext& context, ActorId peer, std::uint32_t tag,
                              double timeout_s) {
  make_room(arrivals_);
  const auto place = early_begin();
  const auto early = std::find_if(place, arrivals_.end(), [&](const Record& message) {
    return message.peer == peer && message.tag == tag && message.place == epoch_;
  });
  const bool has_come = early != arrivals_.end();
  if (has_come)
    std::rotate(place, early, early + 1);
  else
    arrivals_.insert(place, Arrival{{.peer = peer, .tag = tag}, {}});
  Record& record = arrivals_[receives_++];
  record.incarnation = 0;
  if (has_come)
    record.state = OperationState::done;
  else if (heard_of(peer).dead)
    record.state = OperationState::failed;
  return add(context, record, timeout_s);
}

Operation Operations::add(WorkloadContext& context, Record& record, double timeout_s) {
  invariant(++latest_ - before_ <= std::numeric_limits<std::uint32_t>::max(),
            "one operation is pending while 2^32 others are begun");
  record.place = static_cast<std::uint32_t>(latest_ - before_);
  ++counts_[static_cast<std::size_t>(record.state)];
  if (record.state != OperationState::pending || timeout_s == kNever) return latest_;
  const double time_s = context.now_s() + timeout_s;
  record.can_time_out = true;
  ++with_deadline_;
  if (deadlines_.empty() || deadlines_.back().time_s != time_s)
    deadlines_.push_back({record.place, time_s});
  if (time_s < timer_due_s_) set_timer(context, time_s);
  return latest_;
}

void Operations::cancel(WorkloadContext& context, Operation operation) {
  Record* record = find(operation);
  if (record != nullptr && record->state == OperationState::pending)
    end(context, *record, OperationState::cancelled);
}

void Operations::cancel_all(WorkloadContext& context) {
  for_each_pending([&](Record& record) { end(context, record, OperationState::cancelled); });
}

void Operations::raise(WorkloadContext& context, Operation operation) {
  Record* record = find(operation);
  if (record == nullptr) return;
  if (record->state == OperationState::pending)
    end(context, *record, OperationState::failed);
  else if (record->state == OperationState::done)
    change(*record, OperationState::failed);
}

void Operations::enter_epoch(WorkloadContext& context, std::uint32_t epoch) {
  if (epoch <= epoch_)
    throw std::invalid_argument("epoch " + std::to_string(epoch) + " of operations after epoch " +
                                std::to_string(epoch_));
  cancel_all(context);
  epoch_ = epoch;
  const auto is_old = [epoch](const Record& message) { return message.place < epoch; };
  arrivals_.erase(std::remove_if(early_begin(), arrivals_.end(), is_old), arrivals_.end());
}

void Operations::begin_again(WorkloadContext& context) {
  cancel_all(context);
  Operations again(keys_);
  again.heard_ = std::move(heard_);
  *this = std::move(again);
}

void Operations::forget_ended() {
  const auto has_ended = [](const Record& record) {
    return record.state != OperationState::pending;
  };
  const auto kept = std::remove_if(arrivals_.begin(), early_begin(), has_ended);
  arrivals_.erase(kept, early_begin());
  receives_ = static_cast<std::uint32_t>(kept - arrivals_.begin());
  for (Record& record : sends_) record.is_forgotten = has_ended(record);
  std::erase_if(sends_, [](const Record& record) { return record.is_forgotten && !record.leaves; });
  if (receives_ == 0 && sends_.empty()) before_ = latest_;
  forget_deadlines();
  const std::uint32_t pending = count(OperationState::pending);
  counts_ = {};
  counts_[static_cast<std::size_t>(OperationState::pending)] = pending;
}

void Operations::shrink() {
  sends_.shrink_to_fit();
  arrivals_.shrink_to_fit();
  deadlines_.shrink_to_fit();
}

/// A few messages of what comes next can be early.
void Operations::reserve(std::size_t sends, std::size_t receives) {
  constexpr std::size_t kEarly = 2;
  sends_.reserve(sends);
  arrivals_.reserve(receives + kEarly);
}

/// Those of operations that have been forgotten.
void Operations::forget_deadlines() {
  if (with_deadline_ == 0) return deadlines_.clear();
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  for_each_pending([&first](const Record& record) {
    if (record.can_time_out) first = std::min(first, record.place);
  });
  const auto later = std::find_if(deadlines_.begin(), deadlines_.end(),
                                  [first](const Deadline& one) { return one.from > first; });
  deadlines_.erase(deadlines_.begin(), later - 1);
}

// ---- how an operation ends --------------------------------------------------------------------

template <class Visit>
void Operations::for_each_pending(const Visit& visit) {
  for (Record& record : receives())
    if (record.state == OperationState::pending) visit(record);
  for (Record& record : sends_)
    if (record.state == OperationState::pending) visit(record);
}

double Operations::deadline_s(const Record& record) const {
  if (!record.can_time_out) return kNever;
  const auto later =
      std::upper_bound(deadlines_.begin(), deadlines_.end(), record.place,
                       [](std::uint32_t place, const Deadline& one) { return place < one.from; });
  return (later - 1)->time_s;
}

/// Only of what is pending. The timer would keep a run alive that nothing else keeps.
void Operations::end(WorkloadContext& context, Record& record, OperationState state) {
  change(record, state);
  if (!record.can_time_out || --with_deadline_ > 0 || timer_due_s_ == kNever) return;
  context.cancel_timer(keys_.timer_key);
  timer_due_s_ = kNever;
}

void Operations::change(Record& record, OperationState state) {
  --counts_[static_cast<std::size_t>(record.state)];
  ++counts_[static_cast<std::size_t>(state)];
  record.state = state;
}

void Operations::set_timer(WorkloadContext& context, double deadline_s) {
  timer_due_s_ = deadline_s;
  context.set_timer(keys_.timer_key, std::max(0.0, deadline_s - context.now_s()));
}

// ---- events -----------------------------------------------------------------------------------

bool Operations::on_message(WorkloadContext& context, const Message& message) {
  if (message.kind != keys_.message_kind) return false;
  const auto [tag, epoch, data] = message.payload.get<Envelope>();
  const Incarnation from{message.from, message.from_incarnation};
  if (epoch < epoch_ || from.number < heard_of(from.actor).peer.number) return true;
  if (epoch == epoch_)
    for (Arrival& record : receives())
      if (record.state == OperationState::pending && record.peer == from.actor &&
          record.tag == tag) {
        record.data = data;
        end(context, record, OperationState::done);
        return true;
      }
  make_room(arrivals_);
  arrivals_.push_back(
      {{.peer = from.actor, .tag = tag, .place = epoch, .incarnation = from.number}, data});
  return true;
}

bool Operations::on_sent(WorkloadContext& context, ActorId to, std::uint16_t kind) {
  if (kind != keys_.message_kind) return false;
  const auto left = std::find_if(sends_.begin(), sends_.end(), [to](const Record& record) {
    return record.peer == to && record.leaves;
  });
  if (left == sends_.end()) return true;
  left->leaves = false;
  if (left->is_forgotten)
    sends_.erase(left);
  else if (left->state == OperationState::pending)
    end(context, *left, OperationState::done);
  return true;
}

bool Operations::on_timer(WorkloadContext& context, std::uint64_t key) {
  if (key != keys_.timer_key) return false;
  const double due_s = std::exchange(timer_due_s_, kNever);
  if (due_s == kNever) return true;
  double next_s = kNever;
  for_each_pending([&](Record& record) {
    const double ends_s = deadline_s(record);
    if (ends_s <= due_s)
      end(context, record, OperationState::timed_out);
    else
      next_s = std::min(next_s, ends_s);
  });
  if (next_s != kNever) set_timer(context, next_s);
  return true;
}

bool Operations::on_peer_failed(WorkloadContext& context, Incarnation peer) {
  // If it has restarted meanwhile, its earlier life has been dealt with.
  return peer.number >= heard_of(peer.actor).peer.number && hear(context, {peer, true});
}

bool Operations::on_peer_restarted(WorkloadContext& context, Incarnation peer) {
  return peer.number > heard_of(peer.actor).peer.number && hear(context, {peer, false});
}

// A layer that recovers a peer keeps this component from hearing of its death and restart, and then
// all incarnations of the peer are one. Hence nothing here asks the context for incarnations.

/// True if an operation has failed because of the news.
bool Operations::hear(WorkloadContext& context, const Heard& news) {
  const Incarnation peer = news.peer;
  const auto place =
      std::lower_bound(heard_.begin(), heard_.end(), peer.actor,
                       [](const Heard& entry, ActorId actor) { return entry.peer.actor < actor; });
  if (place != heard_.end() && place->peer.actor == peer.actor)
    *place = news;
  else
    heard_.insert(place, news);
  const auto is_void = [peer](const Record& message) {
    return message.peer == peer.actor && message.incarnation < peer.number;
  };
  arrivals_.erase(std::remove_if(early_begin(), arrivals_.end(), is_void), arrivals_.end());
  bool any = false;
  for_each_pending([&](Record& record) {
    if (record.peer != peer.actor) return;
    end(context, record, OperationState::failed);
    any = true;
  });
  return any;
}

Operations::Heard Operations::heard_of(ActorId peer) const {
  if (heard_.empty()) return {{peer, 0}, false};
  const auto place =
      std::lower_bound(heard_.begin(), heard_.end(), peer,
                       [](const Heard& entry, ActorId actor) { return entry.peer.actor < actor; });
  if (place != heard_.end() && place->peer.actor == peer) return *place;
  return {{peer, 0}, false};
}

// ---- how they stand ---------------------------------------------------------------------------

template <class Kind>
const Kind* Operations::find_in(std::span<const Kind> records, Operation operation) const {
  const Operation place = operation - before_;
  if (operation <= before_ || records.empty() || place < records.front().place) return nullptr;
  // Mostly, those of one list have been created one after the other.
  const std::size_t guess =
      std::min<std::size_t>(place - records.front().place, records.size() - 1);
  const Kind* const last = &records[guess];
  const auto comes_before = [](const Kind& record, Operation wanted) {
    return record.place < wanted;
  };
  const Kind* const found =
      last->place == place ? last : std::lower_bound(&records.front(), last, place, comes_before);
  return found->place == place && !found->is_forgotten ? found : nullptr;
}

const Operations::Record* Operations::find(Operation operation) const {
  if (const Record* receive = find_in(receives(), operation)) return receive;
  return find_in(std::span<const Record>(sends_), operation);
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

const OperationData& Operations::data(Operation operation) const {
  const Arrival* receive = find_in(receives(), operation);
  if (receive == nullptr)
    throw std::out_of_range("there is no receive " + std::to_string(operation));
  return receive->data;
}

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

bool Operations::waits_for_send() const {
  return std::any_of(sends_.begin(), sends_.end(),
                     [](const Record& record) { return record.state == OperationState::pending; });
}

void Operations::digest(Digest& into) const {
  into.add(epoch_, latest_, receives_, sends_.size());
  for (const Arrival& record : receives())
    into.add(number(record), record.peer, record.tag, record.state, deadline_s(record),
             record.data);
  for (const Record& record : sends_) {
    into.add(number(record), record.peer, record.leaves, record.is_forgotten);
    if (!record.is_forgotten) into.add(record.tag, record.state, deadline_s(record));
  }
  std::vector<Arrival> early(arrivals_.begin() + static_cast<std::ptrdiff_t>(receives_),
                             arrivals_.end());
  // Their order matters only among those that one receive could match.
  std::stable_sort(early.begin(), early.end(), [](const Record& a, const Record& b) {
    return std::tuple(a.peer, a.incarnation, a.tag) < std::tuple(b.peer, b.incarnation, b.tag);
  });
  into.add(early.size());
  for (const Arrival& message : early)
    into.add(message.peer, message.incarnation, message.place, message.tag, message.data);
  into.add(heard_.size());
  for (const Heard& news : heard_) into.add(news.peer, news.dead);
}

std::string Operations::waiting_for() const {
  const auto first_in = [](const auto& records) -> const Record* {
    const auto first = std::find_if(records.begin(), records.end(), [](const Record& record) {
      return record.state == OperationState::pending;
    });
    return first == records.end() ? nullptr : &*first;
  };
  const Record* const receive = first_in(receives());
  const Record* const send = first_in(sends_);
  if (receive == nullptr && send == nullptr) return {};
  const bool receives = send == nullptr || (receive != nullptr && receive->place < send->place);
  const Record& first = receives ? *receive : *send;
  return "a message with tag " + std::to_string(first.tag) +
         (receives ? " from " : " to leave for ") + std::to_string(first.peer);
}

}  // namespace faultline
