#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocols/termination/failed_ranks.hpp"
#include "sim/core/component.hpp"

namespace faultline {

struct VenkatesanOptions {
  std::uint32_t leaders = 2;
  std::uint32_t control_bytes = 16;
  std::uint32_t entry_bytes = 8;
};

/// What one process has counted since its last signal, one word for each entry.
class Tally {
 public:
  enum class Entry : std::uint8_t { sent, received, flushed };
  struct Word {
    Entry entry;
    Rank peer;
    std::uint32_t count;
  };

  void add(Entry entry, Rank peer);
  [[nodiscard]] bool empty() const { return words_.empty(); }
  void clear() { words_.clear(); }
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  [[nodiscard]] static Word word(std::uint64_t packed);

 private:
  std::vector<std::uint64_t> words_;  ///< sorted by entry and peer
};

/// What a leader knows of all processes: who has been idle, and the channels on which messages are
/// not accounted for at both ends.
class Simulated {
 public:
  /// `keeps`: at a leader; others know nothing.
  Simulated(const JobShape& job, bool keeps);
  /// The words of a live process's tally, which is idle.
  void signal(Rank from, const std::vector<std::uint64_t>& words, const FailedRanks& failed);
  /// Nothing of the dead process's channels counts any more. If it died in this phase, all
  /// survivors must have taken in what it has sent.
  void died(Rank rank, bool in_this_phase);
  void require_flushes(Rank dead);
  /// All live processes were idle when they last told, and no channel holds a message.
  [[nodiscard]] bool terminated() const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::string waiting_for() const;

 private:
  /// Who has taken in all that a dead process has sent.
  struct Flushes {
    std::vector<bool> by;
    std::uint32_t live = 0;  ///< of these, how many live
    bool required = false;   ///< this leader has been told of the death
  };

  [[nodiscard]] std::uint64_t missing_flushes() const;
  Flushes& flushes_of(Rank dead);
  void move(Rank from, Rank to, std::int64_t messages);

  std::uint32_t processes_;
  std::uint32_t live_;
  std::uint32_t untold_ = 0;  ///< live processes that have not been idle
  std::vector<bool> told_;    ///< by rank
  std::map<std::pair<Rank, Rank>, std::int64_t> channels_;  ///< sent less received, if not 0
  std::map<Rank, Flushes> flushes_;                         ///< by dead rank
};

/// A cost model of what adoption-2013 section 3 says of Venkatesan's detector: to tolerate k
/// deaths, k + 1 leaders each receive signals of all processes and simulate the state of all of
/// them. Here a process signals when it becomes idle, with what it has sent and received on each
/// channel, and after a death when it has been flushed.
class Venkatesan final : public Component {
 public:
  /// Asks a process to take in what a dead one has sent.
  struct Question {
    Rank failed;
    double noticed_s;  ///< for the report: when the leader was told
  };

  using Options = VenkatesanOptions;
  Venkatesan(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override;
  Passage on_receive(Context& context, Message& message) override;
  void on_idle(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_peer_failed(Context& context, ActorId peer) override;
  void on_flushed(Context& context, ActorId peer) override;
  void report(Metrics& metrics) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  [[nodiscard]] bool is_leader() const { return self_ < leaders_; }
  [[nodiscard]] bool is_first_leader() const;
  void signal(Context& context);
  void ask_all(Context& context, const Question& question);
  void asked(Context& context, const Question& question);
  void succeed(Context& context);
  void try_announce(Context& context);
  void tell_all(Context& context, std::uint32_t phase) const;

  std::shared_ptr<const Options> options_;
  Rank self_;
  std::uint32_t processes_;
  std::uint32_t leaders_;
  Tally tally_;
  bool told_;  ///< the leaders know that this process has been idle
  FailedRanks failed_;
  std::vector<Question> deaths_;  ///< leader: that it knows of
  std::vector<Question> asked_;   ///< each dead rank once
  Simulated simulated_;           ///< empty but at leaders
  bool started_ = false;
  bool announced_ = false;
  std::uint64_t recovery_messages_ = 0;
  double recovery_s_ = 0.0;
  std::size_t state_bytes_ = 0;
};

}  // namespace faultline
