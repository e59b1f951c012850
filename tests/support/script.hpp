// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sim/core/component.hpp"
#include "tests/support/script_context.hpp"

namespace faultline::test {

/// The handlers of one scripted component, given by a test. A missing handler does nothing; a layer
/// without handlers passes everything on.
struct Handlers {
  std::function<void(ScriptContext&)> start = {};
  std::function<void(ScriptContext&, const Message&)> message = {};
  std::function<void(ScriptContext&, std::uint64_t)> timer = {};
  std::function<void(ScriptContext&, std::uint64_t)> compute_done = {};
  std::function<void(ScriptContext&)> restored = {};
  std::function<void(ScriptContext&, ActorId, std::uint16_t)> sent = {};
  std::function<void(ScriptContext&, Incarnation)> flushed = {};
  std::function<void(ScriptContext&, const StackRequest&)> request = {};
  std::function<void(ScriptContext&, const StackRequest&)> answer = {};
  std::function<void(ScriptContext&, Incarnation)> peer_failed = {};
  std::function<void(ScriptContext&, Incarnation)> peer_restarted = {};
  std::function<void(ScriptContext&, Incarnation)> restart_refused = {};
  std::function<void(ScriptContext&, std::uint32_t)> announced = {};
  std::function<void(ScriptContext&, std::span<Message* const>, bool)> sends = {};
  std::function<Passage(ScriptContext&, Message&)> receive = {};
  std::function<void(ScriptContext&)> idle = {};
  std::function<void(ScriptContext&, ObjectId)> object_moved = {};
  std::function<bool(ActorId)> recovers = {};
  std::function<void(ScriptContext&, Incarnation)> exit_notice = {};
  std::function<void(ScriptContext&, Incarnation)> local_exit = {};
  std::function<void(ScriptContext&, Incarnation)> link_lost = {};
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
