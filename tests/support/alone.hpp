// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/in_role.hpp"
#include "sim/core/registry.hpp"
#include "tests/support/digest_of.hpp"

namespace faultline::test {

/// A message of some component as it arrives at another rank, with a payload.
template <class T>
Message arriving(Family channel, ActorId from, std::uint16_t kind, const T& payload) {
  Message message;
  message.from = from;
  message.kind = static_cast<std::uint8_t>(kind);
  message.channel = channel;
  message.payload.put(payload);
  return message;
}

/// A job in which only rank 0 has work at the start, on as many nodes.
inline JobShape job_of(std::uint32_t processes) {
  JobShape job;
  job.processes = job.nodes = processes;
  job.starts_at_root = true;
  return job;
}

/// A registered component of one rank, without an engine: a test calls its handlers, in turns that
/// no engine ends. What they ask for is dropped.
class Alone final : public Services {
 public:
  Alone(Family family, const std::string& name, const JobShape& job, Rank self,
        const OptionValues& changes = {})
      : family_(family),
        placement_(Placement::in_blocks(job.processes, job.nodes, job.processes_per_node)) {
    const Registration* found = find_registration(family, name);
    if (found == nullptr) throw std::logic_error("not registered: " + name);
    OptionValues values;
    for (const OptionSpec& option : found->options) values[option.name] = option.default_value;
    for (const auto& [option, value] : changes) values.at(option) = value;
    component_ = found->make(values, job)(self);
    turn_.pool = &pool_;
    turn_.services = this;
    turn_.placement = &placement_;
    turn_.job = job;
    turn_.self = self;
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  ~Alone() = default;

  [[nodiscard]] Incarnation known(ActorId, ActorId peer) const override { return {peer, 0}; }

  /// Calls a handler: a function of the component, as what it is, and its context. The rank is
  /// active.
  template <class Handler>
  Alone& turn(const Handler& handler) {
    turn_.active = true;
    return in_turn([&](Component& component) { call_in_role(component, family_, turn_, handler); });
  }
  /// Calls a handler that only components of that role have. The rank is active.
  template <class Role, class Handler>
  Alone& turn_as(const Handler& handler) {
    turn_.active = true;
    return in_turn(
        [&](Component& component) { call_as<Role>(component, family_, turn_, handler); });
  }

  Alone& start() {
    return turn([](auto& component, auto& context) { component.start(context); });
  }
  /// The application sends a message to each of these ranks, in one batch.
  Alone& sends(const std::vector<Rank>& to) {
    std::vector<Message> messages(to.size());
    std::vector<Message*> batch;
    for (std::size_t i = 0; i < to.size(); ++i) {
      messages[i].from = turn_.self;
      messages[i].to = to[i];
      batch.push_back(&messages[i]);
    }
    return layer_turn([&](auto& layer, auto& context) { layer.on_sends(context, batch, true); });
  }
  /// A message of the application arrives, with what the detector of its sender has put on it.
  template <class T>
  Alone& receives(Rank from, const T& of_detector) {
    Message message;
    message.from = from;
    message.to = turn_.self;
    message.termination.put(of_detector);
    return layer_turn([&](auto& layer, auto& context) { layer.on_receive(context, message); });
  }
  /// A message of the same component of another rank arrives.
  template <class T>
  Alone& gets(Rank from, std::uint16_t kind, const T& payload) {
    Message message = arriving(family_, from, kind, payload);
    message.to = turn_.self;
    return gets(message);
  }
  Alone& gets(const Message& message) {
    return turn([&](auto& component, auto& context) { component.on_message(context, message); });
  }
  Alone& told_dead(Rank peer) {
    return turn([&](auto& component, auto& context) {
      component.on_peer_failed(context, {peer, 0});
    });
  }
  Alone& flushed(Rank peer) {
    return turn([&](auto& component, auto& context) { component.on_flushed(context, {peer, 0}); });
  }
  Alone& idle() {
    turn_.active = false;
    return in_turn([&](Component& component) {
      call_layer(component, family_, turn_,
                 [](auto& layer, auto& context) { layer.on_idle(context); });
    });
  }
  Alone& at(double now_s) {
    turn_.now_s = now_s;
    return *this;
  }

  [[nodiscard]] StateDigest digest() const { return digest_of(*component_); }
  [[nodiscard]] const Component& component() const { return *component_; }

 private:
  template <class Handler>
  Alone& layer_turn(const Handler& handler) {
    turn_.active = true;
    return in_turn([&](Component& component) { call_layer(component, family_, turn_, handler); });
  }
  template <class Call>
  Alone& in_turn(const Call& call) {
    call(*component_);
    for (std::size_t family = 0; family < kFamilies; ++family) {
      turn_.outbox[family].clear();
      turn_.upward[family].clear();
    }
    turn_.waiting = 0;
    turn_.computing = 0;
    turn_.declared_work = 0;
    turn_.requests.clear();
    turn_.actions.clear();
    return *this;
  }

  Family family_;
  MessagePool pool_;
  Placement placement_;
  Turn turn_;
  std::unique_ptr<Component> component_;
};

}  // namespace faultline::test
