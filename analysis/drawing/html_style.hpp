// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace faultline::drawing {

/// The style sheet of every page. The colours of drawings are variables, so that they change with
/// the page in dark mode. On both backgrounds the contrast of all text is at least 4.5, and of
/// lines 3.
extern const char* const kHtmlStyle;

}  // namespace faultline::drawing
