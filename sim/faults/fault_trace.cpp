// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/fault_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/faults/table_trace.hpp"
#include "sim/faults/trace_fields.hpp"

namespace faultline::faults {

namespace {

using Words = std::vector<std::string_view>;

constexpr std::size_t kLanlColumns = 26;
constexpr std::size_t kFtaFields = 9;
constexpr std::size_t kShownUnreadable = 10;
/// A file with more unreadable lines is not a trace.
constexpr std::size_t kMostUnreadable = 100000;
constexpr std::size_t kLongestLine_B = std::size_t{64} << 10U;

/// Why a line cannot belong to any trace; "" if it can.
const char* unfit(std::string_view line) {
  if (line.size() > kLongestLine_B) return "is longer than 65536 bytes";
  return line.find('\0') != std::string_view::npos ? "has a zero byte" : "";
}

std::string unreadable_words(const UnreadableLine& line) {
  return "line " + std::to_string(line.line) + " cannot be read: " + line.reason;
}

// ---- LANL --------------------------------------------------------------------------------------

/// Reads a time `M/D/YYYY H:MM`, in local time of the machine, as seconds since 1970-01-01 0:00
/// local time.
std::optional<double> lanl_time_s(std::string_view text) {
  std::array<std::int64_t, 5> parts{};
  constexpr std::string_view kSeparators = "// :";
  text = trimmed(text);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = i < kSeparators.size() ? text.find(kSeparators[i]) : text.size();
    if (end == std::string_view::npos) return std::nullopt;
    const auto part = number_in<std::int64_t>(text.substr(0, end));
    if (!part || *part < 0) return std::nullopt;
    parts[i] = *part;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  const auto [month, day, year, hour, minute] = parts;
  return since_1970_s(
      {.year = year, .month = month, .day = day, .hour = hour, .minute = minute, .second = 0.0});
}

LineResult read_lanl(std::string_view line) {
  const std::vector<std::string> fields = split_csv(line);
  if (fields.size() != kLanlColumns)
    return unreadable("expected 26 columns, got " + std::to_string(fields.size()));
  const auto system = number_in<std::int64_t>(fields[0]);
  const auto node = number_in<std::int64_t>(fields[6]);
  const auto start_s = lanl_time_s(fields[16]);
  if (!system || *system < 0) return unreadable("System: expected a number");
  if (!node || *node < 0) return unreadable("nodenumz: expected the number of a node", system);
  if (!start_s) return unreadable("Prob Started: expected a time M/D/YYYY H:MM", system);
  FaultRecord record{.time_s = *start_s, .end_s = {}, .system = *system, .node = *node};
  const auto end_s = lanl_time_s(fields[17]);
  if (end_s && *end_s >= *start_s) record.end_s = end_s;
  return {record, "", false, {}};
}

// ---- Failure Trace Archive ---------------------------------------------------------------------

/// Reads a line of an event_trace. Its fifth field, a name, may contain blanks. So the fields
/// before it are counted from the left, and those after it from the right.
LineResult read_fta(std::string_view line) {
  const Words words = split_words(line);
  if (words.size() < kFtaFields)
    return unreadable("expected 9 fields, got " + std::to_string(words.size()));
  const auto node = number_in<std::int64_t>(words[2]);
  const auto platform = number_in<std::int64_t>(words[3]);
  const std::string_view type = words[words.size() - 4];
  const auto start_s = number_in<double>(words[words.size() - 3]);
  if (!platform || *platform < 0) return unreadable("platform_id: expected a number");
  if (!node || *node < 0) return unreadable("node_id: expected the number of a node", platform);
  if (type != "0" && type != "1")
    return unreadable("event_type: expected 0 (unavailable) or 1 (available)", platform);
  if (!start_s || std::abs(*start_s) > kLatest_s)
    return unreadable("event_start_time: expected seconds since 1970", platform);
  if (type == "1") return {{}, "", true, {}};
  FaultRecord record{.time_s = *start_s, .end_s = {}, .system = *platform, .node = *node};
  const auto end_s = number_in<double>(words[words.size() - 2]);
  if (end_s && *end_s >= *start_s && *end_s <= kLatest_s) record.end_s = end_s;
  return {record, "", false, {}};
}

// ---- SimGrid -----------------------------------------------------------------------------------

struct LawName {
  std::string_view name;
  ProfileLaw::Kind kind;
  std::size_t parameters;
};

constexpr std::array<LawName, 9> kLaws = {{{"DET", ProfileLaw::Kind::det, 1},
                                           {"NORM", ProfileLaw::Kind::norm, 2},
                                           {"NORMAL", ProfileLaw::Kind::norm, 2},
                                           {"GAUSS", ProfileLaw::Kind::norm, 2},
                                           {"GAUSSIAN", ProfileLaw::Kind::norm, 2},
                                           {"EXP", ProfileLaw::Kind::exp, 1},
                                           {"EXPONENTIAL", ProfileLaw::Kind::exp, 1},
                                           {"UNIF", ProfileLaw::Kind::unif, 2},
                                           {"UNIFORM", ProfileLaw::Kind::unif, 2}}};

const LawName* find_law(std::string_view word) {
  const auto* const found = std::find_if(kLaws.begin(), kLaws.end(),
                                         [&](const LawName& law) { return law.name == word; });
  return found == kLaws.end() ? nullptr : found;
}

/// Takes a law from the front of the words. In a profile that is not stochastic, takes a number.
std::optional<ProfileLaw> take_law(Words& words, bool stochastic) {
  if (words.empty()) return std::nullopt;
  const LawName* name = find_law(words.front());
  if (name == nullptr && stochastic) return std::nullopt;
  const std::size_t skipped = name == nullptr ? 0 : 1;
  const std::size_t parameters = name == nullptr ? 1 : name->parameters;
  if (words.size() < skipped + parameters) return std::nullopt;
  ProfileLaw law;
  if (name != nullptr) law.kind = name->kind;
  const auto first = number_in<double>(words[skipped]);
  const auto second = parameters == 2 ? number_in<double>(words[skipped + 1]) : std::optional(0.0);
  if (!first || !second) return std::nullopt;
  law.first = *first;
  law.second = *second;
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(skipped + parameters));
  return law;
}

/// Reads a profile line by line.
class ProfileReader {
 public:
  /// Reads a line. Returns "", or the reason why the line cannot be read. Throws UsageError for a
  /// negative state, on which SimGrid ends.
  std::string read(std::string_view line) {
    Words words = split_words(line);
    if (words[0] == "STOCHASTIC") return read_stochastic(words);
    if (words[0] == "PERIODICITY" || words[0] == "LOOPAFTER") return read_loop(words);
    const auto date = take_law(words, profile_.stochastic);
    const auto state = take_law(words, profile_.stochastic);
    if (!date || !state || !words.empty())
      return profile_.stochastic ? "expected a law for the delay and one for the state"
                                 : "expected a date and a state";
    if (state->can_be_negative())
      throw UsageError(profile_.stochastic
                           ? "a state can be negative, expected a law of 0 (off) and above (on)"
                           : "the state is negative, expected 0 (off) or more (on)");
    if (profile_.stochastic) {
      if (date->kind == ProfileLaw::Kind::exp && date->first <= 0)
        return "expected a delay by EXP with a rate above 0";
      profile_.events.push_back({*date, *state});
      return "";
    }
    if (std::abs(date->first) > kLatest_s) return "expected a date of at most 1e12 s";
    if (date->first < last_s_) return "expected a date not before the one above";
    profile_.events.push_back({{.first = date->first - last_s_}, *state});
    last_s_ = date->first;
    return "";
  }

  /// The profile, when all lines have been read. Throws UsageError if it makes no sense.
  StateProfile take(const std::string& file) {
    if (period_s_) profile_.loop_delay_s = *period_s_ - last_s_;
    if (period_s_ && profile_.stochastic)
      throw UsageError(file +
                       ": PERIODICITY has no meaning in a stochastic profile, "
                       "expected LOOPAFTER");
    if (profile_.loop_delay_s < 0)
      throw UsageError(file + ": PERIODICITY is shorter than the profile");
    if (profile_.loops && profile_.loop_delay_s <= 0 && !takes_time())
      throw UsageError(file + ": the profile loops without taking any time");
    return std::move(profile_);
  }

 private:
  [[nodiscard]] bool takes_time() const {
    if (!profile_.stochastic) return last_s_ > 0;
    return std::ranges::any_of(
        profile_.events, [](const ProfileEvent& event) { return event.delay_s.can_be_positive(); });
  }

  std::string read_stochastic(const Words& words) {
    const bool loop = words.size() == 2 && words[1] == "LOOP";
    if (words.size() > 1 && !loop) return "expected STOCHASTIC or STOCHASTIC LOOP";
    if (!profile_.events.empty()) return "STOCHASTIC is expected before the first event";
    profile_.stochastic = true;
    profile_.loops = profile_.loops || loop;
    return "";
  }

  std::string read_loop(const Words& words) {
    const auto delay_s = words.size() == 2 ? number_in<double>(words[1]) : std::nullopt;
    if (!delay_s || *delay_s < 0 || *delay_s > kLatest_s)
      return "expected a delay in seconds after " + std::string(words[0]);
    if (words[0] == "PERIODICITY")
      period_s_ = delay_s;
    else
      profile_.loop_delay_s = *delay_s;
    profile_.loops = true;
    return "";
  }

  StateProfile profile_;
  std::optional<double> period_s_;
  double last_s_ = 0.0;
};

// ---- all ---------------------------------------------------------------------------------------

std::optional<TraceFormat> format_of(std::string_view line, const std::string& file) {
  if (TableTrace::begin(line, file)) return TraceFormat::table;
  if (std::count(line.begin(), line.end(), ',') >= 9) {
    const std::string first = split_csv(line)[0];
    const bool is_lanl = first == "System" || trimmed(first).empty() || number_in<double>(first);
    return is_lanl ? std::optional(TraceFormat::lanl) : std::nullopt;
  }
  const Words words = split_words(line);
  if (words.size() >= kFtaFields) return TraceFormat::fta;
  const bool profile_word = words[0] == "STOCHASTIC" || words[0] == "PERIODICITY" ||
                            words[0] == "LOOPAFTER" || find_law(words[0]) != nullptr;
  if (profile_word || (words.size() == 2 && number_in<double>(words[0])))
    return TraceFormat::simgrid;
  return std::nullopt;
}

/// Calls `visit(line, number)` for every line with content. Lines end with a line feed; in a text
/// without any, as old Macs wrote it, with a carriage return.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  const char last = text.find('\n') == std::string_view::npos ? '\r' : '\n';
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find(last), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (!line.empty() && line[0] != '#' && line[0] != '%') visit(line, number);
  }
}

/// Archives publish traces compressed, and spreadsheets may write UTF-16. Such a file gets its own
/// message, because it has no lines to report.
void refuse_no_text(std::string_view text, const std::string& file) {
  using namespace std::string_view_literals;
  for (const std::string_view begin : {"\xff\xfe"sv, "\xfe\xff"sv})
    if (text.substr(0, begin.size()) == begin)
      throw UsageError(file + ": is text in UTF-16; expected UTF-8");
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kBegins = {
      {{"\x1f\x8b"sv, "gzip"},
       {"BZh"sv, "bzip2"},
       {"\xfd\x37zXZ\0"sv, "xz"},
       {"\x28\xb5\x2f\xfd"sv, "zstd"},
       {"PK\x03\x04"sv, "zip"}}};
  for (const auto& [begin, program] : kBegins)
    if (text.substr(0, begin.size()) == begin)
      throw UsageError(file + ": is compressed with " + program +
                       "; expected text, unpack it first");
}

TraceFormat find_format(std::string_view text, const std::string& file) {
  std::optional<TraceFormat> format;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    if (format) return;
    if (line.find('\0') != std::string_view::npos)
      throw UsageError(file + ": line " + std::to_string(number) +
                       " has a zero byte; expected the text of a trace of failures");
    format = format_of(line.substr(0, kLongestLine_B), file);
  });
  if (format) return *format;
  throw UsageError(
      file +
      ": not a trace of failures, expected the LANL columns (26, with commas), an event_trace of "
      "the Failure Trace Archive (9 fields), a SimGrid state profile (date and state) or a table "
      "with commas whose first line names the columns (node,down,up)");
}

void note_unreadable(FaultTrace& trace, const std::string& file, UnreadableLine line) {
  trace.unreadable.push_back(std::move(line));
  if (trace.unreadable.size() <= kMostUnreadable) return;
  std::string why = file + ": not a trace of failures: more than " +
                    std::to_string(kMostUnreadable) + " lines cannot be read";
  for (std::size_t i = 0; i < kShownUnreadable; ++i)
    why.append("\n").append(file).append(": ").append(unreadable_words(trace.unreadable[i]));
  throw UsageError(why);
}

void in_order_of_time(std::vector<FaultRecord>& records) {
  std::stable_sort(records.begin(), records.end(),
                   [](const FaultRecord& a, const FaultRecord& b) { return a.time_s < b.time_s; });
}

/// Takes what a line has.
void add_line(FaultTrace& trace, LineResult result, std::size_t number, const std::string& file) {
  if (result.record) {
    result.record->line = number;
    trace.records.push_back(*result.record);
  } else if (result.other) {
    ++trace.other_events;
  } else {
    note_unreadable(trace, file, {number, std::move(result.reason), result.system});
  }
}

void read_records(FaultTrace& trace, std::string_view text, const std::string& file) {
  const bool lanl = trace.format == TraceFormat::lanl;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    if (lanl && line.substr(0, 7) == "System,") return;
    const std::string why = unfit(line);
    LineResult result = !why.empty() ? unreadable(why) : lanl ? read_lanl(line) : read_fta(line);
    add_line(trace, std::move(result), number, file);
  });
  in_order_of_time(trace.records);
}

void read_table(FaultTrace& trace, std::string_view text, const std::string& file) {
  std::optional<TableTrace> table;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    const std::string why = unfit(line);
    if (!table)
      table = TableTrace::begin(line.substr(0, kLongestLine_B), file);
    else
      add_line(trace, why.empty() ? table->read(line) : unreadable(why), number, file);
  });
  table->number_nodes(trace.records);
  in_order_of_time(trace.records);
}

/// Lists the failures in one loop of a profile that is not stochastic, and the times at which the
/// host returns.
void list_failures(FaultTrace& trace, const std::vector<std::size_t>& lines) {
  double time_s = 0;
  bool on = true;
  for (std::size_t i = 0; i < trace.profile.events.size(); ++i) {
    const ProfileEvent& event = trace.profile.events[i];
    time_s += event.delay_s.first;
    const bool now_on = event.state.first != 0;
    if (on && !now_on)
      trace.records.push_back({.time_s = time_s, .end_s = {}, .line = lines[i]});
    else
      ++trace.other_events;
    if (!on && now_on) trace.records.back().end_s = time_s;
    on = now_on;
  }
}

void read_profile(FaultTrace& trace, std::string_view text, const std::string& file) {
  ProfileReader reader;
  std::vector<std::size_t> lines;
  const auto read = [&](std::string_view line, std::size_t number) {
    try {
      return reader.read(line);
    } catch (const UsageError& error) {
      throw UsageError(file + ": line " + std::to_string(number) + ": " + error.what());
    }
  };
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    std::string reason = unfit(line);
    if (reason.empty()) reason = read(line, number);
    if (!reason.empty()) {
      note_unreadable(trace, file, {number, std::move(reason), {}});
      return;
    }
    const char first = line.front();
    if (first != 'S' && first != 'P' && first != 'L') lines.push_back(number);
  });
  trace.profile = reader.take(file);
  if (!trace.profile.stochastic) list_failures(trace, lines);
}

}  // namespace

const char* format_word(TraceFormat format) {
  switch (format) {
    case TraceFormat::lanl:
      return "lanl";
    case TraceFormat::fta:
      return "fta";
    case TraceFormat::simgrid:
      return "simgrid";
    case TraceFormat::table:
      return "table";
  }
  return "";
}

FaultTrace parse_fault_trace(const std::string& whole, const std::string& file) {
  refuse_no_text(whole, file);
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string_view text = whole;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  FaultTrace trace;
  trace.format = find_format(text, file);
  if (trace.format == TraceFormat::simgrid)
    read_profile(trace, text, file);
  else if (trace.format == TraceFormat::table)
    read_table(trace, text, file);
  else
    read_records(trace, text, file);
  const bool is_drawn = trace.profile.stochastic && !trace.profile.events.empty();
  if (!trace.records.empty() || is_drawn) return trace;
  std::string why = trace.other_events > 0     ? ": has no failure, only other events"
                    : trace.unreadable.empty() ? ": has no record of a failure"
                                               : ": no record can be read";
  for (const std::string& line : describe_unreadable(trace))
    why.append("\n").append(file).append(": ").append(line);
  throw UsageError(file + why);
}

FaultTrace without_unreadable_of_others(FaultTrace trace, std::int64_t system) {
  std::erase_if(trace.unreadable, [system](const UnreadableLine& line) {
    return line.system && *line.system != system;
  });
  return trace;
}

std::vector<std::string> describe_unreadable(const FaultTrace& trace) {
  std::vector<std::string> lines;
  const std::size_t shown = std::min(trace.unreadable.size(), kShownUnreadable);
  lines.reserve(shown + 1);
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(unreadable_words(trace.unreadable[i]));
  if (trace.unreadable.size() == shown) return lines;
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = shown; i < trace.unreadable.size(); ++i)
    ++counts[trace.unreadable[i].reason];
  for (const auto& [reason, count] : counts)
    lines.push_back(std::to_string(count) +
                    (count == 1 ? " more line cannot be read: " : " more lines cannot be read: ") +
                    reason);
  return lines;
}

}  // namespace faultline::faults
