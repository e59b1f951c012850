// SPDX-License-Identifier: Apache-2.0
#include "sim/core/component.hpp"

#include <stdexcept>

namespace faultline {

namespace {

[[noreturn]] void refuse_objects() {
  throw std::logic_error("a workload without WorkloadTraits::has_objects has no objects to move");
}

}  // namespace

PackedObject Workload::pack(ObjectId) const { refuse_objects(); }

void Workload::remove(ObjectId) { refuse_objects(); }

void Workload::unpack(WorkloadContext&, const PackedObject&) { refuse_objects(); }

}  // namespace faultline
