// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace faultline {

/// The declaration of a point of a run that a component marks (Context::mark), so that a fault can
/// strike there. `list`, the docs and what a scenario may name come from it. There is one object
/// for each mark: its component sets that object, and its registration points to it.
struct Mark {
  const char* name;
  const char* doc;  ///< what a component does when it sets the mark: what the value means
};

/// The marks of a component, in the order in which `list` and the docs show them.
using Marks = std::vector<const Mark*>;

}  // namespace faultline
