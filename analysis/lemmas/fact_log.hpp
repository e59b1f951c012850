// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/audit/run_observer.hpp"

namespace faultline::lemmas {

/// Something that a process did or was told, as an outside observer sees it.
struct Fact {
  enum class What : std::uint8_t {
    sent,       ///< the process sent a message to the peer
    handled,    ///< it handled a message from the peer
    told_dead,  ///< it was told that the peer is dead
    flushed,    ///< it was told so, and no message from the peer is on its way to it
    told_over,  ///< termination was announced to it
    /// It began another phase. The deaths that it knows of follow as facts once more, since its new
    /// detector is told of them.
    phase_began,
  };
  What what = What::sent;
  Rank peer = kNobody;
  std::uint64_t number = 0;  ///< its place among all facts of the run
  double time_s = 0.0;
  /// For messages only: the family of the component that sent it, its kind, and its content.
  Family channel = Family::workload;
  std::uint16_t kind = 0;
  Payload payload = {};
  Attachments attachments = {};
};

/// The facts of one run, by process and in order. The log knows no protocol: its readers know what
/// the messages mean.
class FactLog final : public audit::RunObserver {
 public:
  explicit FactLog(std::uint32_t processes) : facts_(processes), phase_begins_(processes) {}

  void see(const audit::Sight& sight) override;

  /// From now on keeps the facts of this process, and only the deaths of all others, so that the
  /// log of a large job stays small. Drops the facts of others that it already has.
  void keep_only(Rank rank);

  /// The facts of a process, up to its death.
  [[nodiscard]] const std::vector<Fact>& facts_of(Rank rank) const { return facts_[rank]; }
  [[nodiscard]] std::uint32_t processes() const {
    return static_cast<std::uint32_t>(facts_.size());
  }
  /// The time of each death.
  [[nodiscard]] const std::map<Rank, double>& deaths_s() const { return deaths_s_; }

  /// When a live process was first declared dead; kNever if none was.
  [[nodiscard]] double first_false_report_s() const { return first_false_report_s_; }

  /// The process that gave up, and when.
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
  void after_drops(const audit::Sight& next);
  void phase_began(Rank self, double time_s);
  void note_message(Rank self, Fact::What what, Rank peer, const audit::Sight& sight);
  void arrived(const audit::Sight& sight);
  void died(Rank rank, double time_s);
  void check_flushed(Rank self, Rank peer, double time_s);

  std::vector<std::vector<Fact>> facts_;
  /// Only looked up and counted, since its order depends on addresses.
  std::unordered_map<const Message*, OnItsWay> on_their_way_;
  std::vector<Dropped> dropped_;           ///< since the last sight that was not a drop
  std::vector<std::size_t> phase_begins_;  ///< for each process: index of its phase's first fact
  Rank only_ = kNobody;                    ///< process whose facts are kept; kNobody: all
  std::map<Rank, double> deaths_s_;
  double first_false_report_s_ = kNever;
  std::optional<GaveUp> gave_up_;
  std::uint64_t number_ = 0;
};

}  // namespace faultline::lemmas
