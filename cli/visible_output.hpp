// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace faultline::cli {

/// A stream buffer that passes text through visible_lines() (sim/core/visible_text), line by line,
/// so that no name that a verb prints can give commands to a terminal.
class VisibleOutput : public std::streambuf {
 public:
  explicit VisibleOutput(std::ostream& to) : to_(to) {}
  ~VisibleOutput() override;
  VisibleOutput(const VisibleOutput&) = delete;
  VisibleOutput& operator=(const VisibleOutput&) = delete;

 protected:
  int_type overflow(int_type letter) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  /// Passes on the first `count` bytes of the waiting text.
  bool pass_on(std::size_t count);

  std::ostream& to_;
  std::string waiting_;  ///< the beginning of an incomplete line
};

}  // namespace faultline::cli
