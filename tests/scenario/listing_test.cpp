// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/listing.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/core/data_directory.hpp"
#include "sim/core/registry.hpp"
#include "sim/scenario/scenario.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {
namespace {

/// The file of a shipped machine, read by another reader.
nlohmann::ordered_json file_of(const std::string& machine) {
  std::ifstream file(data_directory() / "machines" / (machine + ".json"));
  return nlohmann::ordered_json::parse(file);
}

/// The words of a text, however it is wrapped, with one blank between.
std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

TEST_CASE("the listing has the sections that it is asked for, in that order") {
  const auto whole = nlohmann::ordered_json::parse(listing_json(listing_sections()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : whole.items()) keys.push_back(key);
  std::vector<std::string> expected = {"schema_version"};
  expected.insert(expected.end(), listing_sections().begin(), listing_sections().end());
  CHECK(keys == expected);
  CHECK(whole["protocols"].size() + whole["workloads"].size() == registrations().size());
  const std::string two = listing_text({"engines", "faults"}, false);
  CHECK(two.starts_with("engines\n"));
  CHECK_THAT(two, Contains("\n\nfaults\n") && !Contains("\nmachines\n"));
}

TEST_CASE("options are listed where they are asked for") {
  CHECK_THAT(listing_text({"faults"}, true), Contains("      mark.name"));
  CHECK_THAT(listing_text({"faults"}, false), !Contains("mark.name"));
}

TEST_CASE("the listing marks the metrics that tables show unasked, and for which families") {
  const std::string text = unwrapped(listing_text({"metrics"}, false));
  CHECK_THAT(text, Contains("detection_latency_s s, whole, usual: ") &&
                       Contains("announce_time_s s, whole: ") &&
                       Contains("commit_time_s s, mean, usual: "));
  const auto listed = nlohmann::ordered_json::parse(listing_json({"metrics"}))["metrics"];
  const auto usual_for = [&](const std::string& name) {
    for (const auto& metric : listed)
      if (metric["names"][0] == name) return metric["usual_for"];
    return nlohmann::ordered_json();
  };
  CHECK(usual_for("control_messages") ==
        nlohmann::ordered_json({"transactions", "termination", "message_logging"}));
  CHECK(usual_for("announce_time_s") == nlohmann::ordered_json::array());
}

TEST_CASE("the listing says of every machine which values were measured, published, estimated") {
  const auto listed = nlohmann::ordered_json::parse(listing_json({"machines"}))["machines"];
  const std::string text = unwrapped(listing_text({"machines"}, false));
  REQUIRE(listed.size() == shipped_machines().size());
  std::size_t next = 0;
  for (const auto& machine : listed) {
    const std::string name = machine["name"];
    CAPTURE(name);
    std::map<std::string, int> counts;
    nlohmann::ordered_json statuses;
    const auto file = file_of(name);
    for (const auto& [key, value] : file.items()) {
      if (!value.is_object()) continue;
      statuses[key] = value["status"];
      ++counts[value["status"]];
    }
    CHECK(statuses.size() == (name == "nacl" ? 13 : 14));  // whose memory is not known
    CHECK(machine["statuses"] == statuses);
    std::string words;
    for (const std::string status : {"measured", "published", "estimated"})
      if (counts[status] > 0)
        words += (words.empty() ? "" : ", ") + std::to_string(counts[status]) + " " + status;
    const std::size_t place = text.find("Values: ", next);
    REQUIRE(place != std::string::npos);
    CHECK(text.find(name, next) < place);
    CHECK(text.compare(place + 8, words.size(), words) == 0);
    next = place + 8 + words.size();
  }
}

}  // namespace faultline::scenario
