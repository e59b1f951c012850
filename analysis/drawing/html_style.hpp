#pragma once

namespace faultline {

/// The style sheet of every page. The colours of drawings are variables, so that they follow the
/// page into the dark; all text has a contrast of at least 4.5 on both grounds, lines of 3.
extern const char* const kHtmlStyle;

}  // namespace faultline
