// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/fault_counts_file.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "sim/core/fnv1a.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/file_option.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"

namespace faultline::scenario {
namespace {

namespace fs = std::filesystem;

/// Sums up to this are exact in a double.
constexpr std::int64_t max_total = std::int64_t{1} << std::numeric_limits<double>::digits;

/// The size that a key of `counts` gives in plain decimal. A sign, a leading zero or a fraction is
/// refused: with two spellings of one size, a key could occur twice unnoticed.
std::optional<std::int64_t> size_from_key(const std::string& key) {
  std::int64_t size = 0;
  const char* const end = key.data() + key.size();
  const auto [rest, error] = std::from_chars(key.data(), end, size);
  if (error != std::errc() || rest != end || key.front() == '0' || key.front() == '-') {
    return std::nullopt;
  }
  return size >= 1 && size <= faults::max_fault_size ? std::optional(size) : std::nullopt;
}

/// One member of `counts`, or nothing if it is wrong.
std::optional<faults::FaultCount> read_count(const json::JsonMember& member,
                                             json::Problems& problems) {
  const std::string path = json::member_path("counts", member.key);
  const std::size_t before = problems.size();
  const auto failed = size_from_key(member.key);
  if (!failed) {
    problems.add(path, "expected a fault size as key, an integer from 1 to " +
                           std::to_string(faults::max_fault_size) + " in plain digits");
  }
  const OptionSpec count{.name = "count",
                         .kind = OptionKind::integer,
                         .required = true,
                         .minimum = 1,
                         .maximum = static_cast<double>(faults::max_fault_count)};
  const OptionValue value = json::read_option(member.value, count, path, problems);
  if (problems.size() != before) return std::nullopt;
  return faults::FaultCount{*failed, std::get<std::int64_t>(value)};
}

void read_counts(const json::JsonValue* value, faults::FaultCounts& result,
                 json::Problems& problems) {
  const std::string expected = "expected an object of fault sizes and how often each occurred";
  const json::JsonValue::Object* counts = value == nullptr ? nullptr : value->object();
  if (counts == nullptr) {
    problems.add("counts", value == nullptr ? "missing, " + expected
                                            : expected + ", got " + json::describe(*value));
    return;
  }
  if (counts->empty()) problems.add("counts", "is empty, " + expected);
  for (const json::JsonMember& member : *counts) {
    const auto size = read_count(member, problems);
    if (!size) continue;
    result.by_size.push_back(*size);
    result.total += size->count;
    if (result.total > max_total) {
      problems.add("counts", "the counts add up to more than " + std::to_string(max_total));
      return;
    }
  }
}

bool is_counts_path(const std::string& name) {
  return name.ends_with(".json") || name.find('/') != std::string::npos;
}

FaultCountsInput input_of(const std::string& name, const std::string& file) {
  auto content = std::make_shared<const faults::FaultCounts>(find_fault_counts(file));
  const std::string hash = fnv1a_hex(counts_text(*content));
  return {.file = name, .hash = hash, .content = std::move(content)};
}

OptionValue read_input(const std::string& name, const std::string& folder,
                       const std::string& /*path*/, json::Problems& /*problems*/) {
  const std::string file = is_counts_path(name) ? (fs::path(folder) / name).string() : name;
  return *json::FileMemo::read_once<FaultCountsInput>(file, [&] { return input_of(name, file); });
}

const json::FileOptionRegistered counts_registered(
    {.kind = OptionKind::fault_counts,
     .word = "fault-counts",
     .expectation = "a shipped distribution of fault sizes or the path of a .json file",
     .read = read_input,
     .nothing = FaultCountsInput{}});

}  // namespace

faults::FaultCounts read_fault_counts(const fs::path& file) {
  json::Problems problems(file.string());
  const json::JsonValue root = json::read_json_file(file.string(), problems);
  json::CheckedObject object(root, "", problems);
  const OptionValues words = object.options(json::file_head());
  const OptionSpec source{.name = "source", .default_value = std::string()};
  const OptionValues origin = object.options({source});
  const bool is_named = object.child("name") != nullptr;
  const json::JsonValue* counts = object.child("counts");
  object.finish();
  faults::FaultCounts result;
  result.name = std::get<std::string>(words.at("name"));
  result.description = std::get<std::string>(words.at("description"));
  result.source = std::get<std::string>(origin.at("source"));
  if (is_named && result.name.empty() && problems.empty())
    problems.add("name", "is empty, expected the name of the distribution");
  if (object.is_object()) read_counts(counts, result, problems);
  problems.throw_if_any();
  std::sort(
      result.by_size.begin(), result.by_size.end(),
      [](const faults::FaultCount& a, const faults::FaultCount& b) { return a.failed < b.failed; });
  return result;
}

std::string counts_text(const faults::FaultCounts& counts) {
  std::string text;
  for (const faults::FaultCount& size : counts.by_size)
    text += std::to_string(size.failed) + ":" + std::to_string(size.count) + ",";
  return text;
}

std::vector<std::string> fault_count_names() {
  std::vector<std::string> names;
  std::error_code absent;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(data_directory() / "faults", absent)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

faults::FaultCounts find_fault_counts(const std::string& name_or_file) {
  if (is_counts_path(name_or_file)) return read_fault_counts(name_or_file);
  const std::vector<std::string> names = fault_count_names();
  if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
    return read_fault_counts(data_directory() / "faults" / (name_or_file + ".json"));
  }
  const auto near = json::nearest_of(name_or_file, names);
  throw UsageError("unknown fault distribution " + json::in_quotes(name_or_file) +
                   (near ? ", did you mean \"" + *near + "\"? Expected " : ", expected ") +
                   json::any_of(names) + (names.empty() ? "" : " or ") +
                   "the path of a .json file");
}

}  // namespace faultline::scenario
