#include "analysis/fault_counts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "sim/scenario/problems.hpp"

namespace faultline {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t schema_version = 1;
constexpr std::size_t max_file_bytes = std::size_t{64} << 20U;
constexpr std::size_t max_depth = 32;
constexpr std::size_t max_quoted_chars = 60;
constexpr std::size_t max_reported_errors = 20;
/// Sums up to here are exact in a double.
constexpr std::int64_t max_total = std::int64_t{1} << std::numeric_limits<double>::digits;

/// `text`, cut so that one bad value cannot flood an error message.
std::string shortened(std::string_view text) {
  if (text.size() <= max_quoted_chars) return std::string(text);
  std::size_t end = max_quoted_chars;
  // Cutting inside a UTF-8 sequence would make the message itself malformed.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

/// `key` as a step of a JSON path: `.name`, or `["odd key"]` where dots would be ambiguous.
std::string path_step(const std::string& key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  return plain ? "." + shortened(key) : "[" + shortened(json(key).dump()) + "]";
}

std::string path_of(const std::vector<std::string>& keys) {
  std::string path;
  for (const std::string& key : keys) path += path_step(key);
  return path.starts_with('.') ? path.substr(1) : path;
}

std::string read_text(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) {
    throw UsageError(file.string() + ": no such file");
  }
  if (error) throw UsageError(file.string() + ": cannot be read: " + error.message());
  if (fs::is_directory(status)) {
    throw UsageError(file.string() + ": is a directory, expected a JSON file of fault counts");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UsageError(file.string() + ": cannot be read: " + std::strerror(errno));
  std::string text;
  std::array<char, 65536> block{};
  while (stream.read(block.data(), block.size()) || stream.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    // A pipe or a device has no size to ask for beforehand.
    if (text.size() > max_file_bytes) throw UsageError(file.string() + ": larger than 64 MiB");
  }
  if (stream.bad()) throw UsageError(file.string() + ": cannot be read to its end");
  return text;
}

[[noreturn]] void throw_syntax_error(const fs::path& file, const std::string& text,
                                     const json::parse_error& error) {
  const std::size_t read = std::min(error.byte, text.size());
  const auto begin = text.begin();
  const auto last = begin + static_cast<std::ptrdiff_t>(read == 0 ? 0 : read - 1);
  const auto line = 1 + std::count(begin, last, '\n');
  const auto newline = std::find(std::make_reverse_iterator(last), text.rend(), '\n');
  const auto column = 1 + std::distance(newline.base(), last);
  const std::string_view what = error.what();
  const std::size_t reason = what.find(": ", what.find("column"));
  throw UsageError(file.string() + ":" + std::to_string(line) + ":" + std::to_string(column) +
                   ": invalid JSON: " +
                   std::string(reason == std::string_view::npos ? what : what.substr(reason + 2)));
}

/// The only place that turns text into JSON: refuses what nlohmann::json lets pass, namely
/// duplicate keys (the last would win) and nesting without a limit.
json parse_strict(const fs::path& file, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw UsageError(file.string() + ": is empty, expected a JSON object");
  }
  std::vector<std::set<std::string>> keys_seen;
  std::vector<std::string> here;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      keys_seen.emplace_back();
      here.emplace_back();
      if (here.size() > max_depth) {
        throw UsageError(file.string() + ": nested more than " + std::to_string(max_depth) +
                         " levels deep");
      }
    } else if (event == json::parse_event_t::object_end ||
               event == json::parse_event_t::array_end) {
      keys_seen.pop_back();
      here.pop_back();
    } else if (event == json::parse_event_t::key) {
      here.back() = parsed.get<std::string>();
      if (!keys_seen.back().insert(here.back()).second) {
        throw UsageError(file.string() + ": " + path_of(here) + ": duplicate key");
      }
    }
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::parse_error& error) {
    throw_syntax_error(file, text, error);
  } catch (const json::exception&) {
    throw UsageError(file.string() + ": " + path_of(here) + ": number out of range");
  }
}

/// What stands in the file, short enough for a message.
std::string described(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return shortened(value.dump());
}

/// The errors of one file, thrown together: whoever mends one wants to know of the next.
class FileErrors {
 public:
  explicit FileErrors(fs::path file) : file_(std::move(file)) {}

  void add(const std::vector<std::string>& keys, const std::string& problem) {
    if (++count_ > max_reported_errors) return;
    const std::string path = path_of(keys);
    text_ += (text_.empty() ? "" : "\n") + file_.string() + ": " + path +
             (path.empty() ? "" : ": ") + problem;
  }

  void expected(const std::vector<std::string>& keys, const std::string& what, const json& got) {
    add(keys, "expected " + what + ", got " + described(got));
  }

  void throw_if_any() const {
    if (count_ == 0) return;
    const std::size_t untold = count_ - std::min(count_, max_reported_errors);
    throw UsageError(untold == 0 ? text_ : text_ + "\n... and " + std::to_string(untold) + " more");
  }

 private:
  fs::path file_;
  std::string text_;
  std::size_t count_ = 0;
};

/// The integer in `value` when it lies in [1, limit].
std::optional<std::int64_t> positive_integer(const json& value, std::int64_t limit) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(limit)) {
    return std::nullopt;
  }
  const auto number = value.get<std::int64_t>();
  return number >= 1 ? std::optional(number) : std::nullopt;
}

/// The size that a key of `counts` spells in plain decimal, without sign, leading zero or fraction:
/// a second spelling would be a duplicate key in disguise.
std::optional<std::int64_t> size_from_key(const std::string& key) {
  std::int64_t size = 0;
  const char* const end = key.data() + key.size();
  const auto [rest, error] = std::from_chars(key.data(), end, size);
  if (error != std::errc() || rest != end || key.front() == '0' || key.front() == '-') {
    return std::nullopt;
  }
  return size >= 1 && size <= max_fault_size ? std::optional(size) : std::nullopt;
}

void check_keys(const json& document, FileErrors& errors) {
  const std::vector<std::string> known = {"schema_version", "name", "description", "source",
                                          "counts"};
  for (const auto& [key, value] : document.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    errors.add({key}, "unknown key" + suggestion(key, known));
  }
  for (const char* const required : {"schema_version", "name", "counts"}) {
    if (!document.contains(required)) errors.add({required}, "missing");
  }
  if (const auto version = document.find("schema_version"); version != document.end()) {
    if (!version->is_number_integer() || *version != schema_version) {
      errors.expected({"schema_version"}, std::to_string(schema_version), *version);
    }
  }
}

std::string read_string(const json& document, const std::string& key, FileErrors& errors) {
  const auto value = document.find(key);
  if (value == document.end()) return "";
  if (!value->is_string()) {
    errors.expected({key}, "a string", *value);
    return "";
  }
  return value->get<std::string>();
}

void read_counts(const json& counts, FaultCounts& result, FileErrors& errors) {
  if (!counts.is_object() || counts.empty()) {
    const std::string expected = "an object of fault sizes and how often each occurred";
    return counts.is_object() ? errors.add({"counts"}, "is empty, expected " + expected)
                              : errors.expected({"counts"}, expected, counts);
  }
  for (const auto& [key, value] : counts.items()) {
    const auto failed = size_from_key(key);
    const auto count = positive_integer(value, max_fault_count);
    if (!failed) {
      errors.add({"counts", key}, "expected a fault size as key, an integer from 1 to " +
                                      std::to_string(max_fault_size) + " in plain digits");
    }
    if (!count) {
      errors.expected({"counts", key}, "an integer from 1 to " + std::to_string(max_fault_count),
                      value);
    }
    if (!failed || !count) continue;
    result.by_size.push_back({*failed, *count});
    result.total += *count;
    if (result.total > max_total) {
      return errors.add({"counts"}, "the counts add up to more than " + std::to_string(max_total));
    }
  }
}

}  // namespace

FaultCounts read_fault_counts(const fs::path& file) {
  const json document = parse_strict(file, read_text(file));
  FileErrors errors(file);
  if (!document.is_object()) errors.expected({}, "a JSON object", document);
  errors.throw_if_any();
  check_keys(document, errors);
  FaultCounts result;
  result.name = read_string(document, "name", errors);
  result.description = read_string(document, "description", errors);
  result.source = read_string(document, "source", errors);
  const auto name = document.find("name");
  if (name != document.end() && name->is_string() && result.name.empty()) {
    errors.add({"name"}, "is empty, expected the name of the distribution");
  }
  if (document.contains("counts")) read_counts(document["counts"], result, errors);
  errors.throw_if_any();
  std::sort(result.by_size.begin(), result.by_size.end(),
            [](const FaultCount& a, const FaultCount& b) { return a.failed < b.failed; });
  return result;
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

FaultCounts find_fault_counts(const std::string& name_or_file) {
  if (name_or_file.ends_with(".json") || name_or_file.find('/') != std::string::npos) {
    return read_fault_counts(name_or_file);
  }
  const std::vector<std::string> names = fault_count_names();
  if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
    return read_fault_counts(data_directory() / "faults" / (name_or_file + ".json"));
  }
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  const auto near = nearest_of(name_or_file, names);
  throw UsageError("unknown fault distribution " + in_quotes(name_or_file) +
                   (near ? ", did you mean \"" + *near + "\"? Expected " : ", expected ") +
                   (known.empty() ? "" : known + " or ") + "the path of a .json file");
}

}  // namespace faultline
