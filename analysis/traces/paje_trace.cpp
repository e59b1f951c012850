// SPDX-License-Identifier: Apache-2.0
#include "analysis/traces/paje_trace.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/core/version.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::traces {

namespace {

/// The event types of the format that we use, each with a number of our choice.
constexpr const char* kDefinitions =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineEventType 2\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineLinkType 3\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 4\n% Time date\n% Alias string\n% Type string\n"
    "% Container string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajePushState 6\n% Time date\n% Type string\n% Container string\n% Value string\n"
    "%EndEventDef\n"
    "%EventDef PajePopState 7\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeNewEvent 8\n% Time date\n% Type string\n% Container string\n% Value string\n"
    "%EndEventDef\n"
    "%EventDef PajeStartLink 9\n% Time date\n% Type string\n% Container string\n% Value string\n"
    "% StartContainer string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 10\n% Time date\n% Type string\n% Container string\n% Value string\n"
    "% EndContainer string\n% Key string\n%EndEventDef\n";

constexpr const char* kTypes =
    "0 RUN 0 \"run\"\n0 NODE RUN \"node\"\n0 PROCESS NODE \"process\"\n0 CORE PROCESS \"core\"\n"
    "1 HANDLING PROCESS \"handling\"\n1 ACTIVITY PROCESS \"activity\"\n"
    "1 COMPUTING CORE \"computing\"\n"
    "2 TRUTH RUN \"truth\"\n2 ANNOUNCEMENT PROCESS \"announcement\"\n"
    "2 FAILURE PROCESS \"failure\"\n2 MARK PROCESS \"mark\"\n2 LOSS PROCESS \"lost message\"\n"
    "3 APPLICATION RUN PROCESS PROCESS \"application message\"\n"
    "3 CONTROL RUN PROCESS PROCESS \"control message\"\n"
    "3 DETECTION RUN PROCESS PROCESS \"detection message\"\n";

std::string quoted(const std::string& raw) {
  std::string text = visible(raw);
  std::replace(text.begin(), text.end(), '"', '\'');
  return "\"" + text + "\"";
}

class Writer {
 public:
  Writer(const RunTrace& trace, const scenario::RunSpec& spec) : trace_(trace), spec_(spec) {}

  std::string text(const TraceTitle& title) {
    make_containers(title);
    for (const TracedSpan& span : trace_.spans) add_span(span);
    for (std::size_t i = 0; i < trace_.messages.size(); ++i) add_message(i);
    for (const TracedMoment& moment : trace_.moments) {
      const MomentWords words = words_of(trace_, moment);
      add_event(moment.time_s, type_of(words.category), process(moment.actor), words.what);
    }
    add_verdict();
    // Among lines of the same time, those that end a state come before those that begin one.
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      return std::pair(a.time_s, a.begins) < std::pair(b.time_s, b.begins);
    });
    std::string text = "# Faultline " + std::string(version()) + ", " + title.engine + ", seed " +
                       std::to_string(title.seed) + ", replication " +
                       std::to_string(title.replication) + ", times in seconds" +
                       (title.left_out.empty() ? "" : ", without " + visible(title.left_out)) +
                       "\n" + kDefinitions + kTypes;
    for (const Line& line : lines_) text += line.text;
    return text + "5 " + json::shortest(last_s_) + " RUN run\n";
  }

 private:
  struct Line {
    double time_s;
    bool begins;
    std::string text;
  };

  static std::string process(ActorId actor) { return "p" + std::to_string(actor); }
  static std::string core(const TracedSpan& span) {
    return process(span.actor) + "c" + std::to_string(span.core);
  }
  static const char* type_of(const std::string& category) {
    if (category == "announcement") return "ANNOUNCEMENT";
    return category == "failure" ? "FAILURE" : "MARK";
  }

  static const char* link_type(Family family) {
    if (family == Family::workload) return "APPLICATION";
    return family == Family::failure_detection ? "DETECTION" : "CONTROL";
  }

  void add(double time_s, bool begins, const char* number, const std::string& rest) {
    last_s_ = std::max(last_s_, time_s);
    lines_.push_back(
        {time_s, begins, std::string(number) + " " + json::shortest(time_s) + " " + rest + "\n"});
  }

  /// These lines come before all others, since every other one has a time of zero or later.
  void make_containers(const TraceTitle& title) {
    const auto make = [this](const std::string& rest) { add(0.0, false, "4", rest); };
    make("run RUN 0 " + quoted(title.scenario));
    std::map<NodeId, bool> made;
    for (const NodeId node : trace_.node_of)
      if (made.emplace(node, true).second)
        make("n" + std::to_string(node) + " NODE run \"node " + std::to_string(node) + "\"");
    for (ActorId actor = 0; actor < trace_.node_of.size(); ++actor)
      make(process(actor) + " PROCESS n" + std::to_string(trace_.node_of[actor]) + " " +
           quoted(actor_name(trace_, actor)));
    std::map<std::string, bool> cores;
    for (const TracedSpan& span : trace_.spans)
      if (span.kind == TracedSpan::Kind::computing && cores.emplace(core(span), true).second)
        make(core(span) + " CORE " + process(span.actor) + " " +
             quoted(actor_name(trace_, span.actor) + ": core " + std::to_string(span.core)));
  }

  void add_span(const TracedSpan& span) {
    switch (span.kind) {
      case TracedSpan::Kind::handling: {
        const bool receives = span.received != TracedSpan::kNoMessage;
        return add_state(span, "HANDLING", process(span.actor),
                         receives ? kind_of(trace_.messages[span.received]) : "send");
      }
      case TracedSpan::Kind::computing:
        return add_state(span, "COMPUTING", core(span), "compute");
      case TracedSpan::Kind::active:
        return add_state(span, "ACTIVITY", process(span.actor), "active");
      case TracedSpan::Kind::dead:
        return add_state(span, "ACTIVITY", process(span.actor), "dead");
    }
  }

  /// Leaves out states that last no time.
  void add_state(const TracedSpan& span, const char* type, const std::string& container,
                 const std::string& value) {
    if (span.end_s <= span.begin_s) return;
    const std::string place = std::string(type) + " " + container;
    add(span.begin_s, true, "6", place + " " + quoted(value));
    add(span.end_s, false, "7", place);
  }

  [[nodiscard]] std::string kind_of(const TracedMessage& message) const {
    return kind_name(spec_, message.family, message.kind);
  }

  void add_message(std::size_t index) {
    const TracedMessage& message = trace_.messages[index];
    if (message.fate != Fate::handled)
      return add_event(message.end_s, "LOSS", process(message.to),
                       kind_of(message) + " from " + actor_name(trace_, message.from) + ": " +
                           fate_words(message.fate));
    const std::string type = link_type(message.family);
    const std::string value = " " + quoted(kind_of(message)) + " ";
    const std::string key = " m" + std::to_string(index);
    add(message.begin_s, true, "9", type + " run" + value + process(message.from) + key);
    add(message.end_s, true, "10", type + " run" + value + process(message.to) + key);
  }

  void add_event(double time_s, const char* type, const std::string& container,
                 const std::string& value) {
    add(time_s, true, "8", std::string(type) + " " + container + " " + quoted(value));
  }

  void add_verdict() {
    const auto& metrics = trace_.result.metrics.values();
    const auto over = metrics.find("termination_time_s");
    if (over != metrics.end() && over->second)
      add_event(*over->second, "TRUTH", "run", "the work is over");
    for (const audit::Violation& violation : trace_.result.violations)
      add_event(violation.time_s, "TRUTH", "run", violation.kind + ": " + violation.detail);
  }

  const RunTrace& trace_;
  const scenario::RunSpec& spec_;
  std::vector<Line> lines_;
  double last_s_ = 0.0;
};

}  // namespace

std::string paje_text(const RunTrace& trace, const scenario::RunSpec& spec,
                      const TraceTitle& title) {
  return Writer(trace, spec).text(title);
}

}  // namespace faultline::traces
