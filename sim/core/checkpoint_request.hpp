// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace faultline {

/// A workload asks the layer `message_logging` for it when everything of this rank waits at a
/// synchronisation point: nothing is under way above the layer but what other ranks still send to
/// it. The layer takes an image as soon as all ranks have asked for this number, and answers with
/// the same struct when all images are safe and the program may go on. A component that an image
/// has put back waits for that answer, too, as it did when the image was taken: the layer answers
/// it again. Number 0 is the start of the program, before its first message.
/// If the layer then brings an object that has not come to that point yet, the rank asks for the
/// same number again when all of its objects wait there.
struct CheckpointRequest {
  static constexpr std::uint16_t kRequest = 1;
  std::uint64_t number = 0;  ///< of the synchronisation point, ascending by 1
  std::uint64_t bytes = 0;   ///< size of the state to be saved; 0: the program does not say
};

}  // namespace faultline
