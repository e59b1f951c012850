#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/audit/run_observer.hpp"

namespace faultline {

/// Something that a process has done or learned, as it is seen from outside.
struct Fact {
  enum class What : std::uint8_t {
    sent,         ///< a message to the peer
    handled,      ///< a message of the peer
    told_dead,    ///< it has been told that the peer is dead
    flushed,      ///< that, and nothing that the peer has sent to it is on its way any more
    told_over,    ///< termination has been announced to it
    phase_began,  ///< another one; what it was told of the dead follows, as its detector is told
                  ///< anew
  };
  What what = What::sent;
  Rank peer = kNobody;
  std::uint64_t number = 0;  ///< its place among all facts of the run
  double time_s = 0.0;
  /// Of a message: its component, kind, and what it says.
  Family channel = Family::workload;
  std::uint16_t kind = 0;
  Payload payload = {};
  Attachment attachment = {};
};

/// The facts of one run, by process and in order. It knows no protocol.
class FactLog final : public RunObserver {
 public:
  explicit FactLog(std::uint32_t processes) : facts_(processes), phase_begins_(processes) {}

  void see(const Sight& sight) override;

  /// Keeps the facts of this process and, of all others, their deaths alone: a log of a large job
  /// stays small. What was there of others is forgotten.
  void keep_only(Rank rank);

  /// A process's facts end with its death.
  [[nodiscard]] const std::vector<Fact>& facts_of(Rank rank) const { return facts_[rank]; }
  [[nodiscard]] std::uint32_t processes() const {
    return static_cast<std::uint32_t>(facts_.size());
  }
  /// When each of the dead has died.
  [[nodiscard]] const std::map<Rank, double>& deaths_s() const { return deaths_s_; }

  /// That the protocol has given up.
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
