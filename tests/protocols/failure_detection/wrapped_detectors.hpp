// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "protocols/failure_detection/swim.hpp"
#include "tests/support/pass_through.hpp"

/// Failure detectors that a test wraps.
namespace faultline::failure_detection {

/// Passes its own random numbers on, unlike a plain PassThrough.
template <class Changed>
class Wrapped : public test::PassThrough<Changed, Detector> {
 public:
  using test::PassThrough<Changed, Detector>::PassThrough;
  void start(DetectorContext& context) override {
    this->inner().random = this->random;
    Forwarding<Detector>::start(context);
  }
};

/// A swim that never denies that it is dead, or may be: it does not see such news about itself.
class NeverRefutes final : public Wrapped<NeverRefutes> {
 public:
  using Wrapped::Wrapped;
  void on_message(DetectorContext& context, const Message& message) override {
    Message copy = message;
    if (const auto* updates = context.attached<SwimUpdates>(message)) {
      SwimUpdates others = *updates;
      std::erase_if(others, [&](const SwimUpdate& update) {
        return update.about.actor == context.self() && update.standing != Standing::alive;
      });
      copy.attachments.put(Family::failure_detection, std::move(others));
    }
    Wrapped::on_message(context, copy);
  }
};

}  // namespace faultline::failure_detection
