// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/gnuplot.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace faultline::drawing {

TEST_CASE("a drawing inside a page has its own identifiers and the page's colours") {
  const std::string svg =
      "<?xml version=\"1.0\"?>\n<svg \n xmlns=\"x\">\n<title>Gnuplot</title>\n<desc>d</desc>\n"
      "<rect width=\"1\" fill=\"#ffffff\"/>\n<path id='gpPt0' stroke='black'/>\n"
      "<g fill=\"none\" color=\"black\">\n</g>\n"
      "<use xlink:href='#gpPt0' color='rgb(  0, 114, 178)'/><g fill=\"rgb(0,114,178)\"/>\n</svg>\n";
  CHECK(inline_drawing(svg, "d1-", "survival") ==
        "<svg role=\"img\" aria-label=\"survival\" \n xmlns=\"x\">\n\n\n"
        "<rect width=\"1\" fill=\"none\"/>\n<path id='d1-gpPt0' stroke='currentColor'/>\n"
        "<use xlink:href='#d1-gpPt0' color='var(--line-1)'/><g fill=\"var(--line-1)\"/>\n</svg>\n");
}

}  // namespace faultline::drawing
