#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/faults/fault_counts.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/faults/placement.hpp"

namespace faultline {

/// A moment at which a fault begins, and the unit of the placement at which it does if that is
/// drawn with the moment.
struct Arrival {
  double time_s = 0.0;
  std::optional<std::uint32_t> unit;
};

/// The next moment; nothing: no more come.
using Arrivals = std::function<std::optional<Arrival>()>;

/// How many units a fault takes: always the same number, or drawn from recorded counts.
class SizeLaw {
 public:
  explicit SizeLaw(std::uint64_t fixed) : fixed_(fixed) {}
  SizeLaw(const FaultCounts& counts, Stream random);

  std::uint64_t draw();

 private:
  std::uint64_t fixed_ = 1;
  std::vector<FaultCount> up_to_;  ///< size, and the count of all faults of at most that size
  Stream random_;
};

/// Faults of which moment, size and victims are drawn, each from a stream of its own.
class DrawnFaults final : public FaultSource {
 public:
  DrawnFaults(Arrivals arrivals, SizeLaw sizes, Placement placement,
              std::optional<std::uint64_t> limit)
      : arrivals_(std::move(arrivals)),
        sizes_(std::move(sizes)),
        placement_(std::move(placement)),
        left_(limit) {}

  std::optional<double> next_time_s() override;
  std::vector<ActorId> victims(const ParentOf& parent_of) override;

 private:
  Arrivals arrivals_;
  SizeLaw sizes_;
  Placement placement_;
  std::optional<std::uint64_t> left_;
  Arrival last_;
};

}  // namespace faultline
