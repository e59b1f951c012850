// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/metric_type.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "analysis/text/summary_text.hpp"

namespace faultline::statistics {

TEST_CASE("metric type: by the name of the metric") {
  CHECK(metric_type("terminated") == MetricType::share);
  CHECK(metric_type("completed") == MetricType::share);
  CHECK(metric_type("interior_fraction_mean") == MetricType::fraction);
  CHECK(metric_type("detection_latency_s") == MetricType::time);
  CHECK(metric_type("messages_per_s") == MetricType::number);
  CHECK(metric_type("control_messages") == MetricType::number);
  CHECK(metric_type("control_messages.wave") == MetricType::number);
  CHECK(metric_type("outcome") == MetricType::text);
  CHECK(metric_type("fatal_reason") == MetricType::text);
}

TEST_CASE("metric type: how values are estimated and drawn") {
  const std::vector<double> values = {1, 1, 1, 0};
  const Summary share = summarize(MetricType::share, values);
  CHECK(share.is_share);
  CHECK(share.confidence_95->high < 1.0);
  // As values of a number, these have Student's t, which knows no bounds.
  const Summary fraction = summarize(MetricType::fraction, values);
  CHECK_FALSE(fraction.is_share);
  CHECK(fraction.mean == share.mean);
  CHECK(fraction.confidence_95->high > 1.0);
  CHECK_THROWS_AS(summarize(MetricType::share, {0.5}), std::invalid_argument);
  CHECK(summarize(MetricType::share, {0.5}, ShareValues::means).is_share);
  CHECK(is_between_0_and_1(MetricType::share));
  CHECK(is_between_0_and_1(MetricType::fraction));
  CHECK_FALSE(is_between_0_and_1(MetricType::number));
}

TEST_CASE("metric type: how values are printed") {
  const text::TimeUnit time = text::unit_of(MetricType::time, 0.002);
  CHECK(time.in_one_s == 1e3);
  CHECK(text::column_title("detection_latency_s", time) == "detection\nlatency, ms");
  for (const MetricType type : {MetricType::share, MetricType::fraction, MetricType::number}) {
    const text::TimeUnit none = text::unit_of(type, 0.002);
    CHECK(none.in_one_s == 1.0);
    CHECK(text::column_title("control_messages", none) == "control\nmessages");
  }
  CHECK(without_unit("end_time_s") == "end_time");
  CHECK(without_unit("messages_per_s") == "messages_per_s");
}

}  // namespace faultline::statistics
