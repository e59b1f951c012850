// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibration/residuals.hpp"

#include <array>

#include "analysis/calibration/measurements.hpp"
#include "analysis/text/text_table.hpp"
#include "analysis/text/value_words.hpp"

namespace faultline::calibration {

namespace {

/// Where ranges of sizes begin. MPI libraries copy, fill cache lines and negotiate from about these
/// sizes on.
constexpr std::array<std::uint64_t, 15> kBegins = {0,      8,      64,      256,     1024,
                                                   4096,   8192,   17408,   32768,   65536,
                                                   262144, 524288, 2097152, 8388608, 33554432};

}  // namespace

std::vector<Residual> residuals(const std::vector<Timing>& measured,
                                const std::function<double(double bytes)>& model) {
  std::vector<Residual> found;
  for (std::size_t range = 0; range < kBegins.size(); ++range) {
    const std::uint64_t from = kBegins[range];
    const std::uint64_t to = range + 1 < kBegins.size() ? kBegins[range + 1] - 1 : 0;
    std::vector<double> sizes;
    std::vector<double> times_s;
    std::vector<double> errors;
    for (const Timing& one : measured) {
      if (one.bytes < from || (to != 0 && one.bytes > to)) continue;
      sizes.push_back(static_cast<double>(one.bytes));
      times_s.push_back(one.time_s);
      errors.push_back(model(sizes.back()) / one.time_s - 1);
    }
    if (sizes.empty()) continue;
    const auto median_bytes = static_cast<std::uint64_t>(median(sizes));
    found.push_back({.from_bytes = from,
                     .to_bytes = to,
                     .messages = sizes.size(),
                     .median_bytes = median_bytes,
                     .measured_s = median(std::move(times_s)),
                     .modelled_s = model(static_cast<double>(median_bytes)),
                     .error = median(std::move(errors))});
  }
  return found;
}

std::string residual_table(const std::vector<Residual>& residuals) {
  text::TextTable table{.columns = {{"bytes", text::Align::left},
                                    {"messages"},
                                    {"median\nbytes"},
                                    {"measured,\nus"},
                                    {"modelled,\nus"},
                                    {"error,\n%"}},
                        .rows = {}};
  constexpr double kMicro = 1e6;
  for (const Residual& one : residuals)
    table.rows.push_back(
        {one.to_bytes == 0 ? std::to_string(one.from_bytes) + " and more"
                           : std::to_string(one.from_bytes) + " to " + std::to_string(one.to_bytes),
         std::to_string(one.messages), std::to_string(one.median_bytes),
         text::fixed(one.measured_s * kMicro, 3), text::fixed(one.modelled_s * kMicro, 3),
         text::fixed(one.error * 100, 1)});
  return text::render(table);
}

}  // namespace faultline::calibration
