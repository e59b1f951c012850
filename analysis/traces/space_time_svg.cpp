// SPDX-License-Identifier: Apache-2.0
#include "analysis/traces/space_time_svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <utility>
#include <vector>

#include "sim/core/visible_text.hpp"

namespace faultline::traces {

namespace {

// In pixels.
constexpr double kGutter = 70.0;
constexpr double kColumn = 92.0;
constexpr double kRow = 86.0;
constexpr double kAbove = 64.0;
constexpr double kBelow = 46.0;
constexpr double kCharacter = 6.0;  ///< roughly, of the small font

// Colours of the palette of all drawings. Pages replace them by those of the reader's screen.
constexpr const char* kBlack = "black";
constexpr const char* kFaint = "rgb(151,94,117)";
constexpr const char* kApplication = "rgb(0,114,178)";
constexpr const char* kControl = "rgb(213,94,0)";
constexpr const char* kGood = "rgb(0,158,115)";
constexpr const char* kBad = "rgb(192,23,42)";
/// Keeps words apart from the lines that they lie on.
constexpr const char* kHalo =
    R"( stroke='#FFFFFF' stroke-width="3" stroke-linejoin="round" paint-order="stroke")";
constexpr const char* kGrid = "rgb(213,219,225)";

std::string pixels(double length) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", length);
  return text;
}

std::string escaped_text(const std::string& text) {
  std::string safe;
  for (const char letter : visible(text)) {
    switch (letter) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

class Diagram {
 public:
  Diagram(const RunTrace& trace, const scenario::RunSpec& spec) : trace_(trace), spec_(spec) {
    for (const TracedMessage& message : trace.messages) add_time(message.begin_s, message.end_s);
    for (const TracedSpan& span : trace.spans) add_time(span.begin_s, span.end_s);
    for (const TracedMoment& moment : trace.moments) add_time(moment.time_s, moment.time_s);
    add_time(trace.end_s, trace.end_s);
    std::sort(times_s_.begin(), times_s_.end());
    times_s_.erase(std::unique(times_s_.begin(), times_s_.end()), times_s_.end());
    actors_ = trace.processes;
    for (const TracedMessage& message : trace.messages)
      actors_ = std::max({actors_, message.from + 1, message.to + 1});
    life_s_.assign(actors_, trace.end_s);
    for (const TracedSpan& span : trace.spans)
      if (span.kind == TracedSpan::Kind::dead && span.actor < actors_)
        life_s_[span.actor] = std::min(life_s_[span.actor], span.begin_s);
  }

  std::string svg(const std::string& title) {
    width_ = kGutter + kColumn * static_cast<double>(times_s_.size()) + kGutter;
    const double height = kAbove + kRow * (actors_ - 1) + kBelow + 20.0;
    svg_ = R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" + pixels(width_) + "\" height=\"" +
           pixels(height) + "\" viewBox=\"0 0 " + pixels(width_) + ' ' + pixels(height) +
           "\" font-family=\"sans\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
           "fill='#FFFFFF'/>\n";
    text(kGutter, 16.0, title, kBlack, "start", " font-weight=\"bold\"");
    axis();
    for (ActorId actor = 0; actor < actors_; ++actor) lifeline(actor);
    for (const TracedSpan& span : trace_.spans) computation(span);
    for (const TracedMessage& message : trace_.messages) arrow(message);
    for (const TracedMoment& moment : trace_.moments) mark(moment);
    for (const audit::Violation& violation : trace_.result.violations) show(violation);
    return svg_ + "</svg>\n";
  }

 private:
  void add_time(double begin_s, double end_s) {
    times_s_.push_back(begin_s);
    times_s_.push_back(end_s);
  }
  [[nodiscard]] double x(double time_s) const {
    const auto place = std::lower_bound(times_s_.begin(), times_s_.end(), time_s);
    return kGutter + kColumn * (0.5 + static_cast<double>(place - times_s_.begin()));
  }
  static double y(ActorId actor) { return kAbove + kRow * actor; }

  void line(double x1, double y1, double x2, double y2, const char* colour,
            const std::string& style = {}) {
    svg_.append("<path d=\"M").append(pixels(x1)).append(" ").append(pixels(y1));
    svg_.append("L").append(pixels(x2)).append(" ").append(pixels(y2));
    svg_.append("\" stroke=\"").append(colour).append(R"(" fill="none")").append(style);
    svg_.append("/>\n");
  }
  void text(double at_x, double at_y, const std::string& words, const char* colour,
            const char* anchor, const std::string& style = {}) {
    svg_.append("<text x=\"").append(pixels(at_x)).append("\" y=\"").append(pixels(at_y));
    svg_.append("\" fill=\"").append(colour).append("\" text-anchor=\"").append(anchor);
    svg_.append("\"").append(kHalo).append(style).append(">");
    svg_.append(escaped_text(words)).append("</text>\n");
  }
  void triangle(double tip_x, double tip_y, double angle, const char* colour) {
    constexpr double kLong = 8.0;
    constexpr double kHalf = 0.4;  // of its angle
    svg_ += "<path d=\"M" + pixels(tip_x) + ' ' + pixels(tip_y);
    for (const double side : {angle + kHalf, angle - kHalf})
      svg_.append("L")
          .append(pixels(tip_x - kLong * std::cos(side)))
          .append(" ")
          .append(pixels(tip_y - kLong * std::sin(side)));
    svg_.append("Z\" fill=\"").append(colour).append("\"/>\n");
  }

  void axis() {
    const double bottom = kAbove + kRow * (actors_ - 1) + kBelow;
    for (std::size_t step = 0; step < times_s_.size(); ++step) {
      line(x(times_s_[step]), kAbove - 30.0, x(times_s_[step]), bottom - 8.0, kGrid);
      text(x(times_s_[step]), bottom + 6.0, std::to_string(step), kFaint, "middle");
    }
  }

  void lifeline(ActorId actor) {
    const bool is_rank = actor < trace_.processes;
    text(kGutter - 8.0, y(actor) + 4.0,
         is_rank ? "rank " + std::to_string(actor)
                 : "node " + std::to_string(actor - trace_.processes),
         kBlack, "end", " font-weight=\"bold\"");
    const double end = x(life_s_[actor]);
    line(kGutter, y(actor), end, y(actor), kBlack);
    if (life_s_[actor] >= trace_.end_s && !dies_at_end(actor)) return;
    for (const double side : {-1.0, 1.0})
      line(end - 7.0, y(actor) - 7.0 * side, end + 7.0, y(actor) + 7.0 * side, kBad,
           " stroke-width=\"2.5\"");
  }
  [[nodiscard]] bool dies_at_end(ActorId actor) const {
    return std::any_of(trace_.spans.begin(), trace_.spans.end(), [&](const TracedSpan& span) {
      return span.kind == TracedSpan::Kind::dead && span.actor == actor;
    });
  }

  void computation(const TracedSpan& span) {
    if (span.kind != TracedSpan::Kind::computing) return;
    line(x(span.begin_s), y(span.actor), std::max(x(span.end_s), x(span.begin_s) + 4.0),
         y(span.actor), kGood, R"( stroke-width="7" stroke-opacity="0.45")");
  }

  void arrow(const TracedMessage& message) {
    const char* colour = message.family == Family::workload ? kApplication : kControl;
    const double x1 = x(message.begin_s);
    const double y1 = y(message.from);
    double x2 = x(message.end_s);
    double y2 = y(message.to);
    const bool arrives = message.fate == Fate::handled;
    if (!arrives) {  // the message ends on the way
      x2 = std::max(x2, x1 + 0.6 * kColumn);
      y2 = y1 + 0.7 * (y2 - y1);
    }
    const double angle = std::atan2(y2 - y1, x2 - x1);
    line(x1, y1, x2, y2, colour,
         arrives ? " stroke-width=\"1.5\"" : R"( stroke-width="1.5" stroke-dasharray="5 4")");
    triangle(x2, y2, angle, colour);
    const std::string name = kind_name(spec_, message.family, message.kind);
    const double length = std::hypot(x2 - x1, y2 - y1);
    const double along = std::clamp(kCharacter * static_cast<double>(name.size()) / 2 + 14.0,
                                    0.3 * length, 0.5 * length);
    const double mid_x = x1 + along * std::cos(angle);
    const double mid_y = y1 + along * std::sin(angle);
    text(mid_x, mid_y - 4.0, name, colour, "middle",
         " transform=\"rotate(" + pixels(angle * 180.0 / 3.14159265358979) + ' ' + pixels(mid_x) +
             ' ' + pixels(mid_y) + ")\"");
  }

  /// Draws a moment, except marks of components, which mean nothing to a reader who looks at their
  /// messages.
  void mark(const TracedMoment& moment) {
    if (moment.actor >= actors_) return;
    const char* colour = kBad;
    std::string words;
    switch (moment.kind) {
      case audit::Sight::Kind::declared_dead:
        words = "told: " + std::to_string(moment.peer) + " is dead";
        break;
      case audit::Sight::Kind::taken_back:
        words = "told: " + std::to_string(moment.peer) + " lives";
        colour = kGood;
        break;
      case audit::Sight::Kind::announced:
        words = "announces";
        colour = kGood;
        break;
      case audit::Sight::Kind::gave_up:
        words = "gives up";
        break;
      case audit::Sight::Kind::died:
        words = "dies";
        break;
      default:
        return;
    }
    const double at = x(moment.time_s);
    double up = 9.0;
    for (const auto& [column, height] : taken_)
      if (column == std::pair(at, moment.actor)) up = std::max(up, height + 12.0);
    taken_.push_back({{at, moment.actor}, up});
    if (moment.kind != audit::Sight::Kind::died)
      svg_.append("<circle cx=\"")
          .append(pixels(at))
          .append("\" cy=\"")
          .append(pixels(y(moment.actor)))
          .append(R"(" r="3.5" fill=")")
          .append(colour)
          .append("\"/>\n");
    text(at, y(moment.actor) - up, words, colour, "middle");
  }

  void show(const audit::Violation& violation) {
    const double at = x(trace_.end_s);
    line(at, kAbove - 30.0, at, kAbove + kRow * (actors_ - 1) + kBelow - 8.0, kBad,
         R"( stroke-dasharray="2 3" stroke-width="1.5")");
    text(at, kAbove - 36.0 + 11.0 * violations_++, violation.kind, kBad, "middle",
         " font-weight=\"bold\"");
  }

  const RunTrace& trace_;
  const scenario::RunSpec& spec_;
  std::vector<double> times_s_;  ///< moments at which something happens
  ActorId actors_ = 0;
  std::vector<double> life_s_;  ///< when each actor dies, or the end
  std::vector<std::pair<std::pair<double, ActorId>, double>> taken_;  ///< heights of words
  int violations_ = 0;
  double width_ = 0.0;
  std::string svg_;
};

}  // namespace

std::string space_time_svg(const RunTrace& trace, const scenario::RunSpec& spec,
                           const std::string& title) {
  return Diagram(trace, spec).svg(title);
}

}  // namespace faultline::traces
