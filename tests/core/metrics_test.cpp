// Metrics: what the ranks report, brought together.

#include "sim/core/metrics.hpp"

#include <catch2/catch.hpp>

using namespace faultline;

TEST_CASE("a sample over the ranks becomes its ends, quartiles and median") {
  Metrics metrics;
  for (const double value : {4.0, 1.0, 3.0, 2.0}) metrics.sample("share", value);
  CHECK(metrics.values().empty());
  metrics.close_samples();
  CHECK(metrics.values().at("share_min") == 1.0);
  CHECK(metrics.values().at("share_quartile_1") == 1.75);
  CHECK(metrics.values().at("share_median") == 2.5);
  CHECK(metrics.values().at("share_quartile_3") == 3.25);
  CHECK(metrics.values().at("share_max") == 4.0);
}

TEST_CASE("one value is all of its sample") {
  Metrics metrics;
  metrics.sample("share", 0.5);
  metrics.close_samples();
  for (const char* part : {"_min", "_quartile_1", "_median", "_quartile_3", "_max"})
    CHECK(metrics.values().at(std::string("share") + part) == 0.5);
}
