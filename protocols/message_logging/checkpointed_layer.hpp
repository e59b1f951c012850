// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocols/message_logging/checkpoint.hpp"
#include "protocols/message_logging/checkpoint_round.hpp"
#include "protocols/message_logging/restart_wave.hpp"
#include "sim/core/boxed.hpp"
#include "sim/core/component.hpp"

namespace faultline {

/// The most bytes of a control message, or of an entry of one. Thousands of them fit into a
/// message.
inline constexpr double kLargestPart_B = 1 << 20;

/// What all protocols of message logging have in common.
struct CheckpointOptions {
  std::uint64_t control_bytes = 32;
  std::uint64_t image_bytes = 1000000;
};

/// What a protocol adds to each message of the program.
struct LoggingStamp {
  std::uint32_t epoch = 0;  ///< how many checkpoints its sender had committed
  std::uint32_t level = 0;  ///< which history of a rolled back program it belongs to, if any
  std::uint64_t id = 0;     ///< on its channel; its meaning is the protocol's
};

/// A layer with coordinated checkpoints: each rank keeps its image and sends a copy to a keeper on
/// another node, and the old ones go when all new ones are stored (CheckpointRound). A dead rank is
/// restarted, all agree on the checkpoint that is valid (RestartWave), and the keeper sends the new
/// incarnation its image. What the other ranks do then is the protocol's.
///
/// The program above must ask for CheckpointRequest{0} before it sends anything.
class CheckpointedLayer : public Layer {
 public:
  void start(Context& context) override;
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override;
  Passage on_receive(Context& context, Message& message) final;
  void on_message(Context& context, const Message& message) final;
  void on_request(Context& context, const StackRequest& request) final;
  void on_restored(Context& context) override;
  void on_timer(Context& context, std::uint64_t key) override;
  void on_peer_failed(Context& context, Incarnation peer) override;
  void on_peer_restarted(Context& context, Incarnation peer) override;
  void on_restart_refused(Context& context, Incarnation peer) override;
  [[nodiscard]] bool recovers(ActorId) const override { return true; }
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 protected:
  enum Timer : std::uint64_t {
    kTryAgain,  ///< there was no image
    kBegin,     ///< all components have started
    kHandUp,    ///< the next message
    kStarted,   ///< all components have started anew
    kOwnTimers
  };
  static constexpr double kTryAgain_s = 1e-6;
  enum Kind : std::uint16_t { kImage = RestartWave::kKinds, kImageStored, kYourImage, kOwnKinds };
  /// What becomes of a message of the program that has arrived.
  enum class Verdict : std::uint8_t {
    deliver,
    discard,
    hold,  ///< offered again when something has changed: release_held()
    kept,  ///< the protocol has a copy of it, and will deliver or discard that
  };

  CheckpointedLayer(const CheckpointOptions& options, const JobShape& job, Rank self);

  // ---- the protocol's part --------------------------------------------------------------------
  /// A message of the program has come from another rank, or from this one, and the program can
  /// take it in.
  virtual Verdict admit(Context& context, Message& message) = 0;
  /// A message has come, and nobody can take it in as yet.
  virtual void on_early(Context&, Message&) {}
  /// This rank knows of all restarts up to that of `root`, and says what it knows of that rank.
  virtual void on_joined(Context&, Rank /*root*/, RestartReport&) {}
  /// All have agreed on a restart. The program of this rank runs, as before.
  virtual void on_agreed(Context&) {}
  /// This new incarnation, whose restart has been agreed on, knows what all have reported.
  virtual void on_reports(Context&, const RestartReport&) {}
  /// The program of this rank is about to begin from its image, or from its start.
  virtual void on_up(Context&) {}
  /// A checkpoint is committed: nothing from before will be needed.
  virtual void on_committed(Context&) {}
  /// The program has been put back. False if it must wait: then the protocol calls `resume`.
  virtual bool goes_on_at_once(Context&) { return true; }
  /// The program waits for the next checkpoint.
  virtual void on_asked(Context&) {}
  /// Is everything at this rank that its image must have? If not, the protocol calls
  /// `ask_if_ready` when it is.
  [[nodiscard]] virtual bool is_ready() const { return true; }
  /// Messages can be delivered to the program again.
  virtual void on_resumed(Context& context) { release_held(context); }
  virtual void on_own_message(Context&, const Message&) {}
  /// Does each agreement on a restart put the program of every rank back?
  [[nodiscard]] virtual bool rolls_back() const { return false; }
  /// Deliveries with a ticket that what this rank does now stands on, of all epochs. Those that are
  /// made again after a restart count once.
  [[nodiscard]] virtual std::uint64_t all_deliveries() const { return 0; }
  /// A message of the components above is about to go down for the first time.
  virtual void stamp(Context& context, Message& message) = 0;
  /// Must the components above get each message, and each computation of theirs that ends, in a
  /// turn of its own? A turn ends with the news that the rank is idle.
  [[nodiscard]] virtual bool hands_up_singly() const { return false; }
  /// Hands up the next message of those that the protocol has. False if there is none as yet.
  virtual bool hand_up_next(Context&) { return false; }
  // What mutants get wrong.
  virtual void keep_image(Incarnation client, const Checkpoint& checkpoint) {
    rare_->store.put_pending(client, checkpoint);
  }
  virtual bool is_of_old_incarnation(Context& context, const Message& message) const {
    return message.from_incarnation < context.known(message.from).number;
  }

  /// Offers what was held again.
  void release_held(Context& context);
  /// Holds messages again, before all others.
  void hold_again(std::vector<Message> messages);
  /// Hands up a message that the protocol has kept.
  void hand_up(Context& context, const Message& message);
  /// Hands up, in turns of their own, what can be handed up.
  static void hand_up_later(Context& context) { context.set_timer(kHandUp, 0.0); }
  /// Counts a message of the components above that goes down now. Or keeps it back, and returns
  /// false.
  bool goes_down(Context& context, const Message& message);
  /// Counts one that is about to be handed up.
  void received(Context& context);
  /// Is there a termination detector above?
  [[nodiscard]] bool has_detector() const { return has_detector_; }
  /// Puts the program back to the last checkpoint, if there is one.
  void roll_back(Context& context);
  /// Lets the program go on from its last checkpoint.
  void resume(Context& context);
  /// Takes part in the next checkpoint, if the program has asked for it and `is_ready` says so.
  void ask_if_ready(Context& context);
  /// Notes that this rank is where it was when a rank died at that time.
  void recovered(Context& context, double death_s);

  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  /// The iterations that the program has done, for the first incarnation that has finished, and 0
  /// for others. Changes `totals`.
  [[nodiscard]] double iterations_to_report(MetricTotals& totals) const;
  [[nodiscard]] ImageStore& images() { return rare_->store; }
  /// How many restarts this rank has taken in.
  [[nodiscard]] std::uint64_t level() const { return rare_->wave.agreement().level; }
  [[nodiscard]] bool is_up() const { return up_; }
  /// Can the program get messages?
  [[nodiscard]] bool hands_up() const { return up_ && !resumes_ && !starts_; }
  /// Can messages come twice? Only what goes back to an earlier state sends again, and it does so
  /// after all have joined its restart. So none can before this rank has joined one.
  [[nodiscard]] bool may_repeat() const { return may_repeat_; }
  /// The program waits for its last checkpoint's answer, and gets no messages.
  [[nodiscard]] bool is_resuming() const { return resumes_; }
  /// The last checkpoint of this rank. There is one.
  [[nodiscard]] const Checkpoint& kept() const { return rare_->kept->checkpoint; }
  /// Does the program wait for a checkpoint?
  [[nodiscard]] bool waits() const { return rare_->asked.has_value(); }
  [[nodiscard]] const RestartWave& wave() const { return rare_->wave; }
  [[nodiscard]] Rank self() const { return self_; }
  [[nodiscard]] const JobShape& job() const { return rare_->job; }
  [[nodiscard]] std::uint64_t control_bytes() const { return control_bytes_; }
  void digest_state(Digest& into) const override;

 private:
  /// An image of this rank.
  struct OwnImage {
    Checkpoint checkpoint;
    Incarnation keeper;  ///< who has got it, or has sent it

    void digest(Digest& into) const { into.add(checkpoint, keeper); }
  };

  Passage pass(Context& context, Message& message, Verdict verdict);
  bool release_one_held(Context& context);
  [[nodiscard]] bool keeps_back(const Message& message) const;
  void send_unsent(Context& context);
  void end_quiet(Context& context);
  void put_back(Context& context);
  void go_on(Context& context, CheckpointRound::Due due);
  void go_on(Context& context, RestartWave::Due due);
  void handle_step(Context& context, const Message& message);
  void take_image(Context& context);
  [[nodiscard]] std::uint64_t bytes_of(const Checkpoint& checkpoint) const;
  void send_image(Context& context, const OwnImage& own, bool committed);
  void on_image(Context& context, const Message& message);
  void commit(Context& context);
  void join(Context& context);
  void agree(Context& context);
  void serve_clients(Context& context);
  void renew_copy(Context& context);
  void begin_round();
  void await_image(Context& context);
  void on_your_image(Context& context, const Message& message);
  void take_arrived(Context& context);

  /// What only checkpoints and restarts need. It lies apart, so that what every message looks at
  /// lies together.
  struct RareState {
    RareState(const CheckpointOptions& options, const JobShape& shape, Rank self)
        : job(shape),
          image_bytes(options.image_bytes),
          round(job.processes, self, options.control_bytes),
          wave(job.processes, self, options.control_bytes) {}

    JobShape job;
    std::uint64_t image_bytes;
    CheckpointRound round;
    RestartWave wave;
    std::optional<StackRequest> asked;  ///< by the program, for the checkpoint of this epoch
    std::optional<OwnImage> taken;      ///< of the round
    std::optional<OwnImage> kept;       ///< committed
    std::optional<OwnImage> arrived;    ///< committed, and sent to this rank, which has restarted
    ImageStore store;
    bool take_due = false;                     ///< there was no image when all had asked for one
    std::vector<Incarnation> for_spare_nodes;  ///< the dead whose own nodes are gone
    std::vector<Message> early;  ///< about checkpoints, of later levels than this rank's
    double taken_s = 0.0;
    double checkpoint_time_s = 0.0;  ///< of all checkpoints of this incarnation
    std::uint64_t checkpoints = 0;
    std::optional<double> recovery_time_s;  ///< the longest
    std::uint64_t iterations = 0;
    // Counted by checkpoint-restart, and by the others below a termination detector:
    std::int64_t sent = 0;  ///< by the layers above and the program, since the last checkpoint
    std::int64_t received = 0;
    std::vector<Message> unsent;  ///< kept back, of the layers above
  };

  std::uint64_t control_bytes_;
  Rank self_;
  bool up_ = false;       ///< the program has started, or gone on from an image
  bool resumes_ = false;  ///< the program is about to get its answer
  bool starts_ = false;   ///< the program is about to start anew, and to get what is held
  bool awaits_image_ = false;
  bool has_detector_ = false;
  bool begun_ = false;  ///< the program has had its first answer, or never asks
  bool quiet_ = false;  ///< what the program does not send itself is kept back
  bool may_repeat_ = false;
  std::uint64_t epoch_ = 0;    ///< how many checkpoints are committed
  std::vector<Message> held_;  ///< of the program
  Boxed<RareState> rare_;
};

/// A member that the options of a protocol have from these, as theirs.
template <class Options, class Base, class Member>
constexpr Member Options::*inherited(Member Base::*member) {
  return member;
}

template <class Options>
void add_checkpoint_options(OptionSet<Options>& set) {
  set.option("control_bytes", inherited<Options>(&CheckpointOptions::control_bytes),
             {.doc = "size of a control message, without what it lists",
              .unit = "B",
              .source = "assumed: four words",
              .maximum = kLargestPart_B})
      .option(
          "image_bytes", inherited<Options>(&CheckpointOptions::image_bytes),
          {.doc = "size of the image of a rank whose program has no objects, or objects of 0 bytes",
           .unit = "B",
           .source = "assumed"});
}

/// The kinds of messages that all these protocols have, and behind them those of one of them.
std::vector<std::string> checkpoint_kinds(const std::vector<std::string>& own = {});
/// Their metrics, and behind them those of one of them.
MetricSpecs checkpoint_metrics(const MetricSpecs& own = {});
/// Their marks.
Marks checkpoint_marks();

}  // namespace faultline
