#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/audit/run_observer.hpp"

namespace faultline {

/// Something that a process has done or has been told, as an observer outside of it sees it.
struct Fact {
  enum class What : std::uint8_t {
    sent,         ///< it has sent a message to the peer
    handled,      ///< it has handled a message of the peer
    told_dead,    ///< it has been told that the peer is dead
    flushed,      ///< it has been told so, and no message of the peer to it is on its way any more
    told_over,    ///< termination has been announced to it
    phase_began,  ///< it has begun another phase. The deaths that it knows of follow once more,
                  /// < since its new detector is told of them
  };
  What what = What::sent;
  Rank peer = kNobody;
  std::uint64_t number = 0;  ///< its place among all facts of the run
  double time_s = 0.0;
  /// Only of a message: whose it is, its kind, and what it says.
  Family channel = Family::workload;
  std::uint16_t kind = 0;
  Payload payload = {};
  Attachment attachment = {};
};

/// The facts of one run, by process and in order. What messages mean is for the reader of the log:
/// the log itself knows no protocol.
class FactLog final : public RunObserver {
 public:
  explicit FactLog(std::uint32_t processes) : facts_(processes), phase_begins_(processes) {}

  void see(const Sight& sight) override;

  /// From now on keeps the facts of this process, and only the deaths of all others, so that the
  /// log of a large job stays small. Forgets the facts of others that it has.
  void keep_only(Rank rank);

  /// The facts of a process, up to its death.
  [[nodiscard]] const std::vector<Fact>& facts_of(Rank rank) const { return facts_[rank]; }
  [[nodiscard]] std::uint32_t processes() const {
    return static_cast<std::uint32_t>(facts_.size());
  }
  /// The time of each death.
  [[nodiscard]] const std::map<Rank, double>& deaths_s() const { return deaths_s_; }

  /// Which process has given up, and when.
  struct GaveUp {
    Rank rank = kNobody;
    double time_s = 0.0;
  };
  [[nodiscard]] const std::optional<GaveUp>& gave_up() const { return gave_up_; }

 private:
  struct OnItsWay {
    Rank from;
    Rank to;
    double injected_s;
  };

  struct Dropped {
    Rank from;
    Rank to;
    double time_s;
  };

  [[nodiscard]] bool keeps(ActorId actor) const {
    return actor < facts_.size() && (only_ == kNobody || actor == only_);
  }
  void note(Rank self, Fact::What what, Rank peer, double time_s);
  void after_drops(const Sight& next);
  void phase_began(Rank self, double time_s);
  void note_message(Rank self, Fact::What what, Rank peer, const Sight& sight);
  void arrived(const Sight& sight);
  void died(Rank rank, double time_s);
  void check_flushed(Rank self, Rank peer, double time_s);

  std::vector<std::vector<Fact>> facts_;
  /// Looked up and counted, never walked through in order: it depends on addresses.
  std::unordered_map<const Message*, OnItsWay> on_their_way_;
  std::vector<Dropped> dropped_;           ///< since the last sight of anything else
  std::vector<std::size_t> phase_begins_;  ///< where in the facts of each
  Rank only_ = kNobody;                    ///< whose facts are kept; everybody's
  std::map<Rank, double> deaths_s_;
  std::optional<GaveUp> gave_up_;
  std::uint64_t number_ = 0;
};

}  // namespace faultline
