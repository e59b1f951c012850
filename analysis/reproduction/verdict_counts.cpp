// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/verdict_counts.hpp"

namespace faultline::reproduction {

namespace {

constexpr Verdict kEveryVerdict[] = {Verdict::match, Verdict::differs, Verdict::not_comparable};

template <class Key>
std::int64_t count_in(const std::map<Key, std::size_t>& counts, Key key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : static_cast<std::int64_t>(found->second);
}

/// " (7 bound, 24 own theory)".
std::string kinds_words(const VerdictCounts& counts) {
  std::string text;
  for (const auto& [evidence, count] : counts.matches)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + evidence_word(evidence);
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace

void VerdictCounts::add(const ItemResult& result) {
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& cell = result.item.cells[i];
    const CellResult& outcome = result.cells[i];
    ++verdicts[outcome.verdict];
    if (outcome.verdict == Verdict::match && cell.evidence) ++matches[*cell.evidence];
    if (!outcome.is_expected(cell)) ++unexpected;
  }
}

VerdictCounts counts_of(const std::vector<ItemResult>& results) {
  VerdictCounts counts;
  for (const ItemResult& result : results) counts.add(result);
  return counts;
}

std::string counts_words(const VerdictCounts& counts) {
  std::string text;
  for (const auto& [verdict, count] : counts.verdicts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + verdict_word(verdict);
    if (verdict == Verdict::match) text += kinds_words(counts);
  }
  if (counts.unexpected == 0) return text + "; all as expected";
  return text + "; " + std::to_string(counts.unexpected) + " not as expected (!)";
}

json::JsonValue counts_json(const VerdictCounts& counts) {
  json::JsonValue json = json::JsonValue::Object{};
  for (const Verdict verdict : kEveryVerdict)
    json.set(verdict_word(verdict), count_in(counts.verdicts, verdict));
  json::JsonValue kinds = json::JsonValue::Object{};
  for (const Evidence evidence : all_evidence())
    kinds.set(evidence_word(evidence), count_in(counts.matches, evidence));
  json.set("matches", std::move(kinds));
  return json;
}

}  // namespace faultline::reproduction
