// SPDX-License-Identifier: Apache-2.0
#include "sim/core/missing_folder.hpp"

#include <filesystem>
#include <system_error>

#include "sim/core/visible_text.hpp"

namespace faultline {

std::string missing_folder(const std::string& path) {
  std::error_code unknown;
  std::string missing;
  for (auto folder = std::filesystem::path(path).parent_path();
       !folder.empty() && folder != folder.parent_path(); folder = folder.parent_path()) {
    if (std::filesystem::status(folder, unknown).type() != std::filesystem::file_type::not_found)
      break;
    missing = folder.string();
  }
  return missing.empty() ? missing : "there is no folder \"" + visible(missing) + "\"";
}

}  // namespace faultline
