// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/value_words.hpp"

namespace faultline::text {

std::string value_words(const json::JsonValue& value) {
  if (value.is_null()) return "-";
  if (const std::string* text = value.text()) return *text;
  std::string words;
  const auto add = [&](const char* between, const std::string& more) {
    words += (words.empty() ? "" : between) + more;
  };
  if (const json::JsonValue::List* list = value.list()) {
    for (const json::JsonValue& entry : *list) add("; ", value_words(entry));
    return list->empty() ? "none" : words;
  }
  if (value.object() == nullptr) return json::to_json(value);
  if (const json::JsonValue* name = value.find("name")) words = value_words(*name);
  for (const json::JsonMember& member : *value.object())
    if (member.key != "name") add(", ", member.key + " " + value_words(member.value));
  return words.empty() ? json::to_json(value) : words;
}

}  // namespace faultline::text
