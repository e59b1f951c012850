// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/delivery_list.hpp"

#include <utility>

namespace faultline::message_logging {

DeliveryList::DeliveryList(const DeliveryList& other) : size_(other.size_) {
  blocks_.reserve(other.blocks_.size());
  for (const auto& block : other.blocks_) append(std::make_shared<Block>(*block));
}

void DeliveryList::append(std::shared_ptr<Block> block) {
  if (tail_ != nullptr) tail_->next = block;
  tail_ = block;
  blocks_.push_back(std::move(block));
}

/// One after the other: a long list would need a deep stack.
DeliveryList::Block::~Block() {
  std::shared_ptr<Block> rest = std::move(next);
  while (rest != nullptr && rest.use_count() == 1) rest = std::exchange(rest->next, nullptr);
}

void DeliveryList::push_back(const Delivery& delivery) {
  const std::uint64_t place = size_ % kBlock;
  if (place == 0) append(std::make_shared<Block>());
  tail_->deliveries[place] = delivery;
  ++size_;
}

void DeliveryList::digest(Digest& into) const {
  into.add(size_);
  for (std::uint64_t ticket = 1; ticket <= size_; ++ticket) into.add(at(ticket));
}

DeliveryRun DeliveryRun::from(std::uint64_t ticket) const {
  DeliveryRun rest = *this;
  for (std::uint64_t block = (first_ - 1) / DeliveryList::kBlock;
       block < (ticket - 1) / DeliveryList::kBlock; ++block)
    rest.block_ = rest.block_->next;
  rest.first_ = ticket;
  rest.size_ = static_cast<std::uint32_t>(first_ + size_ - ticket);
  return rest;
}

DeliveryRun DeliveryRun::up_to(std::uint64_t ticket) const {
  DeliveryRun part = *this;
  part.size_ = static_cast<std::uint32_t>(ticket - first_ + 1);
  return part;
}

void DeliveryRun::digest(Digest& into) const {
  into.add(first_, size_);
  for_each([&](std::uint64_t, const Delivery& delivery) { into.add(delivery); });
}

bool DeliveryIndex::contains(const DeliveryList& list, std::uint64_t last,
                             const Delivery& message) {
  while (read_ < last) {
    const Delivery& delivery = list.at(++read_);
    if (delivery.is_message()) numbers_[delivery.channel].insert(delivery.number);
  }
  return numbers_[message.channel].contains(message.number);
}

void DeliveryIndex::clear() {
  numbers_.reset();
  read_ = 0;
}

}  // namespace faultline::message_logging
