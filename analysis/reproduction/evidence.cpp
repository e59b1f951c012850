// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/evidence.hpp"

namespace faultline::reproduction {

const std::vector<Evidence>& all_evidence() {
  static const std::vector<Evidence> all = {Evidence::predicted,  Evidence::bound,
                                            Evidence::formula,    Evidence::calibrated,
                                            Evidence::own_theory, Evidence::property};
  return all;
}

const char* evidence_word(Evidence evidence) {
  switch (evidence) {
    case Evidence::predicted:
      return "predicted";
    case Evidence::bound:
      return "bound";
    case Evidence::formula:
      return "formula";
    case Evidence::calibrated:
      return "calibrated";
    case Evidence::own_theory:
      return "own theory";
    case Evidence::property:
      return "property";
  }
  return "";
}

std::vector<std::string> evidence_words() {
  std::vector<std::string> words;
  for (const Evidence evidence : all_evidence()) words.emplace_back(evidence_word(evidence));
  return words;
}

std::optional<Evidence> evidence_of(const std::string& word) {
  for (const Evidence evidence : all_evidence())
    if (word == evidence_word(evidence)) return evidence;
  return std::nullopt;
}

}  // namespace faultline::reproduction
