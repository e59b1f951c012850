#include "sim/core/image.hpp"

#include "sim/core/digest.hpp"
#include "sim/core/image_content.hpp"

namespace faultline {

void Image::digest(Digest& into) const {
  into.add(empty());
  if (empty()) return;
  into.add(content_->layer, content_->phase, content_->declared_work, content_->announced,
           content_->finished, content_->owes_idle);
  into.add(content_->held, content_->sent_and_consumed);
  for (const auto& component : content_->components) {
    into.add(component != nullptr);
    if (component) component->digest(into);
  }
}

}  // namespace faultline
