// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/simgrid_topology_file.hpp"

#include <expat.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/platform/simgrid_numbers.hpp"

namespace faultline::platform {
namespace {

/// SimGrid's parser demands a document type, but does not read it.
constexpr const char* kHead =
    "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";
constexpr std::size_t kDeepestElement = 64;
constexpr std::size_t kLongestValue_B = std::size_t{64} << 10U;
/// In these zones SimGrid keeps a table of all pairs of points. Floyd's algorithm takes time in the
/// cube of their number.
constexpr std::uint64_t kMostPointsOfFull = 8192;
constexpr std::uint64_t kMostPointsOfFloyd = 2048;
/// The most links in all clusters with switches together.
constexpr std::uint64_t kMostClusterLinks = 1000000;
constexpr std::uint64_t kMostCores = 65536;

using Attributes = std::vector<std::pair<std::string_view, std::string>>;

// ---- What is copied, what is left out, what is refused. ----

struct ElementRule {
  std::string_view name;
  std::string_view attributes;  ///< the attributes that are copied, between blanks
};

constexpr std::array<ElementRule, 18> kTaken = {{
    {"platform", " version "},
    {"zone", " id routing "},
    {"AS", " id routing "},
    {"host", " id speed core coordinates pstate "},
    {"peer", " id speed bw_in bw_out lat coordinates "},
    {"cluster",
     " id prefix suffix radical speed core bw lat sharing_policy topology topo_parameters bb_bw "
     "bb_lat bb_sharing_policy router_id limiter_link loopback_bw loopback_lat "},
    {"cabinet", " id prefix suffix radical speed bw lat "},
    {"host_link", " id up down "},
    {"router", " id coordinates "},
    {"backbone", " id bandwidth latency "},
    {"link", " id bandwidth latency sharing_policy "},
    {"link_ctn", " id direction "},
    {"route", " src dst symmetrical "},
    {"zoneRoute", " src dst gw_src gw_dst symmetrical "},
    {"ASroute", " src dst gw_src gw_dst symmetrical "},
    {"bypassRoute", " src dst "},
    {"bypassZoneRoute", " src dst gw_src gw_dst "},
    {"bypassASroute", " src dst gw_src gw_dst "},
}};

/// Elements left out, because no route depends on them.
constexpr std::array<std::string_view, 2> kLeftOut = {"prop", "disk"};

struct Refusal {
  std::string_view name;
  std::string_view why;
};

constexpr std::array<Refusal, 11> kRefused = {{
    {"config", "Faultline takes no settings of SimGrid from a platform file"},
    {"trace", "Faultline takes no changes over time from a platform file"},
    {"trace_connect", "Faultline takes no changes over time from a platform file"},
    {"include", "a platform file must not name other files"},
    {"actor", "Faultline takes no actors from a platform file"},
    {"process", "Faultline takes no actors from a platform file"},
    {"argument", "Faultline takes no actors from a platform file"},
    {"random", "Faultline takes no random values from a platform file"},
    {"storage", "Faultline takes no storage from a platform file"},
    {"storage_type", "Faultline takes no storage from a platform file"},
    {"mount", "Faultline takes no storage from a platform file"},
}};

constexpr std::array<std::string_view, 6> kFileAttributes = {
    "state_file", "speed_file", "latency_file", "availability_file", "bandwidth_file", "content"};

const ElementRule* find_rule(std::string_view name) {
  const auto* const found = std::find_if(
      kTaken.begin(), kTaken.end(), [&](const ElementRule& rule) { return rule.name == name; });
  return found == kTaken.end() ? nullptr : found;
}

/// True if the list has the name. Looks for it between blanks, so as not to find a part of another
/// name.
bool names(std::string_view list, std::string_view name) {
  return list.find(" " + std::string(name) + " ") != std::string_view::npos;
}

[[noreturn]] void refuse(const std::string& why) { throw UsageError(why); }

/// A name from the file as messages show it: short, and without anything that a terminal obeys.
std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string result;
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte > 0x7E ? '?' : c;
  }
  return '"' + result + (text.size() > kShown ? "...\"" : "\"");
}

const std::string* find_value(const Attributes& attributes, std::string_view name) {
  for (const auto& [known, value] : attributes)
    if (known == name) return &value;
  return nullptr;
}

/// The number of hosts that a text such as "0-9,12" names: 11.
std::uint64_t radical_size(const std::string& radical) {
  std::uint64_t count = 0;
  for (const std::string_view group : split(radical, ',')) {
    const auto ends = split(group, '-');
    const auto first = whole_number(ends.front());
    const auto last = whole_number(ends.back());
    if (!first || !last || ends.size() > 2 || *last < *first)
      refuse("radical: expected numbers and ranges such as 0-9,12, got " + shown(radical));
    count += *last - *first + 1;
  }
  return count;
}

// ---- What SimGrid would build for a cluster, in links. ----

using Levels = std::vector<std::vector<double>>;

/// "4;2,3;1,2" as lists of numbers.
Levels numbers_of(const std::string& parameters) {
  Levels levels;
  for (const std::string_view part : split(parameters, ';')) {
    levels.emplace_back();
    for (const std::string_view word : split(part, ',')) {
      const auto number = whole_number(word);
      if (!number || *number == 0)
        refuse("topo_parameters: expected whole numbers above 0 between ',' and ';', got " +
               shown(parameters));
      levels.back().push_back(static_cast<double>(*number));
    }
  }
  return levels;
}

/// LEVELS;CHILDREN,...;PARENTS,...;LINKS,...
double fat_tree_links(const Levels& levels) {
  if (levels.size() != 4 || levels[0].size() != 1) return 0;
  const std::size_t height = levels[1].size();
  if (levels[2].size() != height || levels[3].size() != height) return 0;
  double below = 1;  // for each member of a level, the nodes below its switches
  double links = 0;
  for (std::size_t i = height; i-- > 0;) below *= levels[1][i];
  double nodes = below;
  for (std::size_t i = 0; i < height; ++i) {
    links += nodes * levels[2][i] * levels[3][i];
    nodes = nodes / levels[1][i] * levels[2][i];
  }
  return links;
}

/// GROUPS,BLUE;CHASSIS,BLACK;ROUTERS,GREEN;NODES
double dragonfly_links(const Levels& levels) {
  if (levels.size() != 4 || levels[0].empty() || levels[1].empty() || levels[2].empty()) return 0;
  const double groups = levels[0][0];
  const double chassis = levels[1][0];
  const double routers = levels[2][0];
  return groups * groups + groups * chassis * routers * (chassis + routers + levels[3][0]);
}

double torus_links(const Levels& levels) {
  double places = levels.size() == 1 ? 1 : 0;
  for (const double size : levels[0]) places *= size;
  return places * static_cast<double>(levels[0].size());
}

double cluster_links(const Attributes& cluster) {
  const std::string* topology = find_value(cluster, "topology");
  const std::string* parameters = find_value(cluster, "topo_parameters");
  if (topology == nullptr || *topology == "FLAT") return 0;
  if (parameters == nullptr) return 0;
  const Levels levels = numbers_of(*parameters);
  if (*topology == "TORUS") return torus_links(levels);
  if (*topology == "FAT_TREE") return fat_tree_links(levels);
  return dragonfly_links(levels);
}

// ---- The file. ----

// Where in the text an event is. Expat 2.9 deprecates what 2.8 has.
#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
std::uint64_t line_of(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
std::int64_t begin_of(XML_Parser parser) { return XML_GetCurrentByteIndex(parser); }
std::int64_t count_of(XML_Parser parser) { return XML_GetCurrentByteCount(parser); }
#else
std::uint64_t line_of(XML_Parser parser) { return XML_GetCurrentLineNumber64(parser); }
std::int64_t begin_of(XML_Parser parser) { return XML_GetCurrentByteIndex64(parser); }
std::uint64_t count_of(XML_Parser parser) { return XML_GetCurrentByteCount64(parser); }
#endif

/// Writes a copy of the elements that the rules permit, driven by the parser's events.
class TopologyWriter {
 public:
  void open(std::string_view element, Attributes attributes, std::uint64_t line) {
    if (depth_++ >= kDeepestElement)
      refuse("nested too deeply, expected at most " + std::to_string(kDeepestElement) +
             " elements inside each other");
    if (std::find(kLeftOut.begin(), kLeftOut.end(), element) != kLeftOut.end()) return;
    check(element, attributes);
    count(element, attributes);
    write(element, attributes, line);
  }

  void close(std::string_view element) {
    --depth_;
    if (find_rule(element) == nullptr) return;
    if (element == "zone" || element == "AS") zones_.pop_back();
    out_ += "</";
    out_ += element;
    out_ += '>';
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  struct Zone {
    std::uint64_t most_points;
    std::string routing;
    std::uint64_t points = 0;
  };

  static void check(std::string_view element, Attributes& attributes) {
    for (const Refusal& refusal : kRefused)
      if (refusal.name == element)
        refuse(std::string(refusal.why) + ", expected hosts, links, routes and zones only");
    const ElementRule* rule = find_rule(element);
    if (rule == nullptr) refuse("unknown element of a platform file");
    for (const auto& [name, value] : attributes) check_attribute(*rule, name, value);
    std::erase_if(attributes,
                  [&](const auto& attribute) { return !names(rule->attributes, attribute.first); });
    check_routing(attributes);
    check_processor(attributes);
    check_numbers(attributes);
  }

  static void check_attribute(const ElementRule& rule, std::string_view name,
                              const std::string& value) {
    const std::string word = shown(name).substr(1, shown(name).size() - 2) + ": ";
    if (value.size() > kLongestValue_B)
      refuse(word + "is longer than " + std::to_string(kLongestValue_B) + " bytes");
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto byte = static_cast<unsigned char>(value[i]);
      // C1 controls, which terminals obey too, are the bytes C2 80 to C2 9F in UTF-8.
      const bool second_half =
          byte == 0xC2 && i + 1 < value.size() && static_cast<unsigned char>(value[i + 1]) < 0xA0;
      if (byte < 0x20 || byte == 0x7F || second_half) refuse(word + "has a control character");
    }
    if (names(rule.attributes, name)) return;
    if (std::find(kFileAttributes.begin(), kFileAttributes.end(), name) == kFileAttributes.end())
      refuse(word + "unknown attribute, expected" +
             std::string(rule.attributes.substr(0, rule.attributes.size() - 1)));
    if (!value.empty())
      refuse(word +
             "a platform file must not name other files; failures belong in the scenario's faults");
  }

  static void check_routing(const Attributes& attributes) {
    for (const char* key : {"routing", "sharing_policy"}) {
      const std::string* value = find_value(attributes, key);
      if (value == nullptr) continue;
      std::string word = *value;
      for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      if (word == "wifi") refuse(std::string(key) + ": wireless networks are not supported");
    }
  }

  static void check_processor(const Attributes& attributes) {
    if (const std::string* core = find_value(attributes, "core")) {
      const auto cores = whole_number(*core);
      if (!cores || *cores == 0 || *cores > kMostCores)
        refuse("core: expected a number of cores from 1 to " + std::to_string(kMostCores) +
               ", got " + shown(*core));
    }
    const std::string* state = find_value(attributes, "pstate");
    const std::string* speed = find_value(attributes, "speed");
    if (state == nullptr || speed == nullptr || *state == "0.0") return;
    const auto index = whole_number(*state);
    const auto states = static_cast<std::uint64_t>(std::count(speed->begin(), speed->end(), ','));
    if (!index || *index > states)
      refuse("pstate: expected the index of one of the host's speeds, got " + shown(*state));
  }

  /// Refuses numbers that a double cannot hold: for them, SimGrid's message is only "stod", and for
  /// coordinates it does not even name the line.
  static void check_numbers(const Attributes& attributes) {
    const std::string* version = find_value(attributes, "version");
    if (version != nullptr && !is_in_range(*version))
      refuse("version: expected a number within double precision, got " + shown(*version));
    const std::string* coordinates = find_value(attributes, "coordinates");
    if (coordinates == nullptr || coordinates->empty()) return;
    const auto words = split(*coordinates, ' ');
    if (words.size() != 3 || !std::all_of(words.begin(), words.end(), begins_with_number))
      refuse("coordinates: expected three numbers such as 0 1.5 2, got " + shown(*coordinates));
  }

  void count(std::string_view element, const Attributes& attributes) {
    const std::string* radical = find_value(attributes, "radical");
    const bool one = element == "host" || element == "peer";
    const std::uint64_t hosts = radical != nullptr ? radical_size(*radical) : (one ? 1U : 0U);
    hosts_ += hosts;
    if (hosts_ > kMostXmlHosts)
      refuse("makes " + std::to_string(hosts_) + " hosts, expected at most " +
             std::to_string(kMostXmlHosts) + " in a platform file");
    if (element == "cluster") links_ += cluster_links(attributes);
    if (links_ > static_cast<double>(kMostClusterLinks))
      refuse("its topology has more than " + std::to_string(kMostClusterLinks) + " links");
    const bool is_zone = element == "zone" || element == "AS";
    const bool is_point = one || is_zone || element == "cluster" || element == "router";
    if (is_point && !zones_.empty()) count_point(zones_.back());
    if (is_zone) zones_.push_back(new_zone(attributes));
  }

  static Zone new_zone(const Attributes& attributes) {
    const std::string* routing = find_value(attributes, "routing");
    if (routing != nullptr && *routing == "Full") return {kMostPointsOfFull, *routing};
    if (routing != nullptr && *routing == "Floyd") return {kMostPointsOfFloyd, *routing};
    return {kMostXmlHosts * 2, routing != nullptr ? *routing : ""};
  }

  static void count_point(Zone& zone) {
    if (++zone.points > zone.most_points)
      refuse("is one too many, expected at most " + std::to_string(zone.most_points) +
             " hosts, routers and zones in a zone of routing " + shown(zone.routing));
  }

  void write(std::string_view element, const Attributes& attributes, std::uint64_t line) {
    // SimGrid names the line in its error messages, so lines must keep their numbers.
    for (; line_ < line; ++line_) out_ += '\n';
    out_ += '<';
    out_ += element;
    for (const auto& [name, value] : attributes) {
      out_ += ' ';
      out_ += name;
      out_ += "=\"";
      for (const char c : value) write_escaped(c);
      out_ += '"';
    }
    out_ += '>';
  }

  void write_escaped(char c) {
    if (c == '&')
      out_ += "&amp;";
    else if (c == '<')
      out_ += "&lt;";
    else if (c == '>')
      out_ += "&gt;";
    else if (c == '"')
      out_ += "&quot;";
    else
      out_ += c;
  }

  std::string out_ = kHead;
  std::uint64_t line_ = 1;
  std::size_t depth_ = 0;
  std::uint64_t hosts_ = 0;
  double links_ = 0;
  std::vector<Zone> zones_;
};

/// Replaces comments by blanks: comments in SimGrid's own files contain "--", which XML forbids.
std::string without_comments(std::string text) {
  for (std::size_t at = text.find("<!--"); at != std::string::npos; at = text.find("<!--", at)) {
    const std::size_t end = text.find("-->", at + 4);
    if (end == std::string::npos) break;
    for (; at < end + 3; ++at)
      if (text[at] != '\n') text[at] = ' ';
  }
  return text;
}

/// Replaces a late declaration `<?xml ...?>` by blanks. SimGrid skips blanks before it, but XML
/// allows nothing there, and the declaration adds nothing that is not known.
std::string without_late_declaration(std::string text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == 0 || begin == std::string::npos || text.compare(begin, 5, "<?xml") != 0) return text;
  const std::size_t end = text.find("?>", begin);
  if (end == std::string::npos) return text;
  for (std::size_t at = begin; at < end + 2; ++at)
    if (text[at] != '\n') text[at] = ' ';
  return text;
}

/// Runs the parser over a text. An exception of a callback is thrown after the parser's C code has
/// returned.
class TopologyReader {
 public:
  TopologyReader(std::string text, const std::string& file)
      // The file cannot choose its encoding. If SimGrid read it in another one than we do, it would
      // see another file than the one checked here.
      : text_(std::move(text)), file_(file), parser_(XML_ParserCreate("UTF-8"), &XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &on_open, &on_close);
    XML_SetCharacterDataHandler(parser_.get(), &on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), &on_document_type);
  }

  std::string read() {
    const auto status = XML_Parse(parser_.get(), text_.data(), static_cast<int>(text_.size()), 1);
    if (!failure_.empty()) throw UsageError(failure_);
    if (status != XML_STATUS_OK)
      throw UsageError(place() +
                       "not well-formed XML: " + XML_ErrorString(XML_GetErrorCode(parser_.get())));
    return writer_.take();
  }

 private:
  [[nodiscard]] std::uint64_t line() const { return line_of(parser_.get()); }
  [[nodiscard]] std::string place() const { return file_ + ":" + std::to_string(line()) + ": "; }

  /// Carries out `step` for an event. An exception ends the parsing.
  template <class Step>
  void handle(const std::string& prefix, Step step) {
    if (!failure_.empty()) return;
    try {
      step();
    } catch (const std::exception& error) {
      failure_ = place() + prefix + error.what();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  /// Refuses unknown entities. The parser skips them, because an external document type might
  /// declare them.
  void check_entities() const {
    const auto begin = static_cast<std::size_t>(begin_of(parser_.get()));
    const auto count = static_cast<std::size_t>(count_of(parser_.get()));
    const std::string_view tag = std::string_view(text_).substr(begin, count);
    for (std::size_t at = tag.find('&'); at != std::string_view::npos; at = tag.find('&', at + 1)) {
      const std::string_view rest = tag.substr(at);
      bool known = rest.starts_with("&#");
      for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
        known = known || rest.starts_with(entity);
      if (!known) refuse("entity " + shown(rest.substr(0, rest.find(';') + 1)) + " is not known");
    }
  }

  static void XMLCALL on_open(void* self, const XML_Char* element, const XML_Char** attributes) {
    auto* reader = static_cast<TopologyReader*>(self);
    const std::string word = shown(element);
    reader->handle("<" + word.substr(1, word.size() - 2) + ">: ", [&] {
      reader->check_entities();
      Attributes pairs;
      for (; attributes[0] != nullptr; attributes += 2)
        pairs.emplace_back(attributes[0], attributes[1]);
      reader->writer_.open(element, std::move(pairs), reader->line());
    });
  }

  static void XMLCALL on_close(void* self, const XML_Char* element) {
    auto* reader = static_cast<TopologyReader*>(self);
    reader->handle("", [&] { reader->writer_.close(element); });
  }

  static void XMLCALL on_text(void* self, const XML_Char* text, int size) {
    auto* reader = static_cast<TopologyReader*>(self);
    reader->handle("", [&] {
      const std::string_view words(text, static_cast<std::size_t>(size));
      if (words.find_first_not_of(" \t\r\n") != std::string_view::npos)
        refuse("text " + shown(words) + ", expected elements only");
    });
  }

  static void XMLCALL on_document_type(void* self, const XML_Char* /*name*/,
                                       const XML_Char* /*system*/, const XML_Char* /*public_id*/,
                                       int has_declarations) {
    auto* reader = static_cast<TopologyReader*>(self);
    reader->handle("<!DOCTYPE>: ", [&] {
      if (has_declarations != 0)
        refuse("a platform file must not declare entities or elements of its own");
    });
  }

  std::string text_;
  const std::string& file_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  TopologyWriter writer_;
  std::string failure_;
};

}  // namespace

std::string topology_alone(const std::string& text, const std::string& file) {
  return TopologyReader(without_late_declaration(without_comments(text)), file).read();
}

}  // namespace faultline::platform
