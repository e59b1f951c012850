// SPDX-License-Identifier: Apache-2.0

// loggp against a simulator of packets of the tests' own, on random traffic: bursts and many nodes
// into one, words and messages of hundreds of packets, on machines whose NIC or links are the
// narrower.
//
// The engine reckons with bytes, the reference with packets that nothing interrupts, so they differ
// by packets that are in the way of a message in one of them alone. How many there can be follows
// from when messages come to each place and leave it in the reference:
//  - at each place, one packet that is passing;
//  - at each place, words that come so nearly together with a word, or with the end of a long
//    message, that they may go before it or after it. With gaps, the end of a long message is also
//    when nothing but the gap keeps it;
//  - at the receiver's NIC, what other nodes' long messages bring in while a long one's last byte
//    comes: a packet each, and as many bytes as either of the two may be off by then;
//  - with gaps, the gap and the message for each of these, and whatever the messages before may be
//    off without a rest in between, because a message that is late moves those behind it.
// Most messages may be off by 3 to 10 packets; long ones have up to 300.

#include "tests/engine/reference_packets.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "sim/core/random.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

struct PacketCase {
  PacketMachine machine;
  std::vector<TimedMessage> messages;
};

/// What is asked of a random case.
struct Traffic {
  bool fifo = true;
  bool gap = false;
};

class CaseDraw {
 public:
  explicit CaseDraw(std::uint64_t seed) : random_(seed, 0, Purpose::workload, 0) {}

  PacketCase drawn(const Traffic& traffic) {
    PacketCase result;
    result.machine = machine();
    result.machine.fifo = traffic.fifo;
    if (!traffic.gap) result.machine.costs.gap_s = 0;
    result.messages = messages(result.machine);
    return result;
  }

 private:
  double between(double low, double high) { return low * std::pow(high / low, random_.uniform()); }
  std::uint32_t number_from(std::uint32_t first, std::uint32_t count) {
    return first + static_cast<std::uint32_t>(random_.below(count));
  }
  bool chance(std::uint32_t one_in) { return random_.below(one_in) == 0; }

  PacketMachine machine() {
    PacketMachine drawn;
    ReferenceMachine& costs = drawn.costs;
    costs.nodes = number_from(2, 3);
    costs.processes_per_node = number_from(1, 4);
    costs.ring = chance(2);
    costs.nic_Bps = between(1e8, 1e10);
    costs.link_Bps = costs.nic_Bps * (chance(2) ? between(0.2, 0.95) : between(1, 4));
    drawn.word_bytes = std::uint64_t{64} << random_.below(6);
    drawn.packet_bytes = drawn.word_bytes;
    const double word_s = static_cast<double>(drawn.word_bytes) / costs.nic_Bps;
    costs.send_overhead_s = word_s * between(0.01, 1);
    costs.receive_overhead_s = word_s * between(0.01, 0.1);
    costs.gap_s = word_s * between(0.1, 10);
    costs.nic_latency_s = word_s * between(2, 100);
    costs.hop_latency_s = word_s * between(0.01, 1);
    return drawn;
  }

  /// The sender and the receiver of a message. In an incast, all receivers are on one node.
  struct Roles {
    std::vector<Rank> senders, receivers;
  };
  Roles roles(const ReferenceMachine& costs) {
    const bool incast = chance(2);
    Roles drawn;
    for (Rank rank = 0; rank < costs.nodes * costs.processes_per_node; ++rank) {
      // A process of the first node receives, one of the second sends.
      const std::uint32_t place = rank % costs.processes_per_node;
      const bool stated = incast || (place == 0 && costs.node_of(rank) < 2);
      const bool receives = stated ? costs.node_of(rank) == 0 : chance(2);
      (receives ? drawn.receivers : drawn.senders).push_back(rank);
    }
    return drawn;
  }

  std::vector<TimedMessage> messages(const PacketMachine& machine) {
    const ReferenceMachine& costs = machine.costs;
    const Roles who = roles(costs);
    const std::uint32_t count = number_from(5, 36), long_one_in = number_from(2, 6);
    std::vector<TimedMessage> drawn;
    double bytes = 0;
    while (drawn.size() < count) {
      TimedMessage message{0, who.senders[random_.below(who.senders.size())],
                           who.receivers[random_.below(who.receivers.size())], 0};
      if (costs.node_of(message.from) == costs.node_of(message.to)) continue;
      message.bytes = 1 + random_.below(machine.word_bytes);
      if (chance(long_one_in))
        message.bytes =
            machine.word_bytes + 1 + random_.below(machine.word_bytes * number_from(1, 300));
      bytes += static_cast<double>(message.bytes);
      drawn.push_back(message);
    }
    give_times(machine, bytes / std::min(costs.nic_Bps, costs.link_Bps) * between(0.1, 2), drawn);
    return drawn;
  }

  /// Each third sends at once with the one before or, if it is another process, a bit later:
  /// nothing is ready at the very same time.
  void give_times(const PacketMachine& machine, double window_s,
                  std::vector<TimedMessage>& messages) {
    for (TimedMessage& message : messages) message.at_s = window_s * random_.uniform();
    for (std::size_t i = 1; i < messages.size(); ++i) {
      if (!chance(3)) continue;
      messages[i].at_s = messages[i - 1].at_s;
      if (messages[i].from != messages[i - 1].from)
        messages[i].at_s +=
            static_cast<double>(machine.word_bytes) / machine.costs.nic_Bps * random_.uniform();
    }
    std::stable_sort(messages.begin(), messages.end(),
                     [](const TimedMessage& a, const TimedMessage& b) { return a.at_s < b.at_s; });
  }

  Stream random_;
};

std::vector<double> engine_times(const PacketCase& drawn, scenario::EngineKind engine) {
  const ReferenceMachine& costs = drawn.machine.costs;
  Job job(costs.nodes * costs.processes_per_node, machine_of(costs));
  job.spec.platform.processes_per_node = costs.processes_per_node;
  job.spec.platform.whole_machine = true;
  job.spec.platform.packet_bytes = drawn.machine.word_bytes;
  if (!drawn.machine.fifo) job.spec.platform.ordering = scenario::Ordering::unordered;
  job.spec.platform.unordered_delay_s = 0;
  job.script(Family::workload, [&](ActorId self) {
    return Handlers{
        .start =
            [&drawn, self](ScriptContext& context) {
              for (std::size_t i = 0; i < drawn.messages.size(); ++i)
                if (drawn.messages[i].from == self) context.set_timer(i, drawn.messages[i].at_s);
            },
        .message =
            [&job](ScriptContext& context, const Message& message) {
              job.note(context, "got", message.payload.get<std::int64_t>());
            },
        .timer =
            [&drawn](ScriptContext& context, std::uint64_t i) {
              const TimedMessage& message = drawn.messages[i];
              context.send(message.to, 0, message.bytes).payload.put(static_cast<std::int64_t>(i));
            }};
  });
  std::vector<double> times_s(drawn.messages.size(), -1);
  for (const Entry& entry : job.run(engine).log)
    times_s[static_cast<std::size_t>(entry.value)] = entry.time_s;
  return times_s;
}

/// How far an engine that reckons with bytes may be off for each message: see above.
class Doubts {
 public:
  Doubts(const PacketCase& drawn, const std::vector<PacketTimes>& times)
      : messages_(drawn.messages),
        machine_(drawn.machine),
        costs_(drawn.machine.costs),
        times_(times),
        doubt_s_(times.size(), 0) {}

  std::vector<double> of_all() {
    pass(Place::sending_nic);
    if (costs_.link_Bps < costs_.nic_Bps) pass(Place::first_link);
    pass(Place::receiving_nic);
    return handled();
  }

 private:
  [[nodiscard]] bool is_word(std::size_t i) const {
    return messages_[i].bytes <= machine_.word_bytes;
  }
  [[nodiscard]] const Stay& stay(std::size_t i) const {
    return times_[i].stays[static_cast<std::size_t>(place_)];
  }
  [[nodiscard]] bool same_pair(std::size_t i, std::size_t j) const {
    return messages_[i].from == messages_[j].from && messages_[i].to == messages_[j].to;
  }
  /// Do two messages pass the same NIC or link?
  [[nodiscard]] bool meet(std::size_t i, std::size_t j) const {
    const TimedMessage &a = messages_[i], &b = messages_[j];
    if (place_ == Place::receiving_nic) return costs_.node_of(a.to) == costs_.node_of(b.to);
    return costs_.node_of(a.from) == costs_.node_of(b.from) &&
           (place_ == Place::sending_nic ||
            costs_.leaves_upwards(a.from, a.to) == costs_.leaves_upwards(b.from, b.to));
  }

  void pass(Place place) {
    place_ = place;
    Bps_ = place == Place::first_link ? costs_.link_Bps : costs_.nic_Bps;
    gap_s_ = place == Place::first_link ? 0 : costs_.gap_s;
    packet_s_ = static_cast<double>(machine_.packet_bytes) / Bps_;
    free_s_.resize(times_.size());
    for (std::size_t i = 0; i < times_.size(); ++i) free_s_[i] = stay(i).came_s;
    // Long messages first: words that stay behind one are free when it has left.
    std::vector<double> after_s(times_.size());
    const std::vector<double> came_doubt_s = doubt_s_;
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (!is_word(i)) after_s[i] = came_doubt_s[i] + in_the_way_s(i);
    if (machine_.fifo) stay_behind(came_doubt_s, after_s);
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (is_word(i)) after_s[i] = doubt_s_[i] + in_the_way_s(i);
    if (gap_s_ > 0) inherit(after_s);
    doubt_s_ = after_s;
  }

  /// A word that stays behind a long message of its pair waits until that has left.
  void stay_behind(const std::vector<double>& came_doubt_s, const std::vector<double>& after_s) {
    for (std::size_t word = 0; word < times_.size(); ++word)
      for (std::size_t ahead = 0; ahead < word; ++ahead) {
        if (!is_word(word) || is_word(ahead) || !same_pair(word, ahead)) continue;
        if (stay(ahead).left_s + after_s[ahead] < stay(word).came_s - came_doubt_s[word]) continue;
        free_s_[word] = std::max(free_s_[word], stay(ahead).left_s);
        doubt_s_[word] = std::max(doubt_s_[word], after_s[ahead]);
      }
  }

  /// What can be in the way of a message at this place, or not.
  [[nodiscard]] double in_the_way_s(std::size_t i) const {
    double sum_s = packet_s_;
    for (std::size_t j = 0; j < times_.size(); ++j) {
      if (j == i || !meet(i, j)) continue;
      const double both_s = doubt_s_[i] + doubt_s_[j];
      if (is_word(j))
        sum_s += word_in_the_way_s(i, j, both_s);
      else if (is_word(i))
        sum_s += end_in_the_way_s(i, j, both_s);
      else if (place_ == Place::receiving_nic && stay(j).came_s <= stay(i).whole_s + both_s &&
               stay(i).whole_s <= stay(j).whole_s + both_s)
        sum_s += both_s + packet_s_;
    }
    return sum_s;
  }
  [[nodiscard]] double word_in_the_way_s(std::size_t i, std::size_t word, double both_s) const {
    const double word_s = static_cast<double>(messages_[word].bytes) / Bps_;
    // Words may go in the order of their first bytes or of their last. The end of a long message,
    // and with gaps its beginning, may be before or after a word.
    double near_s = both_s + 2 * packet_s_;
    if (is_word(i)) {
      near_s = both_s;
      if (place_ == Place::receiving_nic)
        near_s += std::max(word_s, static_cast<double>(messages_[i].bytes) / Bps_);
    }
    const bool near_it = is_word(i) ? std::abs(free_s_[word] - free_s_[i]) <= near_s
                                    : ends_near(i, free_s_[word], near_s);
    const bool near_begin =
        !is_word(i) && gap_s_ > 0 && std::abs(free_s_[word] - stay(i).begun_s) <= near_s;
    return near_it || near_begin ? word_s + gap_s_ : 0;
  }
  /// Does a long message end near that time, or is held by then?
  [[nodiscard]] bool ends_near(std::size_t i, double at_s, double near_s) const {
    return std::abs(at_s - stay(i).left_s) <= near_s ||
           (stay(i).held_s >= 0 && std::abs(at_s - stay(i).held_s) <= near_s);
  }
  /// With gaps, a word waits for the gap after a long message, or just does not.
  [[nodiscard]] double end_in_the_way_s(std::size_t word, std::size_t j, double both_s) const {
    const bool near_it = ends_near(j, free_s_[word], both_s + 2 * packet_s_);
    return gap_s_ > 0 && near_it ? gap_s_ + packet_s_ : 0;
  }

  /// With gaps, a message that is off moves all that follow it without a rest.
  void inherit(std::vector<double>& after_s) const {
    std::vector<std::size_t> order(times_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [this](std::size_t a, std::size_t b) { return stay(a).left_s < stay(b).left_s; });
    for (std::size_t place = 0; place < order.size(); ++place) {
      const std::size_t i = order[place];
      const bool waits_to_begin = is_word(i) || place_ == Place::sending_nic;
      const double begun_s = waits_to_begin ? stay(i).begun_s : stay(i).left_s - packet_s_;
      double inherited_s = 0;
      for (std::size_t before = 0; before < place; ++before) {
        const std::size_t j = order[before];
        if (meet(i, j) && stay(j).left_s + gap_s_ + after_s[j] + after_s[i] + packet_s_ >= begun_s)
          inherited_s = std::max(inherited_s, after_s[j] + packet_s_);
      }
      after_s[i] += inherited_s;
    }
  }

  /// And the processors of the receivers.
  [[nodiscard]] std::vector<double> handled() const {
    std::vector<double> after_s = doubt_s_;
    for (std::size_t i = 0; i < times_.size(); ++i)
      for (std::size_t j = 0; j < times_.size(); ++j)
        if (j != i && messages_[i].to == messages_[j].to &&
            std::abs(times_[i].handled_s - times_[j].handled_s) <=
                doubt_s_[i] + doubt_s_[j] + costs_.receive_overhead_s)
          after_s[i] += costs_.receive_overhead_s;
    return after_s;
  }

  const std::vector<TimedMessage>& messages_;
  const PacketMachine& machine_;
  const ReferenceMachine& costs_;
  const std::vector<PacketTimes>& times_;
  std::vector<double> doubt_s_;  ///< of each message, as far as it has come
  std::vector<double> free_s_;   ///< when each could pass this place if it were alone
  Place place_ = Place::sending_nic;
  double Bps_ = 1, gap_s_ = 0, packet_s_ = 0;
};

/// The first message that is not handled when the reference handles it, in words; nothing where all
/// are.
std::string difference(const PacketCase& drawn) {
  const auto expected = packet_times(drawn.messages, drawn.machine);
  const auto doubts_s = Doubts(drawn, expected).of_all();
  const auto seen_s = engine_times(drawn, scenario::EngineKind::loggp);
  const ReferenceMachine& costs = drawn.machine.costs;
  const double packet_s =
      static_cast<double>(drawn.machine.word_bytes) / std::min(costs.nic_Bps, costs.link_Bps);
  for (std::size_t i = 0; i < seen_s.size(); ++i) {
    const double off_s = seen_s[i] - expected[i].handled_s;
    if (std::abs(off_s) <= doubts_s[i] + 1e-9 * expected[i].handled_s) continue;
    const TimedMessage& message = drawn.messages[i];
    return "message " + std::to_string(i) + " of " + std::to_string(message.bytes) +
           " bytes from " + std::to_string(message.from) + " to " + std::to_string(message.to) +
           " is off by " + std::to_string(off_s / packet_s) + " packet times, instead of at most " +
           std::to_string(doubts_s[i] / packet_s);
  }
  return "";
}

void compare_packets(const Traffic& traffic, std::uint64_t cases) {
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    INFO("seed " << seed);
    REQUIRE(difference(CaseDraw(seed).drawn(traffic)) == "");
  }
}

}  // namespace

TEST_CASE("loggp handles unordered messages when a network of packets does") {
  compare_packets({.fifo = false}, 1000);
}

TEST_CASE("loggp handles ordered messages when a network of packets does") {
  compare_packets({.fifo = true}, 1000);
}

TEST_CASE("loggp handles messages with gaps between them when a network of packets does") {
  for (const bool fifo : {false, true}) compare_packets({.fifo = fifo, .gap = true}, 1000);
}

TEST_CASE("loggp handles messages when a network of packets does, in many cases", "[.soak]") {
  for (const bool fifo : {false, true})
    for (const bool gap : {false, true}) compare_packets({.fifo = fifo, .gap = gap}, 20000);
}

}  // namespace faultline::engine
