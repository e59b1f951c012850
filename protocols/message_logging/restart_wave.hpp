// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/checkpoints/checkpoint_message.hpp"
#include "protocols/checkpoints/gathering.hpp"
#include "protocols/checkpoints/image_checkpoints.hpp"
#include "protocols/checkpoints/rank_tree.hpp"
#include "protocols/message_logging/object_channel.hpp"
#include "sim/core/recovery_context.hpp"

namespace faultline::message_logging {

/// Which message a receiver has delivered, as which one.
struct Determinant {
  Rank receiver = kNobody;
  Rank holder = kNobody;     ///< the rank that stores it
  std::uint64_t ticket = 0;  ///< its place among all that the receiver has delivered, from 1 on
  ObjectChannel channel;
  std::uint64_t number = 0;       ///< of the message on its channel
  std::uint16_t incarnation = 0;  ///< of the receiver, that has given the ticket

  void digest(Digest& into) const {
    into.add(receiver, holder, ticket, channel, number, incarnation);
  }
};

/// An object of an over-decomposed program that is not, or was not, at its home.
struct MovedObject {
  ObjectId object = kNoObject;
  Rank home = kNobody;
  Incarnation host;  ///< where it is; of a lost one: where it was

  void digest(Digest& into) const { into.add(object, home, host); }
  friend bool operator==(const MovedObject&, const MovedObject&) = default;
};

/// What a rank, or all ranks of a subtree, know that a restarted rank needs.
struct RestartReport {
  std::uint64_t epoch = 0;     ///< the largest of them: how many checkpoints are committed
  std::uint32_t partners = 0;  ///< ranks that have exchanged messages with the restarted one
  std::vector<checkpoints::KeptFor> images;
  std::vector<Determinant> determinants;  ///< of that epoch
  std::uint64_t determinant_bytes = 0;    ///< size of each
  std::vector<MovedObject> moved;         ///< which live
  /// Whose hosts have restarted since the last checkpoint, as their homes know.
  std::vector<MovedObject> lost;
  /// Restarted ranks for which somebody has messages of that epoch, once each.
  std::vector<Rank> addressed;

  void add(const RestartReport& other);
  void digest(Digest& into) const {
    into.add(epoch, partners, images, determinants, moved, lost, addressed);
  }
};

/// What has come of a wave.
struct RestartAgreement {
  std::uint64_t level = 0;        ///< of the wave: how many restarts there had been
  std::uint64_t epoch = 0;        ///< how many checkpoints are committed
  std::vector<Rank> have_images;  ///< restarted ranks of which somebody keeps the latest image
  std::vector<MovedObject> moved;
  std::vector<MovedObject> lost;
  std::vector<Rank> addressed;

  void digest(Digest& into) const { into.add(level, epoch, have_images, moved, lost, addressed); }
};

/// Whoever restarts tells all ranks so, over a control tree with itself as the root: first of all
/// restarts that there have been, then, when all have reported what they know, of how many
/// checkpoints are committed. The number of restarts is the level of the wave. Each incarnation
/// hears at its birth of all earlier ones from the resource manager, so that later waves have
/// higher levels. A wave that loses a rank is cut, and the rank's successor starts another. The
/// last wave reaches everybody.
class RestartWave {
 public:
  enum class Due : std::uint8_t {
    nothing,
    report,  ///< this rank has joined, knows of all restarts, and owes `report`
    agreed,
  };

  RestartWave(std::uint32_t processes, Rank self, std::uint64_t bytes)
      : processes_(processes), self_(self), bytes_(bytes) {}

  /// This incarnation starts its wave.
  Due begin(RecoveryContext& context, double death_s);
  Due on_message(RecoveryContext& context, const Message& message);
  /// This rank has learned of a restart.
  Due on_peer_restarted(RecoveryContext& context);
  /// What this rank knows, once for each wave.
  Due report(RecoveryContext& context, const RestartReport& own);

  [[nodiscard]] std::uint64_t joined() const { return joined_; }
  [[nodiscard]] Rank root() const { return root_; }
  /// The incarnation of a rank that the wave is about, or that had restarted before.
  [[nodiscard]] std::uint16_t incarnation_of(Rank rank) const;
  /// Calls visit(incarnation) for each of these.
  template <class Visit>
  void for_each_restarted(Visit visit) const {
    for (const Incarnation& life : restarted_) visit(life);
  }
  [[nodiscard]] double death_s() const { return death_s_; }
  [[nodiscard]] const RestartAgreement& agreement() const { return agreement_; }
  /// At the root, when all is agreed: what all have reported.
  [[nodiscard]] const RestartReport& reports() const { return reports_; }
  void digest(Digest& into) const;

 private:
  /// What the messages of a wave say besides what is attached.
  struct Words {
    std::uint64_t level = 0;
    std::uint64_t value = 0;  ///< the root, or an epoch
    double death_s = 0.0;
  };

  Due join(RecoveryContext& context, const Message& message);
  Due take_report(RecoveryContext& context, const Message& message);
  Due pass_on_report(RecoveryContext& context);
  Due agree(RecoveryContext& context, const RestartAgreement& agreement);
  Due tell_when_all_are_known(RecoveryContext& context);
  [[nodiscard]] checkpoints::RankTree tree() const {
    return {.processes = processes_, .root = root_};
  }

  std::uint32_t processes_;
  Rank self_;
  std::uint64_t bytes_;
  std::uint64_t joined_ = 0;            ///< the level of the latest wave
  Rank root_ = 0;                       ///< of that wave
  double death_s_ = 0.0;                ///< when the root's last incarnation died
  std::vector<Incarnation> restarted_;  ///< all, as the root knows
  bool to_tell_ = false;                ///< the children have still to be told of the wave
  checkpoints::Gathering reported_;
  RestartReport reports_;
  RestartAgreement agreement_;  ///< the latest
};

}  // namespace faultline::message_logging
