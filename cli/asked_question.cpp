// SPDX-License-Identifier: Apache-2.0
#include "cli/asked_question.hpp"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "analysis/advice/crossovers.hpp"
#include "analysis/advice/pruning.hpp"
#include "analysis/store/store_file.hpp"
#include "analysis/store/study_rows.hpp"
#include "sim/core/error.hpp"
#include "sim/core/file_roles.hpp"
#include "sim/core/options.hpp"

namespace faultline::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDataVariable = "FAULTLINE_DATA";

/// The question of a bundle must be the same on any machine: all of its files are read again, and
/// no others.
void read_again(const advice::Bundle& bundle, const advice::Field& field) {
  const UnpackedBundle unpacked(bundle);
  const advice::Question question =
      advice::load_question(unpacked.path_of(bundle.question), bundle.sets);
  const advice::Field again = advice::pruned_field(question);
  const std::vector<std::string> read = files_read();
  for (const advice::BundledFile& file : bundle.files)
    if (!names(read, fs::absolute(unpacked.path_of(file.name)).lexically_normal().string()))
      throw UsageError(file.name +
                       ": others would not find it; name it by a path relative to the question");
  if (again.study.hash != field.study.hash) throw UsageError("the question is another one there");
}

}  // namespace

UnpackedBundle::UnpackedBundle(const advice::Bundle& bundle) : folder_("the files of a bundle") {
  advice::unpack(bundle, folder_.path());
  const std::string data = folder_.file("scenarios");
  has_data_ = fs::is_directory(data);
  if (!has_data_) return;
  if (const char* before = std::getenv(kDataVariable)) data_before_ = before;
  setenv(kDataVariable, data.c_str(), 1);
}

UnpackedBundle::~UnpackedBundle() {
  if (!has_data_) return;
  if (data_before_)
    setenv(kDataVariable, data_before_->c_str(), 1);
  else
    unsetenv(kDataVariable);
}

std::string UnpackedBundle::path_of(const std::string& name) const {
  return folder_.path() + "/" + name;
}

AskedQuestion::AskedQuestion(const std::string& path, std::vector<std::string> sets)
    : path_(path), sets_(std::move(sets)), is_changed_(!sets_.empty()) {
  if (!store::is_database(path)) {
    load();
    return;
  }
  reads_file(path, FileKind::store);
  bundle_ = advice::read_bundle(path);
  unpacked_.emplace(*bundle_);
  sets_.insert(sets_.begin(), bundle_->sets.begin(), bundle_->sets.end());
  try {
    load();
  } catch (const UsageError& error) {
    throw UsageError(in_words(error.what()));
  }
}

void AskedQuestion::load() {
  question_ = advice::load_question(bundle_ ? unpacked_->path_of(bundle_->question) : path_, sets_);
  field_ = advice::pruned_field(question_);
  advice::check_paths(question_);
}

std::string AskedQuestion::in_words(std::string message) const {
  if (!bundle_) return message;
  const std::string folder = unpacked_->path_of("");
  for (std::size_t at = 0; (at = message.find(folder, at)) != std::string::npos;)
    message.replace(at, folder.size(), path_ + ": ");
  return message;
}

advice::Bundle AskedQuestion::new_bundle() const {
  try {
    advice::Bundle bundle = advice::bundle_of(question_.file, files_read());
    bundle.sets = sets_;
    const store::StoredStudy own = store::stored_study(field_.study);
    bundle.faultline = own.faultline;
    bundle.simgrid = own.simgrid;
    read_again(bundle, field_);
    return bundle;
  } catch (const UsageError& error) {
    throw UsageError(std::string("advise: --bundle: ") + error.what());
  }
}

}  // namespace faultline::cli
