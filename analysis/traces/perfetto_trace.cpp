// SPDX-License-Identifier: Apache-2.0
#include "analysis/traces/perfetto_trace.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sim/core/version.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::traces {

namespace {

std::int64_t nanoseconds(double time_s) { return std::llround(time_s * 1e9); }

json::JsonValue microseconds(std::int64_t time_ns) {
  return json::json_number(static_cast<double>(time_ns) / 1e3);
}

json::JsonValue whole(std::uint64_t value) { return {static_cast<std::int64_t>(value)}; }

/// The processes and threads of the format stand for our nodes and tracks. Both count from 1,
/// because Perfetto takes number 0 for the idle process.
class Writer {
 public:
  Writer(const RunTrace& trace, const scenario::RunSpec& spec) : trace_(trace), spec_(spec) {
    for (const TracedSpan& span : trace.spans)
      if (span.kind == TracedSpan::Kind::computing) cores_ = std::max(cores_, span.core + 1);
    for (const NodeId node : trace.node_of) nodes_ = std::max(nodes_, node + 1);
  }

  std::string text(const TraceTitle& title) {
    name_tracks();
    for (const TracedSpan& span : trace_.spans) add_span(span);
    add_messages();
    for (const TracedMoment& moment : trace_.moments) add_moment(moment);
    add_verdict();
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
    std::string text =
        "{\"displayTimeUnit\": \"ns\",\n\"otherData\": " + json::to_json(about(title)) +
        ",\n\"traceEvents\": [\n";
    for (std::size_t i = 0; i < events_.size(); ++i)
      text += events_[i].json + (i + 1 < events_.size() ? ",\n" : "\n");
    return text + "]}\n";
  }

 private:
  struct Entry {
    std::int64_t time_ns;
    std::string json;
  };

  // ---- tracks ----------------------------------------------------------------------------------

  [[nodiscard]] std::uint64_t group_of(ActorId actor) const {
    return std::uint64_t{trace_.node_of[actor]} + 1;
  }
  [[nodiscard]] std::uint64_t run_group() const { return std::uint64_t{nodes_} + 1; }
  /// `which` is 0 for the track of an actor's messages, 1 for its activity, and 2 on for its cores.
  [[nodiscard]] std::uint64_t track_of(ActorId actor, std::uint64_t which) const {
    return actor * (std::uint64_t{cores_} + 2) + which + 1;
  }
  static std::uint64_t which_track(const TracedSpan& span) {
    if (span.kind == TracedSpan::Kind::active) return 1;
    return span.kind == TracedSpan::Kind::computing ? 2 + std::uint64_t{span.core} : 0;
  }

  void name_tracks() {
    name("process_name", run_group(), 0, "run");
    std::set<std::uint64_t> groups;
    for (ActorId actor = 0; actor < trace_.node_of.size(); ++actor) {
      if (groups.insert(group_of(actor)).second)
        name("process_name", group_of(actor), 0, "node " + std::to_string(trace_.node_of[actor]));
      name("thread_name", group_of(actor), track_of(actor, 0), actor_name(trace_, actor));
    }
    std::set<std::uint64_t> named;
    for (const TracedSpan& span : trace_.spans) {
      const std::uint64_t which = which_track(span);
      const std::uint64_t track = track_of(span.actor, which);
      if (which == 0 || !named.insert(track).second) continue;
      name("thread_name", group_of(span.actor), track,
           actor_name(trace_, span.actor) +
               (which == 1 ? ": active" : ": core " + std::to_string(span.core)));
    }
  }

  void name(const char* what, std::uint64_t group, std::uint64_t track, const std::string& text) {
    json::JsonValue event =
        json::json_object({{"ph", "M"}, {"ts", 0}, {"pid", whole(group)}, {"tid", whole(track)}});
    event.set("name", what);
    event.set("args", json::json_object({{"name", text}}));
    add(0, event);
    if (track == 0) return;
    event.set("name", "thread_sort_index");
    event.set("args", json::json_object({{"sort_index", whole(track)}}));
    add(0, event);
  }

  // ---- events ----------------------------------------------------------------------------------

  void add(std::int64_t time_ns, const json::JsonValue& event) {
    events_.push_back({time_ns, json::to_json(event)});
  }

  [[nodiscard]] json::JsonValue event(const char* phase, std::int64_t time_ns, ActorId actor,
                                      std::uint64_t track, const char* category,
                                      std::string words) const {
    return json::json_object({{"ph", phase},
                              {"ts", microseconds(time_ns)},
                              {"pid", whole(group_of(actor))},
                              {"tid", whole(track)},
                              {"cat", category},
                              {"name", std::move(words)}});
  }

  [[nodiscard]] std::string kind_of(const TracedMessage& message) const {
    return kind_name(spec_, message.family, message.kind);
  }
  static const char* category_of(const TracedMessage& message) {
    return message_group(message.family);
  }

  [[nodiscard]] std::string name_of(const TracedSpan& span) const {
    switch (span.kind) {
      case TracedSpan::Kind::handling:
        return span.received == TracedSpan::kNoMessage ? "send"
                                                       : kind_of(trace_.messages[span.received]);
      case TracedSpan::Kind::computing:
        return "compute";
      case TracedSpan::Kind::active:
        return "active";
      case TracedSpan::Kind::dead:
        break;
    }
    return "dead";
  }

  void add_span(const TracedSpan& span) {
    constexpr const char* kCategories[] = {"handling", "computing", "active", "failure"};
    const std::int64_t begin_ns = nanoseconds(span.begin_s);
    json::JsonValue json = event("X", begin_ns, span.actor, track_of(span.actor, which_track(span)),
                                 kCategories[static_cast<std::size_t>(span.kind)], name_of(span));
    json.set("dur", microseconds(nanoseconds(span.end_s) - begin_ns));
    if (span.kind == TracedSpan::Kind::handling) {
      json::JsonValue details = json::json_object({{"messages_sent", whole(span.sends)}});
      if (span.received != TracedSpan::kNoMessage)
        details.set("received_from", actor_name(trace_, trace_.messages[span.received].from));
      json.set("args", std::move(details));
    }
    add(begin_ns, json);
  }

  /// An arrow begins in the slice that sends the message and ends in the one that receives it, so
  /// the slices must come before it in the file.
  void add_messages() {
    std::vector<std::int64_t> taken_ns(trace_.messages.size(), 0);
    for (const TracedSpan& span : trace_.spans)
      if (span.received != TracedSpan::kNoMessage)
        taken_ns[span.received] = nanoseconds(span.begin_s);
    for (std::size_t i = 0; i < trace_.messages.size(); ++i) {
      if (trace_.messages[i].fate == Fate::handled)
        add_arrow(i, taken_ns[i]);
      else
        add_loss(trace_.messages[i]);
    }
  }

  [[nodiscard]] json::JsonValue details_of(const TracedMessage& message) const {
    json::JsonValue details = json::json_object({{"from", actor_name(trace_, message.from)},
                                                 {"to", actor_name(trace_, message.to)},
                                                 {"bytes", whole(message.bytes)},
                                                 {"phase", whole(message.phase)}});
    if (message.from_object == 0 && message.to_object == 0) return details;
    details.set("from_object", whole(message.from_object));
    details.set("to_object", whole(message.to_object));
    return details;
  }

  void add_arrow(std::size_t index, std::int64_t taken_ns) {
    const TracedMessage& message = trace_.messages[index];
    const std::int64_t begin_ns = nanoseconds(message.begin_s);
    json::JsonValue begin = event("s", begin_ns, message.from, track_of(message.from, 0),
                                  category_of(message), kind_of(message));
    begin.set("id", whole(index + 1));
    begin.set("args", details_of(message));
    add(begin_ns, begin);
    const std::int64_t end_ns = std::max(begin_ns, taken_ns);
    json::JsonValue end = event("f", end_ns, message.to, track_of(message.to, 0),
                                category_of(message), kind_of(message));
    end.set("id", whole(index + 1));
    end.set("bp", "e");
    add(end_ns, end);
  }

  void add_loss(const TracedMessage& message) {
    const std::int64_t time_ns = nanoseconds(message.end_s);
    json::JsonValue json =
        event("i", time_ns, message.to, track_of(message.to, 0), category_of(message),
              kind_of(message) + ": " + fate_words(message.fate));
    json.set("s", "t");
    json.set("args", details_of(message));
    add(time_ns, json);
  }

  void add_moment(const TracedMoment& moment) {
    const MomentWords words = words_of(trace_, moment);
    const std::int64_t time_ns = nanoseconds(moment.time_s);
    json::JsonValue json =
        event("i", time_ns, moment.actor, track_of(moment.actor, 0), words.category, words.what);
    json.set("s", moment.kind == audit::Sight::Kind::died ? "p" : "t");
    add(time_ns, json);
  }

  void add_verdict() {
    const auto& metrics = trace_.result.metrics.values();
    const auto over = metrics.find("termination_time_s");
    if (over != metrics.end() && over->second) add_global(*over->second, "the work is over", "");
    for (const audit::Violation& violation : trace_.result.violations)
      add_global(violation.time_s, "violation: " + violation.kind, violation.detail);
  }

  void add_global(double time_s, const std::string& words, const std::string& detail) {
    const std::int64_t time_ns = nanoseconds(time_s);
    add(time_ns, json::json_object({{"ph", "i"},
                                    {"ts", microseconds(time_ns)},
                                    {"pid", whole(run_group())},
                                    {"tid", whole(run_group())},
                                    {"cat", "truth"},
                                    {"name", words},
                                    {"s", "g"},
                                    {"args", json::json_object({{"detail", detail}})}}));
  }

  [[nodiscard]] json::JsonValue about(const TraceTitle& title) const {
    json::JsonValue about =
        json::json_object({{"scenario", title.scenario},
                           {"point", title.point},
                           {"engine", title.engine},
                           {"seed", whole(title.seed)},
                           {"replication", whole(title.replication)},
                           {"outcome", engine::outcome_word(trace_.result.outcome)},
                           {"faultline", std::string(version())}});
    if (!title.left_out.empty()) about.set("without", title.left_out);
    return about;
  }

  const RunTrace& trace_;
  const scenario::RunSpec& spec_;
  std::uint32_t cores_ = 0;
  std::uint32_t nodes_ = 0;
  std::vector<Entry> events_;
};

}  // namespace

std::string perfetto_text(const RunTrace& trace, const scenario::RunSpec& spec,
                          const TraceTitle& title) {
  return Writer(trace, spec).text(title);
}

}  // namespace faultline::traces
