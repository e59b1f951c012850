// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "protocols/message_logging/logged_layer.hpp"
#include "protocols/message_logging/seen_numbers.hpp"

namespace faultline {

/// Message logging for programs that send the same messages in every run, whatever the order in
/// which they receive: without determinants. Each message has a phase, one more than those that it
/// depends on. A restarted rank gets the logged messages phase by phase, so that none is replayed
/// before one that it depends on.
class SendDeterministic final : public LoggedLayer {
 public:
  using Options = MessageLogOptions;
  SendDeterministic(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : LoggedLayer(*options, job, self) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<SendDeterministic>(*this);
  }
  void fetch_ahead(const Message& message, Ahead what) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  enum Kind : std::uint16_t { kPhases = kLoggedKinds, kReplayPhase };

  /// What the log of a rank holds for this one, which has restarted.
  struct LogContent {
    std::uint64_t received = 0;                     ///< messages that its owner has from this rank
    std::map<ObjectChannel, std::uint64_t> last;    ///< number of the last message on each channel
    std::map<std::uint32_t, std::uint64_t> phases;  ///< how many messages there are of each

    void digest(Digest& into) const { into.add(received, last, phases); }
    [[nodiscard]] bool contains(const Message& message) const;
  };

  Verdict admit_current(Context& context, Message& message) override;
  [[nodiscard]] bool must_wait(Context& context, const Message& message) override;
  [[nodiscard]] std::uint32_t note(std::uint64_t) const override { return phase_; }
  std::uint32_t before(Context&, Message&) override { return phase_; }
  [[nodiscard]] bool is_recovering() const override { return !is_up() || replays_; }
  void serve(Context& context, Peer& peer) override;
  void on_log_message(Context& context, const Message& message) override;
  void on_reports(Context& context, const RestartReport& reports) override;
  void on_up(Context& context) override;
  void on_resumed(Context& context) override;
  void on_committed(Context& context) override;
  void digest_state(Digest& into) const override;

  Verdict take(Context& context, Message& message);
  void try_replay(Context& context);
  void begin_phase(Context& context, std::uint32_t phase);

  ChannelTable<ObjectChannel, SeenNumbers> come_;  ///< numbers that have come on each channel
  std::uint32_t phase_ = 0;                        ///< of what this rank sends
  bool replays_ = false;
  std::map<Rank, LogContent> logs_;  ///< of others; of a phase that has begun, nothing is left
  std::uint32_t replayed_ = 0;       ///< the phase that is being replayed
  std::uint64_t awaited_ = 0;        ///< messages of that phase that have not come
};

}  // namespace faultline
