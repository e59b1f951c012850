// SPDX-License-Identifier: Apache-2.0
#include "sim/core/image.hpp"

#include "sim/core/digest.hpp"
#include "sim/core/image_content.hpp"
#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

/// The registration of a component vouches for its role.
const Workload& workload_of(const ImageContent& content) {
  const auto& component = content.components[index_of(Family::workload)];
  invariant(component != nullptr, "an image of a rank without a workload has no objects");
  return static_cast<const Workload&>(*component);
}

}  // namespace

std::vector<ObjectId> Image::objects() const { return workload_of(*content_).objects(); }

PackedObject Image::pack(ObjectId object) const {
  PackedObject packed = workload_of(*content_).pack(object);
  const auto ledger = content_->sent_and_consumed.find({.object = object});
  if (ledger != content_->sent_and_consumed.end())
    packed.ledger = std::make_shared<const EndpointLedger>(ledger->second);
  return packed;
}

void Image::digest(Digest& into) const {
  into.add(empty());
  if (empty()) return;
  into.add(content_->layer, content_->phase, content_->declared_work, content_->announced,
           content_->finished, content_->owes_idle);
  into.add(content_->held, content_->sent_and_consumed);
  into.add(content_->timers.size(), content_->computations.size());
  for (const ImageTimer& timer : content_->timers)
    into.add(timer.family, timer.key, timer.background);
  for (const ImageComputation& one : content_->computations) into.add(one.family, one.tag);
  for (const auto& component : content_->components) {
    into.add(component != nullptr);
    if (component) component->digest(into);
  }
}

}  // namespace faultline
