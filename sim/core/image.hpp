// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/packed_object.hpp"

namespace faultline {

class Digest;
struct ImageContent;

/// At which moments an image can be taken (RecoveryContext::capture).
enum class Moment : std::uint8_t {
  between_work,  ///< when nothing above computes, and no timer is set there
  any            ///< at any: what computes then, and the timers, are part of the image
};

/// What RecoveryContext::capture has copied of everything above a layer, for
/// RecoveryContext::restore. Copies share the content, which never changes. Attached to a message,
/// it is lost with it; the bytes that it takes on the wire are the sender's to add to
/// Message::bytes. Only the engine looks inside (sim/core/image_content.hpp).
class Image {
 public:
  Image() = default;
  explicit Image(std::shared_ptr<const ImageContent> content) : content_(std::move(content)) {}

  /// True until an image of something is assigned.
  [[nodiscard]] bool empty() const { return content_ == nullptr; }
  [[nodiscard]] const ImageContent& content() const { return *content_; }
  /// The objects that the workload hosted when the image was taken, by ascending number.
  [[nodiscard]] std::vector<ObjectId> objects() const;
  /// The state of one of them, to let it go on elsewhere.
  [[nodiscard]] PackedObject pack(ObjectId object) const;
  /// Images from which the same program goes on have equal digests.
  void digest(Digest& into) const;

 private:
  std::shared_ptr<const ImageContent> content_;
};

}  // namespace faultline
