// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "protocols/message_logging/channel_table.hpp"
#include "protocols/message_logging/logging_time.hpp"
#include "protocols/message_logging/object_channel.hpp"
#include "protocols/message_logging/program_layer.hpp"
#include "protocols/message_logging/repeated_sends.hpp"
#include "protocols/message_logging/seen_numbers.hpp"
#include "protocols/message_logging/sender_log.hpp"

namespace faultline::message_logging {

/// Message logging for programs that send the same messages in every run, whatever the order in
/// which they receive: without determinants. Each message has a phase, one more than those that it
/// depends on. A restarted rank gets the logged messages phase by phase, so that none is replayed
/// before one that it depends on.
class SendDeterministic final : public ProgramLayer {
 public:
  using Options = MessageLogOptions;
  SendDeterministic(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<SendDeterministic>(*this);
  }

  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  enum Kind : std::uint16_t { kPhases = LogMessage::kinds, kReplayPhase };

  /// What the log of a rank holds for this one, which has restarted.
  struct LogContent {
    std::uint64_t received = 0;                     ///< messages that its owner has from this rank
    std::map<ObjectChannel, std::uint64_t> last;    ///< number of the last message on each channel
    std::map<std::uint32_t, std::uint64_t> phases;  ///< how many messages there are of each

    void digest(Digest& into) const { into.add(received, last, phases); }
    [[nodiscard]] bool contains(const Message& message) const;
  };

  Admission admit(RecoveryContext& context, Message& message) override;
  void stamp(RecoveryContext& context, Message& message) override;
  void on_committed(RecoveryContext& context) override;
  void on_joined(RecoveryContext& context, Rank root, RestartReport& report) override;
  void on_reports(RecoveryContext& context, const RestartReport& reports) override;
  void on_agreed(RecoveryContext& context) override;
  void on_begun_anew(RecoveryContext& context) override { try_replay(context); }
  void on_resumed(RecoveryContext& context) override;
  void try_recovered(RecoveryContext& context) override {
    repeats_.try_end(context, log_, replays_, program_);
  }
  void on_own_message(RecoveryContext& context, const Message& message) override;
  void digest_state(Digest& into) const override {
    into.add(program_, log_, come_, phase_, replays_, logs_, replayed_, awaited_);
  }

  [[nodiscard]] bool must_wait(const Message& message);
  void take(RecoveryContext& context, const Message& message);
  Admission replay(RecoveryContext& context, const Message& message);
  void tell_phases(RecoveryContext& context, const LogPeer& to) const;
  void resend_phase(RecoveryContext& context, Rank to, std::uint32_t phase);
  void on_phases(RecoveryContext& context, const Message& message);
  void try_replay(RecoveryContext& context);
  void begin_phase(RecoveryContext& context, std::uint32_t phase);

  SenderLog log_;
  RepeatedSends repeats_;
  LoggingTime time_;
  ChannelTable<ObjectChannel, SeenNumbers> come_;  ///< numbers that have come on each channel
  std::uint32_t phase_ = 0;                        ///< of what this rank sends
  bool replays_ = false;
  std::map<Rank, LogContent> logs_;  ///< of others; of a phase that has begun, nothing is left
  std::uint32_t replayed_ = 0;       ///< the phase that is being replayed
  std::uint64_t awaited_ = 0;        ///< messages of that phase that have not come
};

}  // namespace faultline::message_logging
