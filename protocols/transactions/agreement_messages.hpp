// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "protocols/transactions/agreement.hpp"
#include "sim/core/context.hpp"
#include "sim/core/world.hpp"

namespace faultline {

/// What a message of an agreement carries besides the failed members, which are attached.
struct AgreementWords {
  WorldEpoch epoch;
  std::uint64_t sweep = 0;
  std::uint64_t success = 0;
  std::uint64_t codes = 0;
};

/// Sends the messages that follow from an event of an agreement in this world, which has that
/// epoch. The kinds of these messages are successive: `first_kind` is that of an
/// AgreementMessageKind::up.
void send_agreement(Context& context, const AgreementOutput& output, std::uint16_t first_kind,
                    const WorldEpoch& epoch, const World& world);

/// Reads such a message.
AgreementMessage received_agreement(Context& context, const Message& message,
                                    std::uint16_t first_kind);

}  // namespace faultline
