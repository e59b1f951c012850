// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/image_content.hpp"

namespace faultline::test {

/// What an image is of.
class EmptyProgram final : public Workload {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<EmptyProgram>(*this);
  }

 private:
  void digest_state(Digest&) const override {}
};

/// What surrounds a part of message logging or transactions of one rank, without an engine.
/// Whatever the part asks for stays here until the test takes it.
class PartOfLayer final : public Services {
 public:
  PartOfLayer(Rank self, const JobShape& job, Family family = Family::message_logging)
      : placement_(Placement::in_blocks(job.processes, job.nodes, job.processes_per_node)),
        family_(family),
        context_(turn_, family) {
    turn_.pool = &pool_;
    turn_.services = this;
    turn_.placement = &placement_;
    turn_.job = job;
    turn_.self = self;
    turn_.present = ~0U;
  }
  PartOfLayer(const PartOfLayer&) = delete;
  PartOfLayer& operator=(const PartOfLayer&) = delete;
  ~PartOfLayer() = default;

  [[nodiscard]] RecoveryContext& context() { return context_; }
  [[nodiscard]] Turn& turn() { return turn_; }
  PartOfLayer& at(double now_s) {
    turn_.now_s = now_s;
    return *this;
  }
  /// This rank knows of that incarnation from now on.
  void learn(Incarnation life) { known_[life.actor] = life.number; }
  void set_incarnation(std::uint16_t number) { turn_.incarnation = number; }
  /// There is no image until this is called again.
  void set_image(bool there_is_one) { has_image_ = there_is_one; }

  /// The messages that were sent since the last call, as they arrive.
  std::vector<Message> take_sent() { return take(turn_.outbox[index_of(family_)]); }
  /// Those that were passed up.
  std::vector<Message> take_delivered() { return take(turn_.upward[index_of(family_)]); }
  std::vector<StackRequest> take_requests() { return std::exchange(turn_.requests, {}); }
  std::vector<Action> take_actions() { return std::exchange(turn_.actions, {}); }

  /// What was asked to be stored is there from now on.
  void end_turn() {
    for (StorageEntry& entry : std::exchange(turn_.stores, {}))
      stored_[entry.place] = std::move(entry.words);
  }

  [[nodiscard]] std::vector<std::uint64_t> stored(Family, std::uint64_t place) const override {
    const auto found = stored_.find(place);
    return found == stored_.end() ? std::vector<std::uint64_t>() : found->second;
  }
  [[nodiscard]] Incarnation known(ActorId, ActorId peer) const override {
    const auto found = known_.find(peer);
    return {peer, found == known_.end() ? std::uint16_t{0} : found->second};
  }
  [[nodiscard]] std::optional<Image> capture(Family, Moment) const override {
    if (!has_image_) return std::nullopt;
    auto content = std::make_shared<ImageContent>();
    content->components[index_of(Family::workload)] = std::make_unique<EmptyProgram>();
    return Image(std::move(content));
  }

 private:
  std::vector<Message> take(std::vector<Message*>& from) const {
    std::vector<Message> messages;
    for (const Message* message : from) {
      messages.push_back(*message);
      messages.back().from_incarnation = turn_.incarnation;
    }
    from.clear();
    return messages;
  }

  MessagePool pool_;
  Placement placement_;
  Family family_;
  Turn turn_;
  RecoveryContext context_;
  std::map<ActorId, std::uint16_t> known_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> stored_;
  bool has_image_ = true;
};

}  // namespace faultline::test
