// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/item_files.hpp"

#include <algorithm>
#include <system_error>

#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"

namespace faultline::reproduction {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> all_items() {
  std::vector<fs::path> items;
  std::error_code unreadable;
  for (const auto& folder : fs::directory_iterator(data_directory(), unreadable)) {
    if (!folder.is_directory(unreadable)) continue;
    for (const auto& entry : fs::directory_iterator(folder, unreadable))
      if (entry.path().extension() == ".json" && is_reproduction_item(entry.path().string()))
        items.push_back(entry.path());
  }
  std::sort(items.begin(), items.end());
  return items;
}

}  // namespace

std::string reproduction_item_name(const fs::path& file) {
  return file.parent_path().filename().string() + "/" + file.stem().string();
}

bool is_reproduction_item(const std::string& file) {
  try {
    json::Problems problems(file);
    const json::JsonValue root = json::read_json_file(file, problems);
    return root.find("groups") != nullptr;
  } catch (const UsageError&) {
    return false;
  }
}

std::vector<std::string> reproduction_item_names() {
  std::vector<std::string> names;
  for (const fs::path& file : all_items()) {
    const std::string item = reproduction_item_name(file);
    const std::string paper = item.substr(0, item.find('/'));
    if (names.empty() || names.back() != item) names.push_back(item);
    if (std::find(names.begin(), names.end(), paper) == names.end()) names.push_back(paper);
  }
  return names;
}

std::vector<fs::path> find_reproduction_items(const std::string& name) {
  if (name.ends_with(".json")) return {name};
  std::vector<fs::path> found;
  for (const fs::path& file : all_items()) {
    const std::string item = reproduction_item_name(file);
    if (name == item || name == item.substr(0, item.find('/'))) found.push_back(file);
  }
  if (!found.empty()) return found;
  throw UsageError("reproduce: unknown paper or item " + json::in_quotes(name) +
                   json::suggestion(name, reproduction_item_names()));
}

}  // namespace faultline::reproduction
