// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace faultline {

/// Something that this program relies on is not so: a mistake in its code, never in a scenario.
/// what() says what, and where in the code. The runtime adds actor, time, seed and replication.
struct BrokenInvariant : std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws BrokenInvariant: "WORDS (FILE:LINE)".
[[noreturn, gnu::cold]] void throw_broken_invariant(const char* words, const char* file, int line);

/// Throws BrokenInvariant if the condition does not hold. `words` say what is wrong then, as a main
/// clause. In every build; the condition must be cheap and have no effect. Not for what a scenario,
/// a file or a lost message can bring about. The place is that of the caller.
inline void invariant(bool holds, const char* words, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    throw_broken_invariant(words, file, line);
}

}  // namespace faultline
