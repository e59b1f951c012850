// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/core/registry.hpp"
#include "workloads/stencil.hpp"

namespace faultline::workloads {

/// A stencil of one object a process as a bulk program: each iteration is a TryBlock of the same
/// exchanges and computations, and its objects end in the same states. Where all objects wait for
/// each other, they do so in an allreduce. `request_kind`: the kind of its messages.
ComponentFactory stencil_program_factory(const std::shared_ptr<const StencilJob>& job,
                                         std::uint16_t request_kind);

}  // namespace faultline::workloads
