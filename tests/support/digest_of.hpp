// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/digest.hpp"

namespace faultline::test {

template <class... Values>
StateDigest digest_of(const Values&... values) {
  Digest digest;
  digest.add(values...);
  return digest.value();
}

}  // namespace faultline::test
