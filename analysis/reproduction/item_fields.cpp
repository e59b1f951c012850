// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/item_fields.hpp"

namespace faultline::reproduction {

const json::JsonValue::List& list_of(const json::JsonValue* value, const std::string& path,
                                     json::Problems& problems) {
  static const json::JsonValue::List empty;
  if (value == nullptr) {
    problems.add(path, "missing, expected a list");
    return empty;
  }
  if (value->list() != nullptr && !value->list()->empty()) return *value->list();
  problems.add(path, "expected a list that is not empty, got " + json::describe(*value));
  return empty;
}

const json::JsonValue::Object& object_of(const json::JsonValue* value, const std::string& path,
                                         json::Problems& problems) {
  static const json::JsonValue::Object empty;
  if (value == nullptr) return empty;
  if (value->object() != nullptr) return *value->object();
  problems.add(path, "expected an object, got " + json::describe(*value));
  return empty;
}

std::vector<std::string> read_texts(const json::JsonValue* value, const std::string& path,
                                    json::Problems& problems) {
  const OptionSpec spec{.name = "", .kind = OptionKind::text};
  std::vector<std::string> texts;
  const json::JsonValue::List& list = list_of(value, path, problems);
  texts.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    texts.push_back(std::get<std::string>(
        json::read_option(list[i], spec, json::item_path(path, i), problems)));
  return texts;
}

}  // namespace faultline::reproduction
