// SPDX-License-Identifier: Apache-2.0
#include "sim/json/problems.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::json {
namespace {

/// No one reads more lines than this, and a hostile file could cause millions.
constexpr std::size_t kShownProblems = 200;
constexpr std::size_t kShownCharacters = 60;

bool is_plain_word(const std::string& key) {
  return !key.empty() && key.size() <= kShownCharacters &&
         std::all_of(key.begin(), key.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

bool is_at_or_below(const std::string& path, const std::string& parent) {
  if (path.compare(0, parent.size(), parent) != 0) return false;
  return path.size() == parent.size() || path[parent.size()] == '.' || path[parent.size()] == '[';
}

std::string folded(const std::string& name) {
  std::string result;
  for (const char c : name)
    result += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The least number of insertions, deletions, replacements and swaps of neighbours that turn a into
/// b.
std::size_t typing_errors(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

void Problems::add(const std::string& path, const std::string& message) {
  if (seen_.emplace(path, message).second) entries_.emplace_back(path, message);
}

void Problems::note(const std::string& path, const std::string& message) {
  std::string line = file_ + ": " + path + ": " + message;
  if (std::find(notes_.begin(), notes_.end(), line) == notes_.end())
    notes_.push_back(std::move(line));
}

bool Problems::full() const { return entries_.size() >= kShownProblems; }

void Problems::add_lines(const std::string& path, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) add(path, line);
}

void Problems::set_origin(std::string path, std::string note) {
  origins_.emplace_back(std::move(path), std::move(note));
}

std::string Problems::origin_of(const std::string& path) const {
  std::string note;  // if several origins cover a place, the last one counts
  for (const auto& [parent, text] : origins_)
    if (is_at_or_below(path, parent)) note = text.empty() ? "" : " (" + text + ")";
  return note;
}

std::string Problems::text() const {
  std::string result;
  const std::size_t shown = std::min(entries_.size(), kShownProblems);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [path, message] = entries_[i];
    if (i > 0) result += '\n';
    result += visible(file_) + ": ";
    if (!path.empty()) result += path + ": ";
    result += message;
    result += origin_of(path);
  }
  if (shown < entries_.size())
    result += "\n" + visible(file_) + ": and " + std::to_string(entries_.size() - shown) +
              " more problems";
  return result;
}

void Problems::throw_if_any() const {
  if (!entries_.empty()) throw UsageError(text());
}

std::string member_path(const std::string& path, const std::string& key) {
  if (!is_plain_word(key)) return path + "[" + in_quotes(key) + "]";
  return path.empty() ? key : path + "." + key;
}

std::string item_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::string in_quotes(const std::string& text) {
  std::size_t end = std::min(text.size(), kShownCharacters);
  // Do not cut a multi-byte character.
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return "\"" + visible(text.substr(0, end)) + (end < text.size() ? "...\"" : "\"");
}

std::string any_of(const std::vector<std::string>& names, std::size_t most) {
  std::string result;
  const std::size_t shown = std::min(names.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) result += i + 1 == names.size() ? " or " : ", ";
    result += names[i];
  }
  return result + (shown < names.size() ? ", ..." : "");
}

std::optional<std::string> nearest_of(const std::string& name,
                                      const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > 2 * kShownCharacters) return std::nullopt;
  const std::string wanted = folded(name);
  const std::string* best = nullptr;
  const std::string* begins = nullptr;
  std::size_t fewest = 1 + std::max<std::size_t>(1, wanted.size() / 3);
  int beginning = 0;
  for (const std::string& candidate : candidates) {
    const std::string offered = folded(candidate);
    const std::size_t errors = typing_errors(wanted, offered);
    if (errors < fewest && errors < offered.size()) {
      fewest = errors;
      best = &candidate;
    }
    if (wanted.size() > 1 && offered.compare(0, wanted.size(), wanted) == 0) {
      begins = &candidate;
      ++beginning;
    }
  }
  if (best == nullptr && beginning == 1) best = begins;
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates,
                       std::size_t most) {
  if (const auto near = nearest_of(name, candidates)) return ", did you mean \"" + *near + "\"?";
  return candidates.empty() ? "" : ", expected " + any_of(candidates, most);
}

}  // namespace faultline::json
