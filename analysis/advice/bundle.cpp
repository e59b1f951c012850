// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/bundle.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "analysis/store/sqlite.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text_file.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/json_reader.hpp"

namespace faultline::advice {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAbout = "about.json";
constexpr const char* kAnswer = "answer.json";
constexpr const char* kFiles = "files";
constexpr const char* kData = "scenarios";

/// What "about.json" has: how the question was asked, and by which program it was answered.
const OptionSet<Bundle>& about_options() {
  static const auto set = OptionSet<Bundle>()
                              .option("question", &Bundle::question, {.required = true})
                              .option("set", &Bundle::sets, {})
                              .option("quick", &Bundle::is_quick, {})
                              .option("faultline", &Bundle::faultline, {.required = true})
                              .option("simgrid", &Bundle::simgrid, {.required = true});
  return set;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

/// The folder that all these files are below, however deep.
fs::path common_folder(const std::vector<fs::path>& files) {
  fs::path common = files.empty() ? fs::path() : files.front().parent_path();
  for (const fs::path& file : files)
    while (!is_below(file, common)) common = common.parent_path();
  return common;
}

std::string content_of(const std::string& path) {
  constexpr std::size_t kLargestFile_B = std::size_t{100} << 20U;
  return read_text_file(path, "a file that a bundle can hold", kLargestFile_B);
}

/// A relative name below one of the two folders that cannot lead out of it, and that any file
/// system takes.
bool is_safe(const std::string& name) {
  constexpr std::size_t kLongest_B = 1000;
  constexpr std::size_t kLongestPart_B = 255;
  const fs::path path(name);
  const bool is_ours = path.has_parent_path() && (is_below(path, kFiles) || is_below(path, kData));
  const bool is_short =
      name.size() <= kLongest_B && std::ranges::all_of(path, [](const fs::path& part) {
        return part.native().size() <= kLongestPart_B;
      });
  const auto is_control = [](unsigned char letter) { return letter < ' ' || letter == 0x7F; };
  return is_ours && is_short && path.has_filename() && path == path.lexically_normal() &&
         std::ranges::none_of(name, is_control);
}

/// Two files cannot be unpacked if one would be the folder of the other.
bool is_folder_of_another(const BundledFile& file, const std::vector<BundledFile>& files) {
  return std::ranges::any_of(files, [&](const BundledFile& other) {
    return other.name != file.name && is_below(other.name, file.name);
  });
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UsageError(path + ": " + why + store::kStoreRemedy);
}

/// A bundle of which nothing is known yet but what this text says.
Bundle read_about(const std::string& text, const std::string& path) {
  json::Problems problems(path + " (" + kAbout + ")");
  const json::JsonValue root = json::parse_json(text, problems);
  json::CheckedObject object(root, "", problems);
  const OptionValues values = object.options(about_options().specs());
  object.finish();
  problems.throw_if_any();
  return about_options().read(values);
}

std::string about_text(const Bundle& bundle) {
  json::JsonValue::List sets;
  for (const std::string& set : bundle.sets) sets.emplace_back(set);
  return json::to_json(json::json_object({{"question", bundle.question},
                                          {"set", sets},
                                          {"quick", bundle.is_quick},
                                          {"faultline", bundle.faultline},
                                          {"simgrid", bundle.simgrid}}),
                       2) +
         "\n";
}

}  // namespace

Bundle bundle_of(const std::string& question, const std::vector<std::string>& paths) {
  Bundle bundle;
  const fs::path asked = fs::absolute(question).lexically_normal();
  const fs::path data = fs::absolute(data_directory()).lexically_normal();
  std::vector<fs::path> own;
  for (const fs::path path : paths)
    if (!is_below(path, data)) own.push_back(path);
  const fs::path common = common_folder(own);
  for (const fs::path path : paths) {
    const bool is_data = is_below(path, data);
    const fs::path name =
        fs::path(is_data ? kData : kFiles) / path.lexically_relative(is_data ? data : common);
    bundle.files.push_back({name.string(), content_of(path)});
    if (path == asked) bundle.question = name.string();
  }
  if (bundle.question.empty())
    throw UsageError(question + ": expected a file that can be read again, for a bundle");
  return bundle;
}

Bundle read_bundle(const std::string& path) {
  store::Database database(path, false);
  store::Statement tables(database,
                          "SELECT 1 FROM sqlite_schema WHERE type='table' AND name='bundle'");
  if (!tables.step())
    throw UsageError(path +
                     ": has no question, expected one, or a bundle (faultline advise --bundle)");
  std::optional<std::string> about;
  std::string answer;
  std::vector<BundledFile> files;
  store::Statement rows(database, "SELECT name, content FROM bundle ORDER BY name");
  while (rows.step()) {
    if (rows.kind(0) != store::CellKind::text || rows.kind(1) != store::CellKind::text)
      refuse(path, "table bundle: expected texts");
    const std::string name = rows.text(0);
    if (name == kAbout)
      about = rows.text(1);
    else if (name == kAnswer)
      answer = rows.text(1);
    else if (is_safe(name))
      files.push_back({name, rows.text(1)});
    else
      refuse(path,
             "table bundle: has an unexpected name, " + json::in_quotes(store::plain_words(name)));
  }
  if (!about) refuse(path, std::string("table bundle: has no ") + kAbout);
  Bundle bundle = read_about(*about, path);
  bundle.answer = std::move(answer);
  bundle.files = std::move(files);
  constexpr std::size_t kMostFiles = 1000;
  if (bundle.files.size() > kMostFiles) refuse(path, "table bundle: has more than 1,000 files");
  for (const BundledFile& file : bundle.files)
    if (is_folder_of_another(file, bundle.files))
      refuse(path, "table bundle: has a file in a file, " + json::in_quotes(file.name));
  if (std::ranges::find(bundle.files, bundle.question, &BundledFile::name) == bundle.files.end())
    refuse(path, "table bundle: has no question");
  return bundle;
}

void unpack(const Bundle& bundle, const std::string& folder) {
  for (const BundledFile& file : bundle.files) {
    const fs::path place = fs::path(folder) / file.name;
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    std::ofstream(place, std::ios::binary) << file.content << std::flush;
    if (error || fs::file_size(place, error) != file.content.size() || error)
      throw RunError(place.string() + ": cannot be written");
  }
}

void write_bundle(const Bundle& bundle, store::ResultStore& runs, const std::string& path) {
  runs.copy_to(path);
  store::Database database(path, false);
  store::Transaction transaction(database);
  database.execute(
      "DROP TABLE IF EXISTS bundle; "
      "CREATE TABLE bundle(name TEXT PRIMARY KEY, content TEXT) WITHOUT ROWID");
  store::Statement insert(database, "INSERT INTO bundle VALUES (?, ?)");
  insert.bind(std::string(kAbout)).bind(about_text(bundle)).run();
  insert.bind(std::string(kAnswer)).bind(bundle.answer).run();
  for (const BundledFile& file : bundle.files) insert.bind(file.name).bind(file.content).run();
  transaction.commit();
}

}  // namespace faultline::advice
