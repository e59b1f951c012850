// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/operations.hpp"
#include "sim/core/world.hpp"
#include "workloads/program.hpp"

namespace faultline::workloads {

/// An allreduce over successive ranks of a world as one request, by recursive doubling. Each stage
/// is a send and a receive of `Operations`; if one of them fails or times out, so does the request.
/// The program posts the next stage when the operations of the last one are done. All ranks number
/// the stages alike; a rank has nothing to do in some.
class AllreduceRequest {
 public:
  /// The content of one message.
  struct Part {
    std::uint64_t value = 0;
  };
  /// The context and addresses with which messages are sent.
  struct Means {
    WorkloadContext& context;
    Operations& operations;
    const World& world;
    Rank first_rank = 0;          ///< first of the ranks that take part
    std::uint32_t first_tag = 0;  ///< first of doubling_stages() tags that nothing else uses
    std::uint64_t bytes = 0;
    double timeout_s = kNever;
  };

  AllreduceRequest() = default;
  /// `self` is counted from the first of the ranks that take part.
  AllreduceRequest(Rank self, std::uint32_t ranks, std::uint64_t contribution)
      : self_(self), ranks_(ranks), value_(contribution) {}

  /// Posts the operations of the next stage in which this rank has something to do. Returns false
  /// if there is none: the value is that of all ranks.
  bool post_next(const Means& means);
  /// The operations of the stage are done.
  void take(const Operations& operations, const ProgramStates& states);

  [[nodiscard]] std::uint64_t value() const { return value_; }
  void digest(Digest& into) const { into.add(stage_, value_, receive_); }

 private:
  Rank self_ = 0;
  std::uint32_t ranks_ = 1;
  std::uint32_t stage_ = 0;  ///< the next stage
  bool replaces_ = false;    ///< the stage that was posted last receives the whole value
  std::uint64_t value_ = 0;
  Operation receive_ = 0;  ///< of that stage; 0: it has none
};

}  // namespace faultline::workloads
