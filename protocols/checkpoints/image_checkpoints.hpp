// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/checkpoints/checkpoint_message.hpp"
#include "protocols/checkpoints/checkpoint_round.hpp"
#include "protocols/checkpoints/checkpoint_times.hpp"
#include "protocols/checkpoints/image_store.hpp"
#include "sim/core/mark.hpp"
#include "sim/core/metrics.hpp"
#include "sim/core/recovery_context.hpp"

namespace faultline::checkpoints {

/// What a message with an image of its sender says beside what it attaches.
struct ImageWords {
  RoundStep step;
  std::uint64_t committed = 0;  ///< 1: a copy of what is committed already
};

/// An image that some rank keeps for a restarted one.
struct KeptFor {
  Rank client = kNobody;
  std::uint64_t number = 0;  ///< of the synchronisation point at which it was taken

  void digest(Digest& into) const { into.add(client, number); }
};

/// What a program had when its image was taken, and an image does not hold.
struct BesideImage {
  std::vector<Message> unsent = {};  ///< that its layer has held back
  std::uint64_t deliveries = 0;      ///< with a ticket
};

struct CheckpointOptions {
  std::uint64_t control_bytes = 32;
  std::uint64_t image_bytes = 1000000;
  /// From one checkpoint to the next, where the layer takes them and not the program.
  std::optional<double> checkpoint_interval_s = {};
};

/// One rank's part in the checkpoints of all: it takes an image, keeps it, and sends a copy to a
/// keeper on another node; when all have stored theirs, the old ones go (CheckpointRound). It keeps
/// the images of its clients, and gives them back to incarnations that need them. Which checkpoint
/// is valid after a restart others say (`begin_round`).
class ImageCheckpoints {
 public:
  using Due = CheckpointRound::Due;

  ImageCheckpoints(const CheckpointOptions& options, const JobShape& job, Rank self);

  // ---- to take one ----------------------------------------------------------------------------
  /// The program waits for the next checkpoint.
  void ask(const StackRequest& request);
  /// The next checkpoint is due by the time that has passed, whatever the program does.
  void ask_by_time() { due_ = true; }
  [[nodiscard]] bool is_asked() const { return due_ || program_waits(); }
  [[nodiscard]] bool program_waits() const { return asked_.has_value(); }
  /// The agreement on the next one.
  [[nodiscard]] CheckpointRound& round() { return round_; }
  [[nodiscard]] const CheckpointRound& round() const { return round_; }
  /// Takes the image. If there is none as yet, it is still to be taken.
  Due take(RecoveryContext& context, const BesideImage& beside);
  [[nodiscard]] bool is_still_to_take() const { return still_to_take_; }
  void take_later() { still_to_take_ = true; }
  /// A message about a checkpoint on the level of this rank: `ready`, `take`, `stored`, `commit`,
  /// `image`, or `image-stored`.
  Due on_message(RecoveryContext& context, const Message& message);
  /// What all have taken is valid, and the next round begins.
  void commit(RecoveryContext& context, std::uint64_t level);
  /// How many checkpoints are committed.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  /// The last one of this rank. There is one.
  [[nodiscard]] const Checkpoint& last() const { return kept_->checkpoint; }
  [[nodiscard]] bool has_last() const { return kept_.has_value(); }

  // ---- restarts -------------------------------------------------------------------------------
  /// The largest epoch that this rank knows of, and which images it has of ranks that have
  /// restarted, itself included.
  struct Known {
    std::uint64_t epoch = 0;
    std::vector<KeptFor> images;
  };
  [[nodiscard]] Known known(const RecoveryContext& context) const;
  /// The round goes on or begins anew, on that level; images that all have not stored are void.
  void begin_round(std::uint64_t level);
  void drop_round();
  /// This rank, which has restarted, is behind so many checkpoints.
  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }
  /// The program is put back, and asks again.
  void forget_request() {
    asked_.reset();
    due_ = false;
  }
  /// The keeper has restarted, and has lost the image: it gets it again.
  void renew_copy(RecoveryContext& context);
  /// Gives the clients that have restarted their images.
  void serve_clients(RecoveryContext& context);
  /// `image`, where the sender says that it is committed already.
  void keep_renewed(RecoveryContext& context, const Message& message);
  /// `your-image`: it can come before this rank knows what has been agreed on. If its keeper dies
  /// then, this rank alone has it.
  void on_your_image(RecoveryContext& context, const Message& message);
  /// Goes on from the image that has come, if that is the valid one. False if none has.
  bool take_arrived(RecoveryContext& context);

  // ---- seen from outside ----------------------------------------------------------------------
  [[nodiscard]] ImageStore& store() { return store_; }
  void report(MetricTotals& totals) const;
  void digest(Digest& into) const {
    into.add(round_, epoch_, asked_, due_, taken_, kept_, store_, arrived_, still_to_take_);
  }

 private:
  /// An image of this rank.
  struct OwnImage {
    Checkpoint checkpoint;
    Incarnation keeper = {};  ///< the rank that has got it, or has sent it

    void digest(Digest& into) const { into.add(checkpoint, keeper); }
  };

  [[nodiscard]] std::uint64_t level() const { return round_.round().level; }
  [[nodiscard]] std::uint64_t bytes_of(const Checkpoint& checkpoint) const;
  void send_copy(RecoveryContext& context, const OwnImage& own, bool committed) const;
  void keep(RecoveryContext& context, const Message& message);

  JobShape job_;
  Rank self_;
  std::uint64_t control_bytes_;
  std::uint64_t image_bytes_;
  CheckpointRound round_;
  std::uint64_t epoch_ = 0;
  std::optional<StackRequest> asked_;  ///< by the program, for the checkpoint of this epoch
  bool due_ = false;                   ///< the next checkpoint, by time
  std::optional<OwnImage> taken_;      ///< of the round
  std::optional<OwnImage> kept_;       ///< committed
  std::optional<OwnImage> arrived_;    ///< committed, and sent to this rank, which has restarted
  ImageStore store_;
  bool still_to_take_ = false;  ///< there was no image when all had asked for one
  CheckpointTimes times_;
};

inline constexpr MetricSpec kCheckpointTime{"checkpoint_time_s", Merge::mean,
                                            "time for which a checkpoint keeps a program waiting",
                                            Trend::of_merge, families(Family::message_logging)};
inline constexpr Mark kCheckpointMark{
    "checkpoint", "a rank has taken its image: how many checkpoints were committed before"};

}  // namespace faultline::checkpoints
