// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sim/core/context.hpp"
#include "sim/core/image.hpp"
#include "sim/core/image_content.hpp"
#include "sim/core/packed_object.hpp"
#include "sim/engine/actors/common.hpp"
#include "sim/engine/membership/membership_state.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/phases/phases.hpp"
#include "sim/engine/processors/processors.hpp"
#include "sim/engine/turn/stacks.hpp"
#include "sim/engine/turn/turns.hpp"
#include "sim/engine/verdict/verdict.hpp"

namespace faultline::engine {

/// Takes images of what lies above a layer, and puts them back in a rollback or after a restart;
/// and does so with single objects of over-decomposed programs.
class Images {
 public:
  /// What images are of, beside what all have in common. All must outlive them.
  struct Parts {
    MembershipState& membership;
    Network& network;
    Processors& processors;
    Turns& turns;
    Phases& phases;
    Verdict& verdict;
    Stacks& stacks;
  };
  Images(const Common& run, const Parts& parts)
      : run_(run),
        membership_(parts.membership),
        network_(parts.network),
        processors_(parts.processors),
        turns_(parts.turns),
        phases_(parts.phases),
        verdict_(parts.verdict),
        stacks_(parts.stacks) {}

  // ---- asked in a turn, of its actor ---------------------------------------------------------
  /// None if there is no whole state of the components above the layer; see
  /// RecoveryContext::capture.
  [[nodiscard]] std::optional<Image> capture(Family layer, Moment moment) const;
  [[nodiscard]] std::vector<ObjectId> objects() const;
  [[nodiscard]] std::optional<PackedObject> pack(Family layer, ObjectId object) const;

  // ---- actions -------------------------------------------------------------------------------
  /// The image stays as it is: it can be restored again.
  void restore(ActorId self, Family layer, const Image& image);
  /// A live rank goes back to where it was before it started, and starts again.
  void begin_anew(ActorId self, Family layer);
  void host_object(ActorId self, Family layer, const PackedObject& packed);
  void remove_object(ActorId self, Family layer, ObjectId object);

 private:
  [[nodiscard]] bool program_waits_above(Family layer, Moment moment) const;
  [[nodiscard]] bool has_images_above(Family layer) const;
  [[nodiscard]] bool actor_waits_above(Family layer, Moment moment) const;
  void add_work(ImageContent& content) const;
  [[nodiscard]] bool moves_objects(Family layer) const;
  void go_back(ActorId self, const ImageContent& content);
  void take_up(ActorId self);
  void void_waits(ActorId self, Family layer);
  void put_back(ActorId self, const ImageContent& content);
  void go_on_with_work(ActorId self, const ImageContent& content);
  void put_back_flags(ActorState& actor, const ImageContent& content);
  void tell_moved(ActorId self, Family layer, ObjectId object);

  const Common run_;
  MembershipState& membership_;
  Network& network_;
  Processors& processors_;
  Turns& turns_;
  Phases& phases_;
  Verdict& verdict_;
  Stacks& stacks_;
};

}  // namespace faultline::engine
