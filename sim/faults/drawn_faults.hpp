// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/faults/fault_counts.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/faults/repair_law.hpp"
#include "sim/faults/victim_placement.hpp"

namespace faultline::faults {

/// The moment of a fault. `unit` is its first victim, as an index into the units of the
/// VictimPlacement, if the victim is drawn together with the moment.
struct Arrival {
  double time_s = 0.0;
  std::optional<std::uint32_t> unit;
};

/// Returns the next arrival, or nothing if there are no more.
using Arrivals = std::function<std::optional<Arrival>()>;

/// How many units a fault takes: always the same number, or a number drawn from recorded counts.
class SizeLaw {
 public:
  explicit SizeLaw(std::uint64_t fixed) : fixed_(fixed) {}
  SizeLaw(const FaultCounts& counts, Stream random);

  std::uint64_t draw();

 private:
  std::uint64_t fixed_ = 1;
  std::vector<FaultCount> up_to_;  ///< cumulative: `count` faults have at most `failed` units
  Stream random_;
};

/// Faults whose moment, size, victims and repairs are drawn, each from its own stream. The nodes of
/// one part of the machine have one repair.
class DrawnFaults final : public FaultSource {
 public:
  DrawnFaults(Arrivals arrivals, SizeLaw sizes, VictimPlacement placement, RepairLaw repair,
              std::optional<std::uint64_t> limit)
      : arrivals_(std::move(arrivals)),
        sizes_(std::move(sizes)),
        placement_(std::move(placement)),
        repair_(std::move(repair)),
        left_(limit) {}

  [[nodiscard]] std::unique_ptr<FaultSource> clone() const override {
    return std::make_unique<DrawnFaults>(*this);
  }
  std::optional<double> next_time_s() override;
  std::vector<ActorId> victims(const ParentOf& parent_of) override;
  [[nodiscard]] std::vector<double> repairs_s() const override { return repairs_s_; }

 private:
  Arrivals arrivals_;
  SizeLaw sizes_;
  VictimPlacement placement_;
  RepairLaw repair_;
  std::optional<std::uint64_t> left_;
  Arrival last_;
  std::vector<double> repairs_s_;  ///< of its victims
};

}  // namespace faultline::faults
