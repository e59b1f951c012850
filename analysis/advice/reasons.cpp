// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/reasons.hpp"

#include <algorithm>

#include "analysis/advice/words.hpp"

namespace faultline::advice {

namespace {

/// The entry of a key in a list of pairs, which gets one if it has none.
template <class Pairs>
typename Pairs::value_type::second_type& entry(Pairs& pairs, const std::string& key) {
  const auto known = std::ranges::find(pairs, key, &Pairs::value_type::first);
  if (known != pairs.end()) return known->second;
  pairs.push_back({key, {}});
  return pairs.back().second;
}

/// A reason in words that hold for other names, too: "termination: it tolerates no faults".
std::string without_name(std::string why, const std::string& name) {
  const std::size_t place = why.find(" " + name + " ");
  return place == std::string::npos ? why : why.replace(place + 1, name.size(), "it");
}

/// The sentences of those that are left out. `what` is the first word.
std::vector<std::string> sentences_of(const std::string& what, const Field& field,
                                      const std::vector<Unraced>& unraced) {
  std::map<std::string, std::size_t> sizes;
  for (const Alternative& one : field.alternatives) ++sizes[one.stack];
  for (const Unraced& one : unraced) ++sizes[one.stack];
  Reasons reasons(std::move(sizes));
  for (const Unraced& one : unraced) reasons.add(one.name, one.stack, one.why);
  return reasons.sentences(what);
}

}  // namespace

void Reasons::add(const std::string& name, const std::string& stack, const std::string& why) {
  constexpr std::size_t kComma = 2;  // ", " before a tuned value
  entry(entry(all_, without_name(why, name)), stack)
      .push_back(name == stack ? "" : name.substr(stack.size() + kComma));
}

std::vector<std::string> Reasons::sentences(const std::string& what) const {
  std::vector<std::string> list;
  list.reserve(all_.size());
  for (const auto& [why, stacks] : all_) {
    std::vector<std::string> whom;
    whom.reserve(stacks.size());
    for (const Stack& stack : stacks) whom.push_back(words_of(stack));
    list.push_back(what);
    list.back() += ": " + all_of(whom) + ": " + why;
  }
  return list;
}

/// "ulfm + swim", or "ulfm + swim (as it is, timeout_s 0.1, 0.5)".
std::string Reasons::words_of(const Stack& stack) const {
  const auto& [name, values] = stack;
  return values.size() == sizes_.at(name) ? name : name + " (" + values_text(values) + ")";
}

std::string values_text(const std::vector<std::string>& values) {
  std::string text;
  std::string before;
  for (const std::string& value : values) {
    const std::string option = value.substr(0, value.find(' '));
    if (!text.empty()) text += ", ";
    text += value.empty() ? "as it is" : option == before ? value.substr(option.size() + 1) : value;
    before = option;
  }
  return text;
}

std::vector<std::string> refusals(const Field& field) {
  return sentences_of("Refused", field, field.refused);
}

std::vector<std::string> pruned_sentences(const Field& field) {
  return sentences_of("Pruned", field, field.pruned);
}

std::vector<std::string> untuned_sentences(const Field& field) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> stacks;
  for (const Untuned& one : field.untuned) stacks[{one.path, one.why}].push_back(one.stack);
  std::vector<std::string> sentences;
  sentences.reserve(stacks.size());
  for (const auto& [untuned, whom] : stacks)
    sentences.push_back(untuned.first + " is not tuned in " + all_of(whom) + ": " + untuned.second +
                        ".");
  return sentences;
}

}  // namespace faultline::advice
