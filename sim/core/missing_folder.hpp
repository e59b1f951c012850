// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace faultline {

/// `there is no folder "FOLDER"`, with the outermost folder on the way to a file that does not
/// exist; "" if all of them exist. It explains why the file cannot be read or written.
std::string missing_folder(const std::string& path);

}  // namespace faultline
