// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sim/scenario/study.hpp"

namespace faultline::store {

/// Consecutive replications of one point. One worker simulates them, one transaction stores them,
/// and they are in one shard.
struct Batch {
  std::size_t point = 0;
  std::size_t first = 0;
  std::size_t end = 0;  ///< the replication after the last one
};

/// One of several parts of a study: the batches for which number % count == index.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

/// The number of replications in a batch, if all points of a study have so many together. A study
/// of up to 64 has batches of one, so that each can have a worker. A batch has no more than four
/// before the study has 1,024 batches. A longer study has about as many: each is stored by itself,
/// which takes some hundredths of a second on a slow disk.
std::size_t batch_size(std::size_t replications_of_study);

/// The least number of replications of a point, whatever their results.
std::size_t first_needed(const scenario::Study& study, std::size_t point);

/// The batches of a study. They follow from its points and their numbers of replications alone, and
/// not from the number of jobs or from time.
class Batches {
 public:
  /// It keeps a reference to `study`.
  explicit Batches(const scenario::Study& study);
  explicit Batches(const scenario::Study&&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }

  /// The batches of a shard, in order, and of each point up to first_needed(). With a precision,
  /// all batches of a point are in one shard: how many it needs follows from the results.
  [[nodiscard]] std::vector<Batch> of(const Shard& shard) const;

 private:
  const scenario::Study& study_;
  std::size_t size_;
};

/// For each point of a study: is a batch of it in the shard?
std::vector<bool> points_of(const scenario::Study& study, const Shard& shard);

}  // namespace faultline::store
