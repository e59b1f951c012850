// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocols/message_logging/duplicate_table.hpp"
#include "protocols/message_logging/logging_time.hpp"
#include "protocols/message_logging/moved_objects.hpp"
#include "protocols/message_logging/program_layer.hpp"
#include "protocols/message_logging/sender_log.hpp"

namespace faultline::message_logging {

struct FastOptions : MessageLogOptions {
  std::string identifier = "iteration-type";
  std::uint32_t helpers = 0;
};

/// Fast message logging (Algorithm 1 of fast-message-logging): messages to other ranks are logged,
/// and nothing about the order of deliveries is. The program takes its messages in by their tags,
/// so that any order will do. Each message has an identity between two objects, by which its
/// receiver knows it when it comes again.
///
/// The objects of a dead rank can recover on several others, its helpers. They come home before the
/// next checkpoint. Until then their home passes on what comes for them.
class Fast : public ProgramLayer {
 public:
  using Options = FastOptions;
  Fast(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Fast>(*this);
  }

  // ---- as a layer -----------------------------------------------------------------------------
  void on_request(RecoveryContext& context, const StackRequest& request) override;
  void on_restored(RecoveryContext& context) override;
  void on_timer(RecoveryContext& context, std::uint64_t key) override;
  void on_object_moved(RecoveryContext& context, ObjectId object) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 protected:
  enum Kind : std::uint16_t { kObject = LogMessage::kinds, kHosted, kHomecoming };
  /// What a message about an object says besides what it attaches.
  struct ObjectWords {
    std::uint64_t epoch = 0;  ///< of the checkpoint from which the object goes on
    std::uint64_t object = 0;
    double death_s = 0.0;     ///< of the rank that had it
    std::uint64_t level = 0;  ///< of a homecoming: the restarts that its sender knows of
  };

  Admission admit(RecoveryContext& context, Message& message) override;
  void stamp(RecoveryContext& context, Message& message) override;
  [[nodiscard]] bool is_ready() const override;
  void on_committed(RecoveryContext& context) override;
  void on_joined(RecoveryContext& context, Rank root, RestartReport& report) override;
  void on_agreed(RecoveryContext& context) override;
  void on_begun_anew(RecoveryContext& context) override { come_up(context); }
  void on_resumed(RecoveryContext& context) override { host_waiting(context); }
  void on_own_message(RecoveryContext& context, const Message& message) override;
  void digest_state(Digest& into) const override;

  // The parts.
  std::uint32_t processes_;
  SenderLog log_;  ///< idTable, msgLog
  LoggingTime time_;
  DuplicateTable come_;              ///< dupTable
  ByObject<Emigrant> emigrants_;     ///< listEmigrants
  ByObject<Immigrant> immigrants_;   ///< listImmigrants
  std::vector<MovedObject> lost_;    ///< at home here, and sent again since the last checkpoint
  std::vector<MovedObject> resent_;  ///< for which this rank has sent its log again since then

 private:
  enum Timer : std::uint64_t { kSendHome = ProgramTimer::keys };  ///< an object could not be packed

  [[nodiscard]] bool is_new(RecoveryContext& context, const Message& message);
  [[nodiscard]] KindChannel channel_of(const Message& message, Rank sender) const;

  // ---- objects that have moved ----------------------------------------------------------------
  [[nodiscard]] bool must_wait(const RecoveryContext& context, const Message& message);
  [[nodiscard]] std::optional<Admission> admit_moved(RecoveryContext& context, Message& message);
  [[nodiscard]] bool is_lost(const Emigrant& emigrant) const;
  void on_hosted(RecoveryContext& context, const Message& message);
  void take_object(RecoveryContext& context, const Message& message);
  void host_waiting(RecoveryContext& context);
  void send_home(RecoveryContext& context);
  void take_home(RecoveryContext& context, const Message& message);

  // ---- recovery -------------------------------------------------------------------------------
  void restart(RecoveryContext& context, const LogPeer& to) const;
  void resend_lost(RecoveryContext& context);
  void resend_to(RecoveryContext& context, const LogPeer& to,
                 const std::vector<MovedObject>& lost) const;
  void replace_lost(RecoveryContext& context);
  void await_again();
  void forget_received_by(RecoveryContext& context, ObjectId object);
  void catch_up(RecoveryContext& context);
  [[nodiscard]] double death_s_of(Rank rank) const;
  void distribute_all(RecoveryContext& context);
  void distribute(RecoveryContext& context, ObjectId object, Rank dead, std::uint32_t place);
  void try_resume(RecoveryContext& context);
  void come_up(RecoveryContext& context);

  std::uint32_t helpers_;  ///< on how many ranks the objects of a dead one recover; 0: at home
  std::vector<Message> homecomings_;  ///< of objects that came before this rank was ready for them
  std::uint32_t moving_ = 0;          ///< objects that are about to be hosted or removed here
  bool program_waits_ = false;        ///< all objects here wait for the next checkpoint
  bool awaits_helpers_ = false;       ///< the program goes on when all its objects are hosted
  bool came_up_ = false;              ///< this incarnation has noted the end of its restart
  std::optional<double> behind_since_s_;  ///< the death after which others have fallen behind
  /// When ranks have died whose restarts this rank has joined since the last agreement, the first
  /// time of each.
  std::vector<std::pair<Rank, double>> deaths_;
};

}  // namespace faultline::message_logging
