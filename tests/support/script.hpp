// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sim/core/component.hpp"

namespace faultline::test {

/// The handlers of one scripted component, given by a test. A missing handler does nothing; a layer
/// without handlers passes everything on.
struct Handlers {
  std::function<void(Context&)> start = {};
  std::function<void(Context&, const Message&)> message = {};
  std::function<void(Context&, std::uint64_t)> timer = {};
  std::function<void(Context&, std::uint64_t)> compute_done = {};
  std::function<void(Context&)> restored = {};
  std::function<void(Context&, ActorId, std::uint16_t)> sent = {};
  std::function<void(Context&, Incarnation)> flushed = {};
  std::function<void(Context&, const StackRequest&)> request = {};
  std::function<void(Context&, const StackRequest&)> answer = {};
  std::function<void(Context&, Incarnation)> peer_failed = {};
  std::function<void(Context&, Incarnation)> peer_restarted = {};
  std::function<void(Context&, Incarnation)> restart_refused = {};
  std::function<void(Context&, std::uint32_t)> announced = {};
  std::function<void(Context&, std::span<Message* const>, bool)> sends = {};
  std::function<Passage(Context&, Message&)> receive = {};
  std::function<void(Context&)> idle = {};
  std::function<void(Context&, ObjectId)> object_moved = {};
  std::function<bool(ActorId)> recovers = {};
  std::function<void(Context&, Incarnation)> exit_notice = {};
  std::function<void(Context&, Incarnation)> local_exit = {};
  std::function<void(Context&, Incarnation)> link_lost = {};
  std::function<Conserved()> conserved = {};
  std::function<std::int64_t(const Message&)> conserved_in = {};
  std::function<void(MetricTotals&)> report = {};
  std::function<void(Digest&)> digest = {};
  std::string waiting_for = {};
};

/// The component of a family that calls the handlers of a test.
std::unique_ptr<Component> scripted(Family family, Handlers handlers);

/// Makes the handlers of one actor. What they capture by value is the state of that actor.
using Scripts = std::function<Handlers(ActorId self)>;

}  // namespace faultline::test
