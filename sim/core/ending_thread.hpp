// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace faultline {

/// Must live in a thread that ends before the program does, longer than all that the thread takes
/// from component_storage(): gives that storage back. What the first thread has lasts.
class EndingThread {
 public:
  EndingThread() = default;
  EndingThread(const EndingThread&) = delete;
  EndingThread& operator=(const EndingThread&) = delete;
  ~EndingThread();
};

}  // namespace faultline
