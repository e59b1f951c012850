#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace faultline {

/// Passes text on, line by line, as `visible_lines` has it (sim/core/visible_text): whatever a verb
/// prints, no name in it can command a terminal.
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
  /// Passes on the first so many bytes of what waits.
  bool pass_on(std::size_t count);

  std::ostream& to_;
  std::string waiting_;  ///< the beginning of a line
};

}  // namespace faultline
