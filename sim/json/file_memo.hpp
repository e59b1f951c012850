// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <utility>

namespace faultline::json {

/// While one of these objects lives, each file is read only once: the thousands of points of a
/// study name the same files. If several are nested, the outermost keeps the contents. Without one,
/// a file is read whenever it is named.
class FileMemo {
 public:
  FileMemo() : outer_(current_) {
    if (outer_ == nullptr) current_ = this;
  }
  ~FileMemo() {
    if (outer_ == nullptr) current_ = nullptr;
  }
  FileMemo(const FileMemo&) = delete;
  FileMemo& operator=(const FileMemo&) = delete;

  /// The result of `read` for the file with that name: calls it, or returns what it returned
  /// before. Exceptions are not kept.
  template <class Content, class Read>
  static std::shared_ptr<const Content> read_once(const std::string& name, Read read) {
    if (current_ == nullptr) return std::make_shared<const Content>(read());
    const auto key = std::make_pair(std::type_index(typeid(Content)), name);
    auto known = current_->contents_.find(key);
    if (known == current_->contents_.end())
      known = current_->contents_.emplace(key, std::make_shared<const Content>(read())).first;
    return std::static_pointer_cast<const Content>(known->second);
  }

 private:
  static inline thread_local FileMemo* current_ = nullptr;

  FileMemo* outer_;
  std::map<std::pair<std::type_index, std::string>, std::shared_ptr<const void>> contents_;
};

}  // namespace faultline::json
