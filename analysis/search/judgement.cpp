// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/judgement.hpp"

#include <cctype>

namespace faultline::search {

namespace {

std::string text_in(const json::JsonValue& json, const char* key) {
  const json::JsonValue* const value = json.find(key);
  return value == nullptr ? std::string() : *value->text();
}

bool is_set(const json::JsonValue& json, const char* key) {
  const json::JsonValue* const value = json.find(key);
  return value != nullptr && std::get<bool>(value->data);
}

}  // namespace

std::string kind_of_message(const std::string& message) {
  constexpr std::size_t kLongest = 90;
  std::string kind;
  bool quoted = false;
  for (const char letter : message) {
    if (letter == '"') {
      if (!quoted) kind += "\"..\"";
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (std::isdigit(static_cast<unsigned char>(letter)) != 0) {
      if (kind.empty() || kind.back() != '#') kind += '#';
    } else {
      kind += letter;
    }
    if (kind.size() >= kLongest) break;
  }
  return kind;
}

json::JsonValue judgement_json(const Judgement& judgement) {
  json::JsonValue json = json::JsonValue::Object{};
  if (!judgement.refused.empty()) json.set("refused", judgement.refused);
  if (!judgement.outcome.empty()) json.set("outcome", judgement.outcome);
  if (judgement.finding) {
    json.set("kind", judgement.finding->kind);
    json.set("text", judgement.finding->text);
  }
  json.set("by_membership", judgement.by_membership);
  json.set("as_printed", judgement.as_printed);
  json.set("explored", judgement.explored);
  json.set("may_die", judgement.may_die);
  json.set("struck", judgement.struck);
  json.set("struck_amid", judgement.struck_amid);
  json.set("events", static_cast<std::int64_t>(judgement.events));
  return json;
}

Judgement read_judgement(const json::JsonValue& json) {
  Judgement judgement;
  judgement.refused = text_in(json, "refused");
  judgement.outcome = text_in(json, "outcome");
  if (json.find("kind") != nullptr)
    judgement.finding = Finding{text_in(json, "kind"), text_in(json, "text")};
  judgement.by_membership = is_set(json, "by_membership");
  judgement.as_printed = is_set(json, "as_printed");
  judgement.explored = is_set(json, "explored");
  judgement.may_die = is_set(json, "may_die");
  judgement.struck = is_set(json, "struck");
  judgement.struck_amid = is_set(json, "struck_amid");
  judgement.events = static_cast<std::uint64_t>(json::number_of(*json.find("events")).value_or(0));
  return judgement;
}

Finding crash(const std::string& why) { return {"crash", "the process that ran it " + why}; }

}  // namespace faultline::search
