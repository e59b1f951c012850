// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibration/measurements.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/packed_text.hpp"
#include "sim/core/wire_bytes.hpp"
#include "sim/faults/trace_fields.hpp"
#include "sim/json/problems.hpp"

namespace faultline::calibration {

namespace {

using Words = std::vector<std::string_view>;

constexpr std::size_t kLargestFile_B = std::size_t{1} << 28U;
constexpr std::size_t kLongestLine_B = 4096;
constexpr double kLongestTime_s = 1e6;
constexpr double kMicrosecond_s = 1e-6;
constexpr double kMegabyte_B = 1e6;

/// A line with content, and where it stands.
struct Line {
  std::string_view text;
  std::size_t number = 0;
};

/// The words of a table: between commas, semicolons, blanks or tabs.
Words words_of(std::string_view text) {
  constexpr std::string_view kBetween = " \t,;\r";
  Words words;
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBetween, end);
  }
  return words;
}

/// Reads one file.
class Reader {
 public:
  Reader(std::string file, std::string_view text, Measurements& measurements)
      : file_(std::move(file)), text_(text), measurements_(measurements) {}

  void read(const std::optional<TableColumns>& columns) {
    if (columns)
      read_table(*columns);
    else
      read_benchmark();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw UsageError(file_ + ": " + why); }
  [[noreturn]] void refuse(const Line& line, const std::string& why) const {
    refuse("line " + std::to_string(line.number) + ": " + why);
  }

  template <class Visit>
  void for_each_line(Visit visit) const {
    std::string_view rest = text_;
    for (std::size_t number = 1; !rest.empty(); ++number) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const Line line{faults::trimmed(rest.substr(0, end)), number};
      rest.remove_prefix(std::min(rest.size(), end + 1));
      if (line.text.size() > kLongestLine_B || line.text.find('\0') != std::string_view::npos)
        refuse(line, "is no line of text that a benchmark writes");
      if (!line.text.empty()) visit(line);
    }
  }

  [[nodiscard]] std::uint64_t size_in(const Line& line, std::string_view word) const {
    const auto bytes = faults::number_in<std::uint64_t>(word);
    if (!bytes || *bytes > kLongestMessage_B)
      refuse(line, "expected a size in bytes, got " + json::in_quotes(std::string(word)));
    return *bytes;
  }

  [[nodiscard]] double number_in(const Line& line, std::string_view word, double unit, double most,
                                 const char* what) const {
    const auto number = faults::number_in<double>(word);
    if (!number || !(*number * unit > 0) || !(*number * unit <= most))
      refuse(line, std::string("expected ") + what + " above 0, got " +
                       json::in_quotes(std::string(word)));
    return *number * unit;
  }

  void add_time(const Line& line, std::string_view bytes, std::string_view time, double unit_s) {
    measurements_.half_round_trips.push_back(
        {size_in(line, bytes), number_in(line, time, unit_s, kLongestTime_s, "a time")});
  }

  void expect(const Line& line, const Words& words, std::size_t least) const {
    if (words.size() < least)
      refuse(line, "expected at least " + std::to_string(least) + " columns, got " +
                       std::to_string(words.size()));
  }

  // ---- tables of one's own --------------------------------------------------------------------

  /// The first line may name the columns.
  void read_table(const TableColumns& columns) {
    bool is_first = true;
    const double unit_s = columns.half_round_trip ? columns.unit_s : columns.unit_s / 2;
    for_each_line([&](const Line& line) {
      if (line.text.front() == '#') return;
      const Words words = words_of(line.text);
      expect(line, words, std::max(columns.bytes, columns.time) + 1);
      const bool is_head = std::exchange(is_first, false) &&
                           !faults::number_in<double>(words[columns.bytes]) &&
                           !faults::number_in<double>(words[columns.time]);
      if (!is_head) add_time(line, words[columns.bytes], words[columns.time], unit_s);
    });
  }

  // ---- benchmarks -----------------------------------------------------------------------------

  using Row = void (Reader::*)(const Line& line, const Words& words);

  /// A benchmark whose output is known by a part of a line that begins with #.
  struct Known {
    std::string_view mark;
    Row row;  ///< null: what follows does not count
  };

  /// The first that fits holds.
  static const std::vector<Known>& all_known() {
    static const std::vector<Known> known = {
        {"Bi-Directional Bandwidth Test", nullptr},
        {"Multiple Bandwidth / Message Rate Test", &Reader::message_rate_row},
        {"Multi Latency Test", nullptr},
        {"OSU MPI Latency Test", &Reader::latency_row},
        {"OSU MPI-CUDA Latency Test", &Reader::latency_row},
        {"OSU MPI Bandwidth Test", &Reader::bandwidth_row},
        {"OSU MPI-CUDA Bandwidth Test", &Reader::bandwidth_row},
        {"Benchmarking PingPong", &Reader::imb_row},
        {"Benchmarking ", nullptr},
        {"PRTT(1,0,s)", &Reader::netgauge_row}};
    return known;
  }

  void read_benchmark() {
    Row row = nullptr;
    bool any = false;
    for_each_line([&](const Line& line) {
      if (line.text.front() == '#') {
        note_pairs(line.text);
        for (const Known& known : all_known())
          if (line.text.find(known.mark) != std::string_view::npos) {
            row = known.row;
            any = any || row != nullptr;
            return;
          }
        return;
      }
      if (row == nullptr) return;
      const Words words = words_of(line.text);
      if (faults::number_in<double>(words.front())) (this->*row)(line, words);
    });
    if (!any)
      refuse(
          "is no output of osu_latency, osu_bw, osu_mbw_mr, IMB PingPong or netgauge's loggp; for "
          "a table of your own, --columns says what its columns have");
  }

  /// osu_mbw_mr: "# [ pairs: 4 ] [ window size: 64 ]".
  void note_pairs(std::string_view text) {
    constexpr std::string_view kPairs = "[ pairs: ";
    const std::size_t at = text.find(kPairs);
    if (at == std::string_view::npos) return;
    const std::string_view rest = text.substr(at + kPairs.size());
    pairs_ = faults::number_in<std::uint64_t>(rest.substr(0, rest.find(' '))).value_or(1);
  }

  /// Size, microseconds for one way.
  void latency_row(const Line& line, const Words& words) {
    expect(line, words, 2);
    add_time(line, words[0], words[1], kMicrosecond_s);
  }

  /// Size, megabytes a second.
  void bandwidth_row(const Line& line, const Words& words) {
    expect(line, words, 2);
    measurements_.streams.push_back(
        {.bytes = size_in(line, words[0]),
         .bandwidth_Bps = number_in(line, words[1], kMegabyte_B, 1e15, "a bandwidth")});
  }

  /// Size, megabytes a second, messages a second.
  void message_rate_row(const Line& line, const Words& words) {
    expect(line, words, 3);
    measurements_.streams.push_back(
        {.bytes = size_in(line, words[0]),
         .bandwidth_Bps = number_in(line, words[1], kMegabyte_B, 1e15, "a bandwidth"),
         .messages_per_s = number_in(line, words[2], 1, 1e15, "a message rate"),
         .pairs = pairs_});
  }

  /// Bytes, repetitions, microseconds for one way, megabytes a second. Where memory ends, words
  /// follow the bytes.
  void imb_row(const Line& line, const Words& words) {
    if (words.size() > 1 && !faults::number_in<double>(words[1])) return;
    expect(line, words, 4);
    add_time(line, words[0], words[2], kMicrosecond_s);
  }

  /// Size, n, the round trip of one message in microseconds, and more.
  void netgauge_row(const Line& line, const Words& words) {
    expect(line, words, 3);
    add_time(line, words[0], words[2], kMicrosecond_s / 2);
  }

  std::string file_;
  std::string_view text_;
  Measurements& measurements_;
  std::uint64_t pairs_ = 1;
};

}  // namespace

TableColumns read_columns(const std::string& list, bool half_round_trip) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"seconds", 1}, {"milliseconds", 1e-3}, {"microseconds", 1e-6}, {"nanoseconds", 1e-9}}};
  TableColumns columns{.half_round_trip = half_round_trip};
  int sizes = 0;
  int times = 0;
  std::string_view rest = list;
  for (std::size_t column = 0;; ++column) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view word = faults::trimmed(rest.substr(0, end));
    const auto* const unit =
        std::ranges::find(kUnits, word, [](const auto& one) { return one.first; });
    if (word == "bytes") {
      ++sizes;
      columns.bytes = column;
    } else if (unit != kUnits.end()) {
      ++times;
      columns.time = column;
      columns.unit_s = unit->second;
    } else if (word != "-") {
      throw UsageError(
          "--columns: expected bytes, seconds, milliseconds, microseconds, "
          "nanoseconds or - for each column, got " +
          json::in_quotes(std::string(word)));
    }
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (sizes != 1 || times != 1)
    throw UsageError(
        "--columns: expected one column of bytes and one of times, as in "
        "bytes,seconds, got " +
        json::in_quotes(list));
  return columns;
}

void add_measurements(const std::string& path, const std::optional<TableColumns>& columns,
                      Measurements& measurements) {
  const std::string text = read_packed_text(path, "the times of messages", kLargestFile_B);
  Reader(path, text, measurements).read(columns);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<Timing> medians(const std::vector<Timing>& timings) {
  std::map<std::uint64_t, std::vector<double>> by_size;
  for (const Timing& timing : timings) by_size[timing.bytes].push_back(timing.time_s);
  std::vector<Timing> found;
  found.reserve(by_size.size());
  for (auto& [bytes, times_s] : by_size) found.push_back({bytes, median(std::move(times_s))});
  return found;
}

std::vector<Timing> apart(const std::vector<Timing>& timings, double step) {
  std::vector<Timing> some;
  double next_bytes = 0;
  for (const Timing& timing : timings) {
    const auto bytes = static_cast<double>(timing.bytes);
    if (bytes < next_bytes) continue;
    some.push_back(timing);
    next_bytes = bytes * step;
  }
  return some;
}

}  // namespace faultline::calibration
