// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/bundle.hpp"
#include "analysis/advice/question.hpp"
#include "sim/core/scratch_directory.hpp"

namespace faultline::cli {

/// The files of a bundle in a directory of their own, while this lives. If some belong to
/// Faultline's data, these are the only data meanwhile.
class UnpackedBundle {
 public:
  explicit UnpackedBundle(const advice::Bundle& bundle);
  ~UnpackedBundle();
  UnpackedBundle(const UnpackedBundle&) = delete;
  UnpackedBundle& operator=(const UnpackedBundle&) = delete;

  [[nodiscard]] std::string path_of(const std::string& name) const;

 private:
  ScratchDirectory folder_;
  std::optional<std::string> data_before_;  ///< FAULTLINE_DATA
  bool has_data_ = false;
};

/// A question with its alternatives, from a file of its own or from a bundle.
class AskedQuestion {
 public:
  /// `sets` change the question. Throws UsageError with every error.
  AskedQuestion(const std::string& path, std::vector<std::string> sets);

  [[nodiscard]] const advice::Question& question() const { return question_; }
  [[nodiscard]] advice::Field& field() { return field_; }
  /// The bundle that it is from, if it is from one.
  [[nodiscard]] const std::optional<advice::Bundle>& bundle() const { return bundle_; }
  /// Is it changed after it has been bundled?
  [[nodiscard]] bool is_changed() const { return is_changed_; }

  /// A message in which files of the bundle have the names that they have there.
  [[nodiscard]] std::string in_words(std::string message) const;

  /// A bundle of this question, without an answer. It has been read again as a test. Throws
  /// UsageError if that fails.
  [[nodiscard]] advice::Bundle new_bundle() const;

 private:
  void load();

  std::string path_;
  std::vector<std::string> sets_;
  bool is_changed_;
  std::optional<advice::Bundle> bundle_;
  std::optional<UnpackedBundle> unpacked_;
  advice::Question question_;
  advice::Field field_;
};

}  // namespace faultline::cli
