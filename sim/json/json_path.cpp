// SPDX-License-Identifier: Apache-2.0
#include "sim/json/json_path.hpp"

#include <algorithm>
#include <cctype>

#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"

namespace faultline::json {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string member_or_item(const std::string& path, const JsonStep& step) {
  const auto* key = std::get_if<std::string>(&step);
  return key != nullptr ? member_path(path, *key) : item_path(path, std::get<std::size_t>(step));
}

}  // namespace

JsonPath split_path(const std::string& text) {
  JsonPath steps;
  std::size_t at = 0;
  while (at < text.size()) {
    if (steps.size() >= static_cast<std::size_t>(kDeepestNesting)) return {};
    if (text[at] == '[') {
      std::size_t end = at + 1;
      while (end < text.size() && is_digit(text[end])) ++end;
      const std::size_t digits = end - at - 1;
      if (digits == 0 || digits > 9 || end == text.size() || text[end] != ']') return {};
      steps.emplace_back(static_cast<std::size_t>(std::stoul(text.substr(at + 1, digits))));
      at = end + 1;
    } else {
      if (!steps.empty() && text[at++] != '.') return {};
      const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
      if (end == at) return {};
      steps.emplace_back(text.substr(at, end - at));
      at = end;
    }
  }
  return text.empty() || text.back() == '.' ? JsonPath{} : steps;
}

std::string path_text(const JsonPath& path) {
  std::string text;
  for (const JsonStep& step : path) text = member_or_item(text, step);
  return text;
}

bool is_within(const JsonPath& path, const JsonPath& parent) {
  return path.size() >= parent.size() && std::equal(parent.begin(), parent.end(), path.begin());
}

const JsonValue* find_at(const JsonValue& root, const JsonPath& path) {
  const JsonValue* place = &root;
  for (const JsonStep& step : path) {
    if (const std::string* key = std::get_if<std::string>(&step)) {
      place = place->find(*key);
    } else {
      const std::size_t index = std::get<std::size_t>(step);
      const JsonValue::List* list = place->list();
      place = list != nullptr && index < list->size() ? &(*list)[index] : nullptr;
    }
    if (place == nullptr) return nullptr;
  }
  return place;
}

std::string set_at(JsonValue& root, const JsonPath& path, JsonValue value) {
  JsonValue* place = &root;
  std::string so_far;
  for (const JsonStep& step : path) {
    if (const std::string* key = std::get_if<std::string>(&step)) {
      if (place->object() == nullptr && !place->is_null())
        return (so_far.empty() ? "the file" : so_far) + " is " + describe(*place) +
               " and has no key " + in_quotes(*key);
      if (place->find(*key) == nullptr) place->set(*key, {});
      place = place->find(*key);
    } else {
      const std::size_t index = std::get<std::size_t>(step);
      if (place->is_null()) place->data = JsonValue::List{};
      JsonValue::List* list = place->list();
      if (list == nullptr) return so_far + " is " + describe(*place) + ", not a list";
      if (index > list->size())
        return so_far + " has " + std::to_string(list->size()) +
               " entries, expected an index of at most " + std::to_string(list->size()) +
               " (which appends)";
      if (index == list->size()) list->emplace_back();
      place = &(*list)[index];
    }
    so_far = member_or_item(so_far, step);
  }
  *place = std::move(value);
  return {};
}

}  // namespace faultline::json
