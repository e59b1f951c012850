#include "sim/scenario/overrides.hpp"

#include <cctype>
#include <charconv>
#include <system_error>
#include <variant>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/scenario/json_reader.hpp"

namespace faultline {
namespace {

/// A key of an object or an index of a list.
using Step = std::variant<std::string, std::size_t>;

[[noreturn]] void refuse(const std::string& set, const Problems& problems, const std::string& why) {
  throw UsageError(problems.file() + ": --set " + in_quotes(set) + ": " + why);
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Splits `faults.at[0].time_s`; an empty result is no path.
std::vector<Step> split_path(const std::string& path) {
  std::vector<Step> steps;
  std::size_t at = 0;
  while (at < path.size()) {
    if (path[at] == '[') {
      std::size_t end = at + 1;
      while (end < path.size() && is_digit(path[end])) ++end;
      const std::size_t digits = end - at - 1;
      if (digits == 0 || digits > 9 || end == path.size() || path[end] != ']') return {};
      steps.emplace_back(static_cast<std::size_t>(std::stoul(path.substr(at + 1, digits))));
      at = end + 1;
    } else {
      if (!steps.empty() && path[at++] != '.') return {};
      const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
      if (end == at) return {};
      steps.emplace_back(path.substr(at, end - at));
      at = end;
    }
  }
  return path.empty() || path.back() == '.' ? std::vector<Step>{} : steps;
}

/// A number that no double holds: not a word, which may stand without quotes.
bool is_beyond_double(const std::string& text) {
  double ignored = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ignored);
  return rest == end && error == std::errc::result_out_of_range;
}

JsonValue read_value(const std::string& set, const std::string& text, const Problems& problems) {
  Problems value_problems(problems.file() + ": --set " + in_quotes(set));
  const bool structured = text.find_first_of("{[\"") == 0;
  JsonValue value;
  try {
    value = parse_json(text, value_problems);
  } catch (const UsageError&) {
    if (structured || is_beyond_double(text)) throw;
    return text;
  }
  value_problems.throw_if_any();
  return value;
}

}  // namespace

void apply_set(JsonValue& root, const std::string& set, Problems& problems) {
  const std::size_t equals = set.find('=');
  if (equals == std::string::npos)
    refuse(set, problems, "expected PATH=VALUE, for instance platform.processes=64");
  const std::vector<Step> steps = split_path(set.substr(0, equals));
  if (steps.empty() || steps.size() > static_cast<std::size_t>(kDeepestNesting))
    refuse(set, problems, "expected a path such as platform.processes or faults.at[0].time_s");
  JsonValue value = read_value(set, set.substr(equals + 1), problems);
  JsonValue* place = &root;
  std::string path;
  for (const Step& step : steps) {
    if (const std::string* key = std::get_if<std::string>(&step)) {
      if (place->object() == nullptr && !place->is_null())
        refuse(set, problems,
               (path.empty() ? "the file" : path) + " is " + describe(*place) + " and has no key " +
                   in_quotes(*key));
      if (place->find(*key) == nullptr) place->set(*key, {});
      place = place->find(*key);
      path = member_path(path, *key);
    } else {
      const std::size_t index = std::get<std::size_t>(step);
      if (place->is_null()) place->data = JsonValue::List{};
      JsonValue::List* list = place->list();
      if (list == nullptr) refuse(set, problems, path + " is " + describe(*place) + ", not a list");
      if (index > list->size())
        refuse(set, problems,
               path + " has " + std::to_string(list->size()) +
                   " entries, expected an index of at most " + std::to_string(list->size()) +
                   " (which appends)");
      if (index == list->size()) list->emplace_back();
      place = &(*list)[index];
      path = item_path(path, index);
    }
  }
  *place = std::move(value);
  problems.set_origin(path, "from --set " + in_quotes(set));
}

}  // namespace faultline
