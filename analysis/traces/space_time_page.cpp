// SPDX-License-Identifier: Apache-2.0
#include "analysis/traces/space_time_page.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "analysis/traces/space_time_template.hpp"
#include "sim/core/version.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::traces {

namespace {

json::JsonValue whole(std::uint64_t value) { return {static_cast<std::int64_t>(value)}; }

/// The run as data for the page's script. The script names the columns of these lists.
class Data {
 public:
  Data(const RunTrace& trace, const scenario::RunSpec& spec) : trace_(trace), spec_(spec) {}

  [[nodiscard]] json::JsonValue json(const TraceTitle& title) {
    json::JsonValue data =
        json::json_object({{"title", about(title)},
                           {"outcome", engine::outcome_word(trace_.result.outcome)},
                           {"reason", trace_.result.fatal_reason},
                           {"processes", whole(trace_.processes)},
                           {"end", trace_.end_s},
                           {"over", over()},
                           {"phases", phases()},
                           {"fates", fates()},
                           {"underWay", fate_words(Fate::under_way)},
                           {"nodes", nodes()},
                           {"onDaemons", on_daemons()}});
    data.set("messages", messages());
    data.set("kinds", std::move(kinds_));
    data.set("spans", spans());
    data.set("moments", moments());
    data.set("violations", violations());
    return data;
  }

 private:
  [[nodiscard]] json::JsonValue about(const TraceTitle& title) const {
    std::string stack;
    for (const scenario::ComponentChoice& choice : spec_.components)
      if (choice.registration != nullptr)
        stack += (stack.empty() ? "" : ", ") + choice.registration->name;
    return json::json_object({{"scenario", visible(title.scenario)},
                              {"point", visible(title.point)},
                              {"stack", stack},
                              {"engine", title.engine},
                              {"seed", whole(title.seed)},
                              {"replication", whole(title.replication)},
                              {"without", visible(title.left_out)},
                              {"version", std::string(version())}});
  }

  [[nodiscard]] json::JsonValue over() const {
    const auto found = trace_.result.metrics.values().find("termination_time_s");
    const bool known = found != trace_.result.metrics.values().end() && found->second;
    return known ? json::JsonValue(*found->second) : json::JsonValue();
  }

  [[nodiscard]] json::JsonValue phases() const {
    std::uint32_t last = 0;
    for (const TracedMessage& message : trace_.messages) last = std::max(last, message.phase);
    return whole(std::uint64_t{last} + 1);
  }

  static json::JsonValue fates() {
    json::JsonValue::List list;
    for (int fate = 0; fate <= static_cast<int>(Fate::under_way); ++fate)
      list.emplace_back(fate_words(static_cast<Fate>(fate)));
    return list;
  }

  [[nodiscard]] json::JsonValue nodes() const {
    json::JsonValue::List list;
    list.reserve(trace_.node_of.size());
    for (const NodeId node : trace_.node_of) list.push_back(whole(node));
    return list;
  }

  /// The names of the components that run on daemons.
  [[nodiscard]] json::JsonValue on_daemons() const {
    json::JsonValue::List list;
    for (const scenario::ComponentChoice& choice : spec_.components)
      if (choice.registration != nullptr &&
          residence_of(*choice.registration, choice.options) != Residence::ranks)
        list.emplace_back(choice.registration->name);
    return list;
  }

  /// The number of a message's kind. Kinds are numbered in the order in which they first occur.
  json::JsonValue number_of_kind(const TracedMessage& message) {
    const auto key = std::pair(message.family, message.kind);
    const auto [place, is_new] = kind_numbers_.emplace(key, kinds_.size());
    if (is_new)
      kinds_.push_back(json::json_object({{"name", kind_name(spec_, message.family, message.kind)},
                                          {"group", message_group(message.family)}}));
    return whole(place->second);
  }

  json::JsonValue messages() {
    json::JsonValue::List list;
    list.reserve(trace_.messages.size());
    for (const TracedMessage& message : trace_.messages)
      list.emplace_back(json::JsonValue::List{
          whole(message.from), whole(message.to), number_of_kind(message), message.begin_s,
          message.inject_s, message.end_s, static_cast<int>(message.fate), whole(message.bytes),
          whole(message.phase), whole(message.begin_order), whole(message.end_order)});
    return list;
  }

  [[nodiscard]] json::JsonValue spans() const {
    json::JsonValue::List list;
    list.reserve(trace_.spans.size());
    for (const TracedSpan& span : trace_.spans)
      list.emplace_back(json::JsonValue::List{static_cast<int>(span.kind), whole(span.actor),
                                              span.begin_s, span.end_s, whole(span.core),
                                              whole(span.order)});
    return list;
  }

  [[nodiscard]] json::JsonValue moments() const {
    json::JsonValue::List list;
    list.reserve(trace_.moments.size());
    for (const TracedMoment& moment : trace_.moments) {
      MomentWords words = words_of(trace_, moment);
      const bool is_notice = moment.kind == audit::Sight::Kind::declared_dead;
      list.push_back(
          json::json_object({{"time", moment.time_s},
                             {"actor", whole(moment.actor)},
                             {"group", words.category},
                             {"what", std::move(words.what)},
                             {"dead", is_notice ? whole(moment.peer) : json::JsonValue()},
                             {"order", whole(moment.order)}}));
    }
    return list;
  }

  [[nodiscard]] json::JsonValue violations() const {
    json::JsonValue::List list;
    list.reserve(trace_.result.violations.size());
    for (const audit::Violation& violation : trace_.result.violations)
      list.push_back(json::json_object(
          {{"time", violation.time_s},
           {"actor", violation.actor ? whole(*violation.actor) : json::JsonValue()},
           {"kind", violation.kind},
           {"detail", violation.detail}}));
    return list;
  }

  const RunTrace& trace_;
  const scenario::RunSpec& spec_;
  std::map<std::pair<Family, std::uint16_t>, std::size_t> kind_numbers_;
  json::JsonValue::List kinds_;
};

/// Escapes the text so that nothing in it ends the page's element around it.
std::string within_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<')
      text += "\\u003c";
    else
      text += letter;
  }
  return text;
}

}  // namespace

std::string space_time_page(const RunTrace& trace, const scenario::RunSpec& spec,
                            const TraceTitle& title) {
  std::string page = kSpaceTimePage;
  const std::string data = within_script(json::to_json(Data(trace, spec).json(title)));
  return page.replace(page.find(kSpaceTimeRun), std::strlen(kSpaceTimeRun), data);
}

}  // namespace faultline::traces
