// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocols/message_logging/duplicate_table.hpp"
#include "protocols/message_logging/logged_layer.hpp"

namespace faultline {

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
class Fast : public LoggedLayer {
 public:
  using Options = FastOptions;
  Fast(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : LoggedLayer(*options, job, self,
                    options->identifier == "ssn" ? Identity::number : Identity::tag),
        helpers_(options->helpers) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Fast>(*this);
  }
  void fetch_ahead(const Message& message, Ahead what) const override;
  [[nodiscard]] std::string waiting_for() const override;

 protected:
  // What mutants get wrong.
  virtual bool is_new(Context& context, const Message& message);
  [[nodiscard]] bool must_wait(Context& context, const Message& message) override;
  [[nodiscard]] bool is_elsewhere(const Message& message) const override;
  [[nodiscard]] bool is_ready() const override;
  virtual void resend_lost(Context& context);
  /// What becomes of a message for an object that is or was away from its home; nothing in
  /// particular if the object is here.
  virtual std::optional<Verdict> admit_moved(Context& context, Message& message);

  /// An object at home here that another rank hosts, or has hosted since the last checkpoint.
  struct Emigrant {
    enum class Stage : std::uint8_t {
      leaving,  ///< its host has not said that it has it
      away,
      back,  ///< waits here for the next checkpoint, with all messages that it needs
    };
    ObjectId object = kNoObject;
    Incarnation host;
    Stage stage = Stage::leaving;
    /// How many restarts the sender of its homecoming must know of: those after which this rank has
    /// sent the object away. What set out before left its host without what was lost since.
    std::uint64_t level = 0;

    void digest(Digest& into) const { into.add(object, host, stage, level); }
  };
  /// Whether a homecoming set out before its home has sent the object away again. `level`: the
  /// restarts that its sender knew of.
  [[nodiscard]] virtual bool is_outdated(const Emigrant& object, std::uint64_t level) const {
    return level < object.level;
  }
  /// An object at home elsewhere that is hosted here, or was since the last checkpoint.
  struct Immigrant {
    enum class Stage : std::uint8_t {
      waiting,   ///< until this rank is where the object was packed
      settling,  ///< about to be hosted
      here,
      gone,  ///< home again, with all messages that it needs
    };
    ObjectId object = kNoObject;
    Rank home = kNobody;
    Stage stage = Stage::waiting;
    std::uint64_t epoch = 0;
    double death_s = 0.0;  ///< of the rank that had it
    PackedObject state;    ///< while it waits

    void digest(Digest& into) const { into.add(object, home, stage, epoch, state); }
  };

 private:
  enum Timer : std::uint64_t { kSendHome = kOwnTimers };  ///< an object could not be packed
  enum Kind : std::uint16_t { kObject = kLoggedKinds, kHosted, kHomecoming };

  /// An object that has come from elsewhere in the middle of an epoch has not logged all here that
  /// it has sent, so its numbers are noted.
  [[nodiscard]] std::uint32_t note(std::uint64_t identity) const override {
    return numbers_messages() ? static_cast<std::uint32_t>(identity) : 0;
  }
  Verdict admit_current(Context& context, Message& message) override;
  [[nodiscard]] bool is_recovering() const override { return !is_up(); }
  [[nodiscard]] bool recovers_several() const override { return true; }
  void on_committed(Context& context) override;
  void digest_state(Digest& into) const override;
  [[nodiscard]] KindChannel channel_of(const Message& message, Rank sender) const;

  // ---- recovery -------------------------------------------------------------------------------
  void on_timer(Context& context, std::uint64_t key) override;
  void on_object_moved(Context& context, ObjectId object) override;
  void on_joined(Context& context, Rank root, RestartReport& report) override;
  void on_reports(Context&, const RestartReport&) override {}
  void on_agreed(Context& context) override;
  void on_up(Context& context) override;
  bool goes_on_at_once(Context& context) override;
  void on_resumed(Context& context) override;
  void on_asked(Context& context) override;
  void on_log_message(Context& context, const Message& message) override;
  void serve(Context& context, Peer& peer) override;
  void resend_to(Context& context, const Peer& to, const std::vector<MovedObject>& lost);
  void await_again(Context& context);
  void forget_received_by(Context& context, ObjectId object);
  void catch_up(Context& context);
  [[nodiscard]] double death_s_of(Rank rank) const;
  void distribute(Context& context, ObjectId object, Rank dead, std::uint32_t place);
  void replace_lost(Context& context);
  void host_waiting(Context& context);
  void take_object(Context& context, const Message& message);
  void take_home(Context& context, const Message& message);
  void send_home(Context& context);
  void try_resume(Context& context);
  [[nodiscard]] Emigrant* emigrant(ObjectId object);
  [[nodiscard]] Immigrant* immigrant(ObjectId object);
  [[nodiscard]] bool is_lost(const Emigrant& emigrant) const;

  std::uint32_t helpers_;  ///< on how many ranks the objects of a dead one recover; 0: at home
  std::optional<double> behind_since_s_;  ///< the death after which others have fallen behind
  // What every message looks at is one cache line, up to the beginning of come_:
  alignas(kCacheLine) std::vector<Emigrant> emigrants_;  ///< listEmigrants, by object
  std::vector<Immigrant> immigrants_;                    ///< listImmigrants, by object
  DuplicateTable come_;                                  ///< dupTable
  std::vector<MovedObject> lost_;     ///< at home here, and sent again since the last checkpoint
  std::vector<MovedObject> resent_;   ///< for which this rank has sent its log again since then
  std::vector<Message> homecomings_;  ///< of objects that came before this rank was ready for them
  std::uint32_t moving_ = 0;          ///< objects that are about to be hosted or removed here
  bool program_waits_ = false;        ///< all objects here wait for the next checkpoint
  bool awaits_helpers_ = false;       ///< the program goes on when all its objects are hosted
  /// When ranks have died whose restarts this rank has joined since the last agreement, the first
  /// time of each.
  std::vector<std::pair<Rank, double>> deaths_;
  bool came_up_ = false;  ///< this incarnation has noted the end of its restart
};

}  // namespace faultline
