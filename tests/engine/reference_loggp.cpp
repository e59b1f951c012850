// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/reference_loggp.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <utility>

#include "tests/engine/stepwise/agenda.hpp"

namespace faultline::engine {

namespace {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a few bits of a number that look like no other's.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

/// Numbers of children leave room for their own children's.
constexpr std::uint64_t kFamily = 16;

/// Something that serves one at a time, in the order in which they come.
class Server {
 public:
  using Begin = std::function<double()>;  ///< begins now; when can the next one begin

  explicit Server(Agenda& agenda) : agenda_(&agenda) {}
  /// `pair`: of a message that stays behind the one before it if that has the same.
  void enter(Begin begin, std::pair<Rank, Rank> pair = {kNobody, kNobody}) {
    agenda_->arrival(last_s_, pair.first != kNobody && pair == last_pair_);
    last_pair_ = pair;
    waiting_.push_back(std::move(begin));
    if (!busy_) serve();
  }

 private:
  void serve() {
    busy_ = true;
    Begin begin = std::move(waiting_.front());
    waiting_.pop_front();
    agenda_->at(begin(), [this] {
      busy_ = false;
      if (!waiting_.empty()) serve();
    });
  }

  Agenda* agenda_;
  std::deque<Begin> waiting_;
  bool busy_ = false;
  double last_s_ = -1;
  std::pair<Rank, Rank> last_pair_ = {kNobody, kNobody};
};

class Simulator {
 public:
  Simulator(const MessageTree& tree, const ReferenceMachine& machine)
      : tree_(tree), machine_(machine) {
    for (std::uint32_t i = 0; i < tree.processes; ++i) {
      processors_.emplace_back(agenda_);
      copiers_.emplace_back(agenda_);
    }
    for (std::uint32_t i = 0; i < machine.nodes; ++i) {
      outgoing_.emplace_back(agenda_);
      upwards_.emplace_back(agenda_);
      downwards_.emplace_back(agenda_);
      intake_free_s_.push_back(-1e9);
      intake_last_s_.push_back(-1e9);
      intake_pair_.emplace_back(kNobody, kNobody);
    }
  }

  ReferenceTimes run(double start_window_s) {
    for (Rank rank = 0; rank < tree_.processes; ++rank)
      agenda_.at(tree_.start_s(rank, start_window_s), [this, rank] {
        processors_[rank].enter([this, rank] { return send_all(rank, tree_.roots(rank)); });
      });
    agenda_.run();
    return {handled_s_, agenda_.closest_s()};
  }

 private:
  using Node = MessageTree::Node;

  [[nodiscard]] std::uint32_t node_of(Rank rank) const { return machine_.node_of(rank); }

  /// The processor is busy until the last of them has left it.
  double send_all(Rank from, const std::vector<Node>& messages) {
    double left_s = agenda_.now_s();
    for (const Node& message : messages) {
      left_s += send_s(from, message);
      agenda_.at(left_s, [this, from, message] { leaves_processor(from, message); });
    }
    return left_s;
  }

  void leaves_processor(Rank from, const Node& message) {
    if (node_of(from) == node_of(message.to)) {
      copiers_[from].enter([this, from, message] {
        const double copied_s = agenda_.now_s() + message.bytes / machine_.local_Bps;
        const double there_s = behind_its_pair_s(
            from, message.to, copied_s + machine_.local_latency_s + on_top_s(from, message));
        agenda_.at(there_s, [this, from, message] { reach(from, message); });
        return copied_s;
      });
      return;
    }
    outgoing_[node_of(from)].enter([this, from, message] {
      first_link(from, message.to).enter([this, from, message] { return travel(from, message); });
      return agenda_.now_s() + machine_.gap_s;
    });
  }

  Server& first_link(Rank from, Rank to) {
    const std::uint32_t node = node_of(from);
    return machine_.leaves_upwards(from, to) ? upwards_[node] : downwards_[node];
  }

  /// Over the links, the first of which it keeps for itself, to the NIC of the receiver's node.
  double travel(Rank from, const Node& message) {
    const double left_s = agenda_.now_s() + message.bytes / machine_.link_Bps;
    const double there_s = behind_its_pair_s(
        from, message.to, left_s + machine_.latency_s(from, message.to) + on_top_s(from, message));
    agenda_.at(there_s, [this, from, message] { at_nic(from, message); });
    return left_s;
  }

  [[nodiscard]] double send_s(Rank from, const Node& message) const {
    return machine_.send_overhead_s + machine_.on_top(from, message.to, message.bytes).send_s;
  }

  /// What the network takes longer than the links do.
  [[nodiscard]] double on_top_s(Rank from, const Node& message) const {
    const ReferenceSurcharge more = machine_.on_top(from, message.to, message.bytes);
    return more.latency_s + message.bytes * more.byte_s;
  }

  /// Nothing overtakes what the same rank has sent to the same rank before. What waits for that
  /// comes just after it.
  double behind_its_pair_s(Rank from, Rank to, double there_s) {
    double& last_s = last_s_[{from, to}];
    last_s = std::max(there_s, std::nextafter(last_s, kNever));
    return last_s;
  }

  /// The NIC has had g since it was done with the message before.
  void at_nic(Rank from, const Node& message) {
    const std::uint32_t node = node_of(message.to);
    const bool is_ordered = intake_pair_[node] == std::pair(from, message.to);
    intake_pair_[node] = {from, message.to};
    agenda_.arrival(intake_last_s_[node], is_ordered);
    double& free_s = intake_free_s_[node];
    const double in_s = std::max(agenda_.now_s(), free_s);
    free_s = in_s + machine_.gap_s;
    agenda_.at(in_s, [this, from, message] { reach(from, message); });
  }

  void reach(Rank from, const Node& message) {
    processors_[message.to].enter(
        [this, from, message] {
          const double received_s = agenda_.now_s() + machine_.receive_overhead_s +
                                    machine_.on_top(from, message.to, message.bytes).receive_s;
          handled_s_[message.number] = received_s;
          // What it sends follows at once: no other message gets in between.
          double left_s = received_s;
          for (const Node& child : tree_.children(message.number)) {
            left_s += send_s(message.to, child);
            agenda_.at(left_s, [this, from = message.to, child] { leaves_processor(from, child); });
          }
          return left_s;
        },
        {from, message.to});
  }

  MessageTree tree_;
  ReferenceMachine machine_;
  Agenda agenda_;
  std::deque<Server> processors_, copiers_;            // of each process
  std::deque<Server> outgoing_, upwards_, downwards_;  // of each node
  std::vector<double> intake_free_s_, intake_last_s_;  // of each node
  std::vector<std::pair<Rank, Rank>> intake_pair_;     // of each node: of the last message
  std::map<std::uint64_t, double> handled_s_;
  std::map<std::pair<Rank, Rank>, double> last_s_;  // when the last message of a pair is there
};

}  // namespace

double MessageTree::start_s(Rank rank, double window_s) const {
  return window_s * static_cast<double>(mixed(seed ^ mixed(rank + 1)) >> 11U) * 0x1p-53;
}

MessageTree::Node MessageTree::drawn(std::uint64_t number) const {
  const std::uint64_t bits = mixed(seed + mixed(number));
  // As many small ones as large ones, and hardly two of one size.
  const std::uint64_t bytes = 1 + (bits >> 8U) % (std::uint64_t{16} << (bits >> 32U) % 13);
  return {number, static_cast<Rank>(bits % processes),
          with_bytes ? static_cast<std::uint32_t>(bytes) : 0};
}

std::vector<MessageTree::Node> MessageTree::roots(Rank rank) const { return children(rank + 1); }

std::vector<MessageTree::Node> MessageTree::children(std::uint64_t number) const {
  std::vector<Node> found;
  std::uint64_t ancestor = number;
  std::uint32_t generation = 0;
  for (; ancestor > processes; ancestor = (ancestor - 1) / kFamily) ++generation;
  if (generation >= generations) return found;
  const std::uint64_t count = mixed(seed ^ mixed(~number)) % (children_at_most + 1);
  for (std::uint64_t child = 0; child < count; ++child)
    found.push_back(drawn(number * kFamily + 1 + child));
  return found;
}

ReferenceTimes reference_times(const MessageTree& tree, const ReferenceMachine& machine,
                               double start_window_s) {
  return Simulator(tree, machine).run(start_window_s);
}

}  // namespace faultline::engine
