// SPDX-License-Identifier: Apache-2.0

// Metrics: what the actors report, merged as declared.

#include "sim/core/metrics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <stdexcept>

#include "sim/core/registry.hpp"
#include "sim/core/run_metrics.hpp"

namespace faultline {

namespace {

constexpr MetricSpec kSum{"sum", Merge::sum, ""};
constexpr MetricSpec kLargest{"largest", Merge::maximum, ""};
constexpr MetricSpec kMean{"mean", Merge::mean, ""};
constexpr MetricSpec kLast{"last", Merge::last, ""};
constexpr MetricSpec kDigest{"digest", Merge::digest, ""};
constexpr MetricSpec kShare{"share", Merge::sample, ""};
constexpr MetricSpec kNone{"none", Merge::sum, ""};
constexpr MetricSpec kUnreported{"unreported", Merge::sum, ""};

std::map<std::string, std::optional<double>> written(const MetricTotals& totals) {
  Metrics result;
  totals.write_to(result);
  return result.values();
}

}  // namespace

TEST_CASE("what actors report is merged as its metric declares") {
  MetricTotals totals({&kSum, &kLargest, &kMean, &kLast, &kNone, &kUnreported});
  for (const double value : {1.5, 2.0}) totals.put(kSum, value);
  for (const int value : {-3, -7}) totals.put(kLargest, value);
  totals.put_weighted(kMean, 6.0, 3.0);
  totals.put_weighted(kMean, 0.0, 1.0);
  for (const int value : {5, 4}) totals.put(kLast, value);
  totals.put_null(kNone);
  CHECK(written(totals) ==
        std::map<std::string, std::optional<double>>{
            {"largest", -3.0}, {"last", 4.0}, {"mean", 1.5}, {"none", std::nullopt}, {"sum", 3.5}});
  CHECK(totals.value(kMean) == 1.5);
  CHECK(totals.value(kUnreported) == std::nullopt);
}

TEST_CASE("digests are added modulo 2^52, without rounding") {
  MetricTotals totals({&kDigest});
  constexpr std::uint64_t kModulus = std::uint64_t{1} << 52;
  CHECK(kDigestModulus == static_cast<double>(kModulus));
  std::uint64_t expected = 0;
  for (const std::uint64_t value : {kModulus - 1, kModulus - 1, std::uint64_t{12345678901}}) {
    totals.put(kDigest, value);
    expected = (expected + value) % kModulus;
    CHECK(totals.value(kDigest) == static_cast<double>(expected));
  }
  CHECK(result_names(kDigest) == std::vector<std::string>{"digest"});
  CHECK(merge_word(Merge::digest) == std::string("digest"));
}

TEST_CASE("a mean without weight is null, and null gives way to a value") {
  MetricTotals totals({&kMean, &kSum});
  totals.put_weighted(kMean, 0.0, 0.0);
  totals.put_null(kSum);
  CHECK(written(totals).at("mean") == std::nullopt);
  totals.put_weighted(kMean, 2.0, 4.0);
  totals.put(kSum, 1);
  CHECK(written(totals).at("mean") == 0.5);
  CHECK(written(totals).at("sum") == 1.0);
}

TEST_CASE("a metric is told by its declaration, not by its name") {
  static constexpr MetricSpec kNamesake{"sum", Merge::sum, ""};
  MetricTotals totals({&kSum});
  CHECK_THROWS_AS(totals.put(kNamesake, 1), std::logic_error);
  CHECK_THROWS_AS(totals.put_null(kNamesake), std::logic_error);
  CHECK(written(totals).empty());
}

TEST_CASE("a sample over the ranks becomes its ends, quartiles and median") {
  MetricTotals totals({&kShare});
  for (const double value : {4.0, 1.0, 3.0, 2.0}) totals.put(kShare, value);
  const auto values = written(totals);
  CHECK(values.size() == 5);
  CHECK(values.at("share_min") == 1.0);
  CHECK(values.at("share_quartile_1") == 1.75);
  CHECK(values.at("share_median") == 2.5);
  CHECK(values.at("share_quartile_3") == 3.25);
  CHECK(values.at("share_max") == 4.0);
}

TEST_CASE("one value is all of its sample") {
  MetricTotals totals({&kShare});
  totals.put(kShare, 0.5);
  for (const std::string& name : result_names(kShare)) CHECK(written(totals).at(name) == 0.5);
}

TEST_CASE("components of one run have no metric of the same name") {
  std::map<std::string, std::set<Family>> families;
  std::size_t declared = 0;
  for (const Registration& registration : registrations()) {
    CAPTURE(registration.name);
    std::set<std::string> names;
    for (const MetricSpec* metric : registration.metrics) {
      CHECK(std::string(metric->doc) != "");
      for (const std::string& name : result_names(*metric)) {
        CHECK(names.insert(name).second);
        families[name].insert(registration.family);
        ++declared;
      }
    }
  }
  CHECK(declared > 0);
  for (const auto& [name, of] : families) {
    CAPTURE(name);
    // A scenario with both of these families is refused.
    const bool never_meet = of == std::set{Family::transactions, Family::message_logging};
    CHECK((of.size() == 1 || never_meet));
  }
}

TEST_CASE("a name of a metric has one meaning, whoever reports it") {
  std::map<std::string, const MetricSpec*> known;
  for (const run_metrics::Group& group : run_metrics::groups())
    for (const MetricSpec* metric : group.metrics) {
      CAPTURE(metric->name);
      CHECK(std::string(metric->doc) != "");
      CHECK(known.emplace(metric->name, metric).second);
    }
  for (const Registration& registration : registrations())
    for (const MetricSpec* metric : registration.metrics) {
      CAPTURE(registration.name, metric->name);
      const MetricSpec& first = *known.emplace(metric->name, metric).first->second;
      CHECK(first.merge == metric->merge);
      CHECK(first.trend == metric->trend);
      CHECK(std::string(first.doc) == metric->doc);
    }
}

TEST_CASE("a longer run reports no smaller sum, maximum or time, and perhaps a smaller mean") {
  CHECK(only_rises(kSum));
  CHECK(only_rises(kLargest));
  CHECK_FALSE(only_rises(kMean));
  CHECK_FALSE(only_rises(kLast));
  CHECK(only_rises(run_metrics::kEndTime));
  CHECK_FALSE(only_rises(run_metrics::kFailedRanks));
  CHECK_FALSE(only_rises(run_metrics::kCompleted));
  CHECK_FALSE(only_rises({"rate", Merge::sum, "", Trend::may_fall}));
}

TEST_CASE("a metric of one kind of message is found by the name that a result has") {
  Metrics result;
  result.set_of_kind(run_metrics::kControlMessagesOfKind, "wave", 3);
  CHECK(result.values().at("control_messages.wave") == 3.0);
  CHECK(run_metrics::find("control_messages.wave") == &run_metrics::kControlMessagesOfKind);
  CHECK(run_metrics::find("control_messages") == &run_metrics::kControlMessages);
  CHECK(run_metrics::find("control_message") == nullptr);
}

TEST_CASE("the unit of a metric is in its name") {
  CHECK(metric_unit("end_time_s") == "s");
  CHECK(metric_unit("detection_busiest_node_Bps") == "B/s");
  CHECK(metric_unit("state_bytes_max") == "B");
  CHECK(metric_unit("messages_per_s").empty());
  CHECK(metric_unit("waves").empty());
}

TEST_CASE("what must be 0 at the end is a metric of its workload") {
  for (const Registration& registration : registrations())
    for (const EndCheck& check : registration.as<WorkloadTraits>().end_checks) {
      CAPTURE(registration.name);
      CHECK(std::count(registration.metrics.begin(), registration.metrics.end(), check.metric) ==
            1);
    }
}

}  // namespace faultline
