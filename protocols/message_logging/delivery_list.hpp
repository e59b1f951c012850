// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "protocols/message_logging/channel_table.hpp"
#include "protocols/message_logging/object_channel.hpp"
#include "protocols/message_logging/seen_numbers.hpp"
#include "sim/core/digest.hpp"

namespace faultline::message_logging {

/// A message that has been delivered. Its ticket is its place among all that its receiver has
/// delivered, from 1 on. Below a termination detector, a computation that ends above the layer and
/// a timer that runs out there are deliveries from nobody.
struct Delivery {
  ObjectChannel channel;     ///< also names the rank that has sent it, if that was an object
  std::uint64_t number = 0;  ///< on its channel

  [[nodiscard]] bool is_message() const { return channel.to != Endpoint{}; }
  [[nodiscard]] Rank sender() const { return channel.from.rank; }
  friend bool operator==(const Delivery&, const Delivery&) = default;
  /// Objects in their own order, whoever has them.
  friend bool operator<(const Delivery& a, const Delivery& b) {
    const auto key = [](const Delivery& of) {
      ObjectChannel ends = of.channel;
      if (ends.from.object != kNoObject) ends.from.rank = kNobody;
      return std::pair(ends, of.number);
    };
    return key(a) < key(b);
  }
  void digest(Digest& into) const { into.add(channel, number); }
};

class DeliveryRun;

/// What a rank has delivered, by ticket. It only grows, so others can refer to a part of it instead
/// of having a copy (DeliveryRun). A copy of the list shares nothing with it: what its owner adds
/// is not in the list of which it is a copy.
class DeliveryList {
 public:
  DeliveryList() = default;
  DeliveryList(const DeliveryList& other);
  DeliveryList(DeliveryList&&) noexcept = default;
  DeliveryList& operator=(const DeliveryList& other) { return *this = DeliveryList(other); }
  DeliveryList& operator=(DeliveryList&&) noexcept = default;
  ~DeliveryList() = default;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const Delivery& at(std::uint64_t ticket) const {
    return blocks_[(ticket - 1) / kBlock]->at(ticket);
  }
  void push_back(const Delivery& delivery);
  /// The deliveries with these tickets, at least one.
  [[nodiscard]] DeliveryRun run(std::uint64_t first, std::uint64_t last) const;
  void digest(Digest& into) const;

 private:
  friend class DeliveryRun;
  static constexpr std::uint64_t kBlock = 64;
  /// A delivery is written before anybody refers to it, and never changes. So whoever refers to one
  /// needs no lock, even if the owner of the list adds others in another thread.
  struct Block {
    Block() = default;
    Block(const Block& other) : deliveries(other.deliveries) {}
    Block& operator=(const Block&) = delete;
    ~Block();

    [[nodiscard]] const Delivery& at(std::uint64_t ticket) const {
      return deliveries[(ticket - 1) % kBlock];
    }

    std::array<Delivery, kBlock> deliveries;
    std::shared_ptr<Block> next;  ///< set when this one is full
  };

  void append(std::shared_ptr<Block> block);

  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<Block> tail_;  ///< the last block
  std::uint64_t size_ = 0;
};

/// Successive deliveries of a list. They stay when the list has gone.
class DeliveryRun {
 public:
  DeliveryRun() = default;
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t last() const { return first_ + size_ - 1; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The deliveries from that ticket on.
  [[nodiscard]] DeliveryRun from(std::uint64_t ticket) const;
  /// The deliveries up to that ticket.
  [[nodiscard]] DeliveryRun up_to(std::uint64_t ticket) const;
  /// Adds those that follow, if they lie beside these. False if nothing was added.
  bool extend(const DeliveryRun& next) {
    if (block_ != next.block_ || first_ + size_ != next.first_) return false;
    size_ += next.size_;
    return true;
  }
  /// Calls visit(ticket, delivery) for each of them.
  template <class Visit>
  void for_each(Visit visit) const {
    const DeliveryList::Block* block = block_.get();
    for (std::uint64_t ticket = first_; ticket < first_ + size_; ++ticket) {
      if ((ticket - 1) % DeliveryList::kBlock == 0 && ticket > first_) block = block->next.get();
      visit(ticket, block->at(ticket));
    }
  }
  void digest(Digest& into) const;

 private:
  friend class DeliveryList;
  DeliveryRun(std::shared_ptr<const DeliveryList::Block> block, std::uint64_t first,
              std::uint32_t size)
      : block_(std::move(block)), first_(first), size_(size) {}

  std::shared_ptr<const DeliveryList::Block> block_;  ///< of the first
  std::uint64_t first_ = 1;
  std::uint32_t size_ = 0;
};

inline DeliveryRun DeliveryList::run(std::uint64_t first, std::uint64_t last) const {
  const std::uint64_t block = (first - 1) / kBlock;
  return {block == (size_ - 1) / kBlock ? tail_ : blocks_[block], first,
          static_cast<std::uint32_t>(last - first + 1)};
}

/// Finds messages in a list of deliveries. It reads the list when somebody asks, each of its
/// deliveries once.
class DeliveryIndex {
 public:
  /// Is a message among the deliveries up to that ticket? `last` never falls until `clear`.
  bool contains(const DeliveryList& list, std::uint64_t last, const Delivery& message);
  /// For another list.
  void clear();

 private:
  std::uint64_t read_ = 0;  ///< the last ticket that it knows of
  ChannelTable<ObjectChannel, SeenNumbers> numbers_;
};

}  // namespace faultline::message_logging
