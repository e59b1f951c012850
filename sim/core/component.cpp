#include "sim/core/component.hpp"

#include <stdexcept>

namespace faultline {

namespace {

[[noreturn]] void refuse() {
  throw std::logic_error("a workload without Traits::has_objects has no objects to move");
}

}  // namespace

PackedObject Workload::pack(ObjectId) const { refuse(); }

void Workload::remove(ObjectId) { refuse(); }

void Workload::unpack(Context&, const PackedObject&) { refuse(); }

}  // namespace faultline
