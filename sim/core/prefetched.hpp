// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/message.hpp"

namespace faultline {

/// A program whose state for each message lies apart from it, so that large jobs gain if that is
/// fetched ahead. A workload implements this if a measurement shows that it pays.
class Prefetched {
 public:
  /// A message will probably be received soon. Fetches into the cache what the program will look at
  /// then (sim/core/prefetch.hpp), and does nothing else.
  virtual void fetch_ahead(const Message& message) const = 0;

 protected:
  ~Prefetched() = default;
};

}  // namespace faultline
