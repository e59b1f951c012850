// SPDX-License-Identifier: Apache-2.0
#include "sim/core/file_roles.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "sim/core/error.hpp"

namespace faultline {

namespace {

struct Output {
  std::string place;
  std::string words;
  const OutputPlace* owner;
};

struct Input {
  std::string path;  ///< absolute, as it was named
  FileKind kind;
};

/// By the places that they resolve to.
std::map<std::string, Input>& inputs() {
  static std::map<std::string, Input> all;
  return all;
}

std::vector<Output>& outputs() {
  static std::vector<Output> all;
  return all;
}

std::string place_of(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  const auto place = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal().string() : place.string();
}

bool is_same(const struct stat& a, const struct stat& b) {
  return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_same(const std::string& a, const std::string& b) {
  if (a == b) return true;
  struct stat status_a {};
  struct stat status_b {};
  return stat(a.c_str(), &status_a) == 0 && stat(b.c_str(), &status_b) == 0 &&
         is_same(status_a, status_b);
}

bool is_standard_output(const std::string& place) {
  struct stat file {};
  struct stat output {};
  return stat(place.c_str(), &file) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
         is_same(file, output);
}

/// False for pipes and devices, which do not keep what is written to them.
bool keeps_content(const std::string& place) {
  struct stat status {};
  return stat(place.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

/// The file itself and, for a store, those beside it. Empty for a pipe or a device, which may be
/// both input and output.
std::vector<std::string> places_of(const std::string& path, FileKind kind) {
  std::vector<std::string> places;
  const std::string place = place_of(path);
  if (!keeps_content(place)) return places;
  places.push_back(place);
  if (kind == FileKind::store)
    for (const char* end : {"-journal", "-wal", "-shm"}) places.push_back(place + end);
  return places;
}

[[noreturn]] void refuse_input(const std::string& output, const std::string& input) {
  throw UsageError(output + ": is the file " + input +
                   ", which this command reads; expected another one");
}

[[noreturn]] void refuse_output(const std::string& output, const std::string& other) {
  throw UsageError(output + ": is the file of " + other + ", too; expected another one");
}

}  // namespace

void reads_file(const std::string& path, FileKind kind) {
  for (const std::string& place : places_of(path, kind)) {
    std::error_code unnamed;
    inputs().try_emplace(
        place, Input{std::filesystem::absolute(path, unnamed).lexically_normal().string(), kind});
    for (const Output& output : outputs())
      if (is_same(place, output.place)) refuse_input(output.words, path);
    if (is_standard_output(place))
      throw UsageError(path + ": standard output goes to this file; expected another one");
  }
}

std::vector<std::string> files_read() {
  std::vector<std::string> paths;
  std::error_code absent;
  for (const auto& [place, input] : inputs())
    if (input.kind == FileKind::plain && std::filesystem::is_regular_file(place, absent))
      paths.push_back(input.path);
  return paths;
}

void forget_files_read() { inputs().clear(); }

OutputPlace::OutputPlace(const std::string& path, const std::string& words, FileKind kind) {
  const std::vector<std::string> places = places_of(path, kind);
  for (const std::string& place : places) {
    for (const auto& [input, how] : inputs())
      if (is_same(place, input)) refuse_input(words, input);
    for (const Output& output : outputs())
      if (is_same(place, output.place)) refuse_output(words, output.words);
  }
  for (const std::string& place : places) outputs().push_back({place, words, this});
}

OutputPlace::~OutputPlace() {
  const auto mine = [this](const Output& output) { return output.owner == this; };
  outputs().erase(std::remove_if(outputs().begin(), outputs().end(), mine), outputs().end());
}

}  // namespace faultline
