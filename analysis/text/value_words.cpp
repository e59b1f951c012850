// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/value_words.hpp"

namespace faultline {

std::string value_words(const JsonValue& value) {
  if (value.is_null()) return "-";
  if (const std::string* text = value.text()) return *text;
  std::string words;
  const auto add = [&](const char* between, const std::string& more) {
    words += (words.empty() ? "" : between) + more;
  };
  if (const JsonValue::List* list = value.list()) {
    for (const JsonValue& entry : *list) add("; ", value_words(entry));
    return list->empty() ? "none" : words;
  }
  if (value.object() == nullptr) return to_json(value);
  if (const JsonValue* name = value.find("name")) words = value_words(*name);
  for (const JsonMember& member : *value.object())
    if (member.key != "name") add(", ", member.key + " " + value_words(member.value));
  return words.empty() ? to_json(value) : words;
}

}  // namespace faultline
