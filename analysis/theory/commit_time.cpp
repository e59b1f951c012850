// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/commit_time.hpp"

#include <algorithm>
#include <vector>

namespace faultline::theory {

namespace {

constexpr double kLongAgo = -1e9;

/// The times at which the parts of a member's node are free again.
struct Member {
  double processor_s = 0.0;
  double nic_out_s = kLongAgo;
  double link_s = kLongAgo;
  double nic_in_s = kLongAgo;
  double knows_s = 0.0;  ///< when it has received the answer of the last sweep
};

class Commit {
 public:
  explicit Commit(const CommitModel& model)
      : model_(model),
        nic_s_(static_cast<double>(model.bytes) / model.machine.nic_bandwidth_Bps),
        path_s_(static_cast<double>(model.bytes) /
                std::min(model.machine.nic_bandwidth_Bps, model.machine.link_bandwidth_Bps)),
        cost_{.send_overhead_s = model.machine.send_overhead_s,
              .receive_overhead_s = model.machine.receive_overhead_s,
              .latency_s = model.machine.nic_latency_s},
        members_(model.members) {
    for (const platform::MessageCost& range : model.machine.costs)
      if (range.from_bytes <= model.bytes) cost_ = range;
    const double slow_s = static_cast<double>(model.bytes) * cost_.byte_s - path_s_;
    if (slow_s > 0) cost_.latency_s += slow_s;
  }

  CommitTimes run() {
    for (int sweep = 0; sweep < (model_.two_sweeps ? 2 : 1); ++sweep) {
      go_up();
      go_down();
    }
    for (const Member& member : members_) {
      times_.last_knows_s = std::max(times_.last_knows_s, member.knows_s);
      times_.last_is_free_s = std::max(times_.last_is_free_s, member.processor_s);
    }
    return times_;
  }

 private:
  /// Children come after their parents, so the last members go first.
  void go_up() {
    std::vector<double> arrivals_s(members_.size());
    for (Rank rank = model_.members; rank-- > 0;) {
      receive_from_children(rank, arrivals_s);
      if (rank > 0) arrivals_s[rank] = send(rank, (rank - 1) / 2);
    }
    members_[0].knows_s = times_.root_knows_s = members_[0].processor_s;
  }

  void go_down() {
    std::vector<double> arrivals_s(members_.size());
    for (Rank rank = 0; rank < model_.members; ++rank) {
      if (rank > 0) members_[rank].knows_s = receive(rank, arrivals_s[rank]);
      for (const Rank child : children(rank)) arrivals_s[child] = send(rank, child);
    }
  }

  void receive_from_children(Rank rank, const std::vector<double>& arrivals_s) {
    std::vector<double> due_s;
    for (const Rank child : children(rank)) due_s.push_back(arrivals_s[child]);
    std::sort(due_s.begin(), due_s.end());
    for (const double time_s : due_s) receive(rank, time_s);
  }

  [[nodiscard]] std::vector<Rank> children(Rank rank) const {
    std::vector<Rank> found;
    for (std::uint64_t child = 2 * std::uint64_t{rank} + 1;
         child <= 2 * std::uint64_t{rank} + 2 && child < model_.members; ++child)
      found.push_back(static_cast<Rank>(child));
    return found;
  }

  /// Sends as soon as the processor is free. Returns when the message reaches the other NIC.
  double send(Rank from, Rank to) {
    Member& member = members_[from];
    member.processor_s += cost_.send_overhead_s;
    const double taken_s = std::max(member.processor_s, member.nic_out_s);
    member.nic_out_s = taken_s + model_.machine.gap_s + nic_s_;
    const double begins_s = std::max(taken_s, member.link_s);
    member.link_s = begins_s + path_s_;
    ++times_.messages;
    return begins_s + path_s_ + cost_.latency_s + model_.route_latency_s(from, to);
  }

  /// Receives a message that reaches the NIC at that time. Returns when it has been received.
  double receive(Rank to, double time_s) {
    Member& member = members_[to];
    const double in_s = std::max(time_s, member.nic_in_s + nic_s_);
    member.nic_in_s = in_s + model_.machine.gap_s;
    member.processor_s = std::max(member.processor_s, in_s) + cost_.receive_overhead_s;
    return member.processor_s;
  }

  const CommitModel& model_;
  double nic_s_;
  double path_s_;
  platform::MessageCost cost_;  ///< at the size of its messages
  std::vector<Member> members_;
  CommitTimes times_;
};

}  // namespace

CommitTimes commit_times(const CommitModel& model) { return Commit(model).run(); }

}  // namespace faultline::theory
