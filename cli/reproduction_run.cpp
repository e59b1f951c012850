// SPDX-License-Identifier: Apache-2.0
#include "cli/reproduction_run.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

#include "analysis/runs/progress.hpp"
#include "cli/options.hpp"

namespace faultline::cli {

unsigned jobs_of(const std::string& option, const std::optional<std::string>& text) {
  if (!text) return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(whole_number(option, *text, 1, 4096));
}

void say_duration(const std::vector<reproduction::ItemFile>& items,
                  const reproduction::ReproductionSettings& settings) {
  std::fprintf(
      stderr,
      "faultline: %zu %s, about %s with %u %s where they were timed; this machine may take "
      "longer%s\n",
      items.size(), items.size() == 1 ? "item" : "items",
      runs::duration_words(reproduction::expected_time_s(items, settings)).c_str(), settings.jobs,
      settings.jobs == 1 ? "worker" : "workers", settings.quick ? "" : " (--quick takes less)");
}

std::optional<reproduction::Reproduction> reproduce_items(
    std::vector<reproduction::ItemFile> items, const reproduction::ReproductionSettings& settings,
    Drawings* drawings) {
  reproduction::DrawChart draw;
  if (drawings != nullptr)
    draw = [drawings](const std::string& stem, const std::string& csv, const std::string& script) {
      return drawings->draw(stem, csv, script);
    };
  const auto keep = [drawings](const std::string& stem, const std::string& svg) {
    drawings->add(stem, svg);
  };
  return reproduction::carry_out_items(std::move(items), settings, draw, keep);
}

}  // namespace faultline::cli
