#include "sim/cli/drawings.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "analysis/gnuplot.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text_file.hpp"
#include "sim/scenario/problems.hpp"

namespace faultline {

namespace {

constexpr std::size_t kLargestDrawing_B = std::size_t{16} << 20U;

}  // namespace

Drawings::Drawings(const std::optional<std::string>& directory, const std::string& option) {
  if (!directory) {
    scratch_.emplace("to draw figures");
    directory_ = scratch_->path();
    return;
  }
  directory_ = *directory;
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (!std::filesystem::is_directory(directory_) || access(directory_.c_str(), W_OK) != 0)
    throw UsageError(option + " " + in_quotes(directory_) +
                     ": expected a directory that can be written");
}

bool Drawings::draw_in(const std::string& stem, const std::string& format) {
  if (faultline::draw(directory_, stem + ".gnuplot", format)) return true;
  std::error_code ignored;
  std::filesystem::remove(directory_ + "/" + stem + "." + format, ignored);
  return false;
}

std::string Drawings::draw(const std::string& stem, const std::string& csv,
                           const std::string& script) {
  const std::string path = directory_ + "/" + stem;
  OutputFile(path + ".csv", "--figures").write(csv);
  OutputFile(path + ".gnuplot", "--figures").write(script);
  const bool drawn = draw_in(stem, "svg");
  const bool printed = scratch_ || (drawn && draw_in(stem, "pdf"));
  if ((!drawn || !printed) && !complained_)
    std::fprintf(stderr,
                 "faultline: %s.%s is not drawn: gnuplot is missing or fails; where it works, run "
                 "gnuplot %s.gnuplot in the folder that --figures names\n",
                 stem.c_str(), drawn ? "pdf" : "svg", stem.c_str());
  complained_ = complained_ || !drawn || !printed;
  return drawn ? read_text_file(path + ".svg", "a drawing", kLargestDrawing_B) : "";
}

}  // namespace faultline
