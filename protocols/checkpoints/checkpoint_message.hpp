// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace faultline::checkpoints {

/// The kinds of messages of a protocol with images. Its own come behind them.
struct CheckpointMessage {
  enum Kind : std::uint16_t {
    ready,
    take,
    stored,
    commit,
    restarted,
    reported,
    agreed,
    image,
    image_stored,
    your_image,
    kinds
  };
};

/// Their names, and behind them those of one protocol.
inline std::vector<std::string> checkpoint_kinds(const std::vector<std::string>& own = {}) {
  std::vector<std::string> kinds{"ready",    "take",   "stored", "commit",       "restarted",
                                 "reported", "agreed", "image",  "image-stored", "your-image"};
  kinds.insert(kinds.end(), own.begin(), own.end());
  return kinds;
}

}  // namespace faultline::checkpoints
