// SPDX-License-Identifier: Apache-2.0
#include "cli/drawings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "analysis/drawing/gnuplot.hpp"
#include "cli/output_file.hpp"
#include "sim/core/error.hpp"
#include "sim/core/interrupt.hpp"
#include "sim/core/text_file.hpp"
#include "sim/json/problems.hpp"

namespace faultline::cli {

namespace {

constexpr std::size_t kLargestDrawing_B = std::size_t{16} << 20U;

constexpr double kNarrowest_cm = 4;
constexpr double kWidest_cm = 60;

struct Length {
  const char* unit;
  double in_cm;
};

constexpr Length kLengths[] = {{"cm", 1.0}, {"mm", 0.1}, {"in", 2.54}};

void write_scratch(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw RunError(path + ": cannot write this file to draw figures: " + strerror(errno));
}

}  // namespace

void need_gnuplot(const std::string& option) {
  const ProgramEnd end = drawing::try_gnuplot();
  if (end == ProgramEnd::missing)
    throw UsageError(
        option + ": needs gnuplot, which is missing, to draw the figures (Debian: gnuplot-nox)");
  if (end == ProgramEnd::failed)
    throw RunError(option + ": needs gnuplot to draw the figures, but gnuplot --version fails");
}

void add_figures(VerbOptions& verb, const char* about) {
  auto add = verb.options.add_options();
  add("figures", boost::program_options::value<std::string>()->value_name("DIR"), about);
  add("width", boost::program_options::value<std::string>()->value_name("LENGTH"),
      "with --figures: draw each figure this wide, with text of 8 points: 8.5cm, 85mm or 3.35in");
}

std::optional<double> figure_width_cm(const std::string& verb,
                                      const boost::program_options::variables_map& values) {
  const auto text = text_of(values, "width");
  if (!text) return std::nullopt;
  if (values.count("figures") == 0)
    throw UsageError(verb + ": --width: needs --figures, whose drawings it is for");
  double number = 0.0;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, number);
  const std::string unit(rest, end);
  const auto known = std::find_if(std::begin(kLengths), std::end(kLengths),
                                  [&](const Length& length) { return unit == length.unit; });
  const double width_cm = known == std::end(kLengths) ? 0.0 : number * known->in_cm;
  if (error != std::errc() || !(width_cm >= kNarrowest_cm && width_cm <= kWidest_cm))
    throw UsageError(verb +
                     ": --width: expected a length from 4cm to 60cm, such as 8.5cm, 85mm or "
                     "3.35in, got " +
                     json::in_quotes(*text));
  return width_cm;
}

Drawings::Drawings(const std::optional<std::string>& directory, const std::string& option)
    : scratch_("to draw figures") {
  if (!directory) return;
  directory_ = *directory;
  make_directory();
  std::error_code unreadable;
  if (!std::filesystem::is_directory(directory_, unreadable) ||
      access(directory_.c_str(), W_OK) != 0)
    throw UsageError(option + " " + json::in_quotes(directory_) +
                     ": expected a directory that Faultline can write to");
}

Drawings::~Drawings() {
  while (!made_.empty()) made_.pop_back();  // the innermost first
}

void Drawings::make_directory() {
  std::error_code error;
  std::filesystem::path path = std::filesystem::path(directory_).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::vector<std::string> missing;
  for (; !path.empty() && !std::filesystem::exists(path, error); path = path.parent_path())
    missing.push_back(path.string());
  const SignalsHeld held;
  std::reverse(missing.begin(), missing.end());  // the outermost first
  for (const std::string& folder : missing)
    if (std::filesystem::create_directory(folder, error))
      made_.push_back(std::make_unique<TemporaryPath>(folder, FolderEnd::if_empty));
}

bool Drawings::draw_in(const std::string& stem, const std::string& format) {
  const ProgramEnd end = faultline::drawing::draw(scratch_.path(), stem + ".gnuplot", format);
  if (end == ProgramEnd::good) return true;
  std::error_code ignored;
  std::filesystem::remove(scratch_.path() + "/" + stem + "." + format, ignored);
  bool& told = end == ProgramEnd::missing ? missing_ : failed_;
  if (!told)
    std::fprintf(
        stderr,
        "faultline: %s.%s is not drawn: gnuplot %s; on a machine with gnuplot, run gnuplot "
        "%s.gnuplot in the folder of --figures\n",
        stem.c_str(), format.c_str(),
        end == ProgramEnd::missing ? "is missing" : "failed, or drew nothing", stem.c_str());
  told = true;
  return false;
}

std::string Drawings::draw(const std::string& stem, const std::string& csv,
                           const std::string& script) {
  const std::string path = scratch_.path() + "/" + stem;
  write_scratch(path + ".csv", csv);
  write_scratch(path + ".gnuplot", script);
  stems_.push_back(stem);
  const bool drawn = draw_in(stem, "svg");
  if (drawn && !directory_.empty())
    for (const char* format : {"pdf", "png"}) draw_in(stem, format);
  return drawn ? read_text_file(path + ".svg", "a drawing", kLargestDrawing_B) : "";
}

void Drawings::add(const std::string& stem, const std::string& svg) {
  write_scratch(scratch_.path() + "/" + stem + ".svg", svg);
  stems_.push_back(stem);
}

void Drawings::keep() {
  if (directory_.empty()) return;
  for (const std::string& stem : stems_)
    for (const char* format : {".csv", ".gnuplot", ".svg", ".pdf", ".png"})
      keep_file(stem + format);
  for (const auto& made : made_) made->keep();
}

void Drawings::keep_file(const std::string& name) {
  const std::string kept = directory_ + "/" + name;
  std::ifstream file(scratch_.path() + "/" + name, std::ios::binary);
  if (file) {
    const std::string text(std::istreambuf_iterator<char>(file), {});
    OutputFile(kept, "--figures").write(text);
    return;
  }
  // An old drawing must not be mistaken for the one that failed.
  std::error_code ignored;
  std::filesystem::remove(kept, ignored);
}

}  // namespace faultline::cli
