// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/core/attachments.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/rank_ledger.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// The state of an object, as its workload has packed it. A value: copies share the words, which
/// never change. Attached to a message, it is lost with it; `bytes` are the sender's to add to
/// Message::bytes.
struct PackedObject {
  ObjectId object = kNoObject;
  std::uint64_t bytes = 0;   ///< simulated size of the object's data
  AttachedWords words = {};  ///< its state, in words that only its workload reads
  /// What it has sent and consumed, if the auditor keeps a ledger. Only the engine looks at it.
  std::shared_ptr<const EndpointLedger> ledger = {};

  /// Objects that go on alike have equal digests.
  void digest(Digest& into) const { into.add(object, bytes, words, ledger); }
};

}  // namespace faultline
