// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/reference_packets.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "tests/engine/stepwise/agenda.hpp"

namespace faultline::engine {

namespace {

struct Packet {
  std::size_t message = 0;
  std::pair<Rank, Rank> pair;
  std::uint64_t bytes = 0;
  bool word = false;  ///< the whole of a short message
  bool first = false;
  bool last = false;
  bool held = false;  ///< nothing but the gap keeps it from being taken in
};

/// Where the gap between messages is kept: a sender keeps it before it begins the next message, a
/// receiver before it is done with the next.
enum class GapAt { first, last, nowhere };

/// Passes packets on, one at a time.
class Pipe {
 public:
  struct Terms {
    double Bps = 1;
    double gap_s = 0;
    GapAt gap_at = GapAt::nowhere;
    bool fifo = true;
  };
  using Pass = std::function<void(const Packet&)>;

  Pipe(Agenda& agenda, const Terms& terms, std::vector<Stay>& stays, Pass begun, Pass done)
      : agenda_(&agenda),
        terms_(terms),
        stays_(&stays),
        begun_(std::move(begun)),
        done_(std::move(done)) {}

  void enter(const Packet& packet) {
    Stay& stay = (*stays_)[packet.message];
    if (packet.first) stay.came_s = agenda_->now_s();
    if (packet.last) stay.whole_s = agenda_->now_s();
    (packet.word ? words_ : long_).push_back(packet);
    if (!packet.word) ++inside_[{packet.pair, packet.message}];
    pass_next();
  }

 private:
  using Queue = std::deque<Packet>;

  /// Does a word stand behind a long message of its pair that came before it?
  [[nodiscard]] bool stays_behind(const Packet& word) const {
    if (!terms_.fifo) return false;
    const auto first = inside_.lower_bound({word.pair, 0});
    return first != inside_.end() && first->first.first == word.pair &&
           first->first.second < word.message;
  }
  [[nodiscard]] Queue::iterator next_word() {
    return std::find_if(words_.begin(), words_.end(),
                        [this](const Packet& word) { return !stays_behind(word); });
  }
  [[nodiscard]] bool gap_is_over() const { return agenda_->now_s() >= gap_until_s_; }
  [[nodiscard]] bool keeps_gap(const Packet& packet) const {
    return terms_.gap_at == GapAt::first ? packet.first
                                         : packet.last && terms_.gap_at == GapAt::last;
  }
  /// The first packet of long messages that need not wait. At a sender those behind one that waits
  /// wait with it; at a receiver they flow in.
  Queue::iterator next_of_long() {
    for (auto packet = long_.begin(); packet != long_.end(); ++packet) {
      if (gap_is_over() || !keeps_gap(*packet)) return packet;
      if (terms_.gap_at == GapAt::first) break;
      if (!std::exchange(packet->held, true)) (*stays_)[packet->message].held_s = agenda_->now_s();
    }
    return long_.end();
  }
  /// A long message that is in but for the gap: words that wait for the gap do not delay it, unless
  /// they are of its pair and came before it. All that are held stand first.
  Queue::iterator next_held() {
    for (auto packet = long_.begin(); packet != long_.end() && packet->held; ++packet)
      if (!stays_behind_word(*packet)) return packet;
    return long_.end();
  }
  [[nodiscard]] bool stays_behind_word(const Packet& packet) const {
    return terms_.fifo && std::any_of(words_.begin(), words_.end(), [&](const Packet& word) {
             return word.pair == packet.pair && word.message < packet.message;
           });
  }

  void pass_next() {
    if (busy_) return;
    const auto held = next_held();
    if (held != long_.end() && gap_is_over()) return pass(long_, held);
    const auto word = next_word();
    if (word != words_.end() && gap_is_over()) return pass(words_, word);
    const auto packet = next_of_long();
    if (packet != long_.end()) pass(long_, packet);
  }

  void pass(Queue& queue, const Queue::iterator& place) {
    const Packet packet = *place;
    queue.erase(place);
    busy_ = true;
    if (packet.first) (*stays_)[packet.message].begun_s = agenda_->now_s();
    const double end_s = agenda_->now_s() + static_cast<double>(packet.bytes) / terms_.Bps;
    agenda_->at(end_s, [this, packet] {
      busy_ = false;
      leave(packet);
      done_(packet);
      pass_next();
    });
    begun_(packet);
  }

  void leave(const Packet& packet) {
    if (!packet.word) {
      const auto inside = inside_.find({packet.pair, packet.message});
      if (--inside->second == 0) inside_.erase(inside);
    }
    if (packet.last) (*stays_)[packet.message].left_s = agenda_->now_s();
    if (packet.last && terms_.gap_s > 0) {
      gap_until_s_ = agenda_->now_s() + terms_.gap_s;
      agenda_->at(gap_until_s_, [this] { pass_next(); });
    }
  }

  Agenda* agenda_;
  Terms terms_;
  std::vector<Stay>* stays_;
  Pass begun_, done_;
  Queue words_, long_;
  /// How many packets of each long message are here, by pair.
  std::map<std::pair<std::pair<Rank, Rank>, std::size_t>, std::uint64_t> inside_;
  bool busy_ = false;
  double gap_until_s_ = -1;
};

class PacketSimulator {
 public:
  PacketSimulator(const std::vector<TimedMessage>& messages, const PacketMachine& machine)
      : messages_(messages), machine_(machine), costs_(machine.costs) {
    stays_.fill(std::vector<Stay>(messages.size()));
    const Pipe::Terms link{.Bps = costs_.link_Bps, .fifo = machine.fifo};
    Pipe::Terms nic{costs_.nic_Bps, costs_.gap_s, GapAt::first, machine.fifo};
    const auto nothing = [](const Packet&) {};
    const auto travel = [this](const Packet& packet) { leave_node(packet); };
    for (std::uint32_t node = 0; node < costs_.nodes; ++node) {
      up_.emplace_back(agenda_, link, stays_.at(1), nothing, travel);
      down_.emplace_back(agenda_, link, stays_.at(1), nothing, travel);
      nic.gap_at = GapAt::first;
      out_.emplace_back(
          agenda_, nic, stays_.at(0),
          [this](const Packet& packet) {
            if (narrow_link()) first_link(packet.pair).enter(packet);
          },
          [this](const Packet& packet) {
            if (!narrow_link()) leave_node(packet);
          });
      nic.gap_at = GapAt::last;
      in_.emplace_back(agenda_, nic, stays_.at(2), nothing, [this](const Packet& packet) {
        if (packet.last) reach(packet.message);
      });
    }
    const std::uint32_t processes = costs_.nodes * costs_.processes_per_node;
    free_s_.assign(processes, 0);
    times_.resize(messages.size());
  }

  std::vector<PacketTimes> run() {
    for (std::size_t i = 0; i < messages_.size(); ++i)
      agenda_.at(messages_[i].at_s, [this, i] { send(i); });
    agenda_.run();
    for (std::size_t i = 0; i < times_.size(); ++i)
      for (std::size_t place = 0; place < kPlaces; ++place)
        times_[i].stays[place] = stays_[place][i];
    return times_;
  }

 private:
  [[nodiscard]] bool narrow_link() const { return costs_.link_Bps < costs_.nic_Bps; }
  Pipe& first_link(const std::pair<Rank, Rank>& pair) {
    const std::uint32_t node = costs_.node_of(pair.first);
    return costs_.leaves_upwards(pair.first, pair.second) ? up_[node] : down_[node];
  }
  /// Takes up the time of a process.
  double spend(Rank rank, double time_s) {
    free_s_[rank] = std::max(free_s_[rank], agenda_.now_s()) + time_s;
    return free_s_[rank];
  }

  void send(std::size_t number) {
    const Rank from = messages_[number].from;
    agenda_.at(spend(from, costs_.send_overhead_s), [this, number] { cut(number); });
  }

  void cut(std::size_t number) {
    const TimedMessage& message = messages_[number];
    Pipe& nic = out_[costs_.node_of(message.from)];
    Packet packet{.message = number, .pair = {message.from, message.to}, .first = true};
    packet.word = message.bytes <= machine_.word_bytes;
    const std::uint64_t longest = packet.word ? machine_.word_bytes : machine_.packet_bytes;
    for (std::uint64_t rest = message.bytes; !packet.last; packet.first = false) {
      packet.bytes = std::min(rest, longest);
      rest -= packet.bytes;
      packet.last = rest == 0;
      nic.enter(packet);
    }
  }

  /// Its last byte has left. The receiver's NIC needs to begin with it no sooner than so that it
  /// ends with that byte.
  void leave_node(const Packet& packet) {
    const double latency_s = costs_.latency_s(packet.pair.first, packet.pair.second);
    const double intake_s = static_cast<double>(packet.bytes) / costs_.nic_Bps;
    agenda_.at(agenda_.now_s() + std::max(0.0, latency_s - intake_s),
               [this, packet] { in_[costs_.node_of(packet.pair.second)].enter(packet); });
  }

  void reach(std::size_t number) {
    times_[number].handled_s = spend(messages_[number].to, costs_.receive_overhead_s);
  }

  std::vector<TimedMessage> messages_;
  PacketMachine machine_;
  ReferenceMachine costs_;
  Agenda agenda_;
  std::deque<Pipe> out_, up_, down_, in_;  // of each node
  std::vector<double> free_s_;             // of each process
  std::array<std::vector<Stay>, kPlaces> stays_;
  std::vector<PacketTimes> times_;  // of each message
};

}  // namespace

std::vector<PacketTimes> packet_times(const std::vector<TimedMessage>& messages,
                                      const PacketMachine& machine) {
  return PacketSimulator(messages, machine).run();
}

}  // namespace faultline::engine
