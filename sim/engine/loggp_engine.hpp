#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/runtime.hpp"

namespace faultline {

/// The fast engine. It has its own event queue and charges LogGP costs (Alexandrov et al., SPAA
/// 1995) over the closed-form route of each message. A message that waits nowhere takes one event.
/// The NIC of a node sends one message at a time and receives one at a time. If the first link of a
/// route is narrower than the NIC, it also carries one message at a time. There is no contention on
/// later links.
class LogGpEngine final : public Runtime {
 public:
  explicit LogGpEngine(std::shared_ptr<const RunJob> job);

 protected:
  void simulate() override;
  void transmit(Message& message, const Transit& transit) override;

 private:
  /// Up to this number of components, to look ahead takes as long as to wait for memory, or longer.
  static constexpr std::uint64_t kComponentsInCache = 4096;
  static constexpr std::uint64_t kActorsInCache = 256;  ///< with their messages and logs
  static constexpr unsigned kEventsPerLook = 16;

  /// What is fetched of an event, one after the other.
  enum class Fetch : std::uint8_t {
    message,
    actor,
    parts,
    components,
    inbox,
    state,    ///< of the components, as Ahead
    index,    ///< the same
    content,  ///< the same
    count
  };
  template <Fetch what>
  void fetch(const Event* event) const;
  template <Fetch what>
  void fetch_waiting(NodeId node) const;
  void fetch_for_receiver(const Event& event, Ahead what) const;
  void fetch_last_waiting(NodeId node) const;
  void fetch_links(NodeId node) const;
  [[nodiscard]] bool will_wait(const Event& arrival) const;
  [[nodiscard]] bool is_put_off(const Event& event) const;
  [[nodiscard]] bool joins_others(const Event& arrival) const;
  void look_ahead();
  void look_ahead_in_slot();
  template <Fetch what>
  void fetch_up_to(std::size_t distance);
  void look_ahead_at_messages();
  void take_in(Message* message);
  [[nodiscard]] double taken_in_s_of(const Message& message);
  [[nodiscard]] double in_order_s(const Message& message, double arrival_s);
  [[nodiscard]] double on_link_s(const Message& message, const Transit& transit);

  bool outgrows_cache_;
  bool logs_messages_;           ///< there is message logging
  bool messages_outgrow_cache_;  ///< but components do not, or not much
  bool links_are_narrow_;        ///< some link is narrower than a NIC
  /// How many events of the open slot each step has been done for.
  std::array<std::size_t, static_cast<std::size_t>(Fetch::count)> fetched_{};
  std::uint64_t looked_at_ = 0;      ///< that slot, by the number of openings
  unsigned until_look_ = 1;          ///< events until the next look ahead
  double links_free_s_ = 0.0;        ///< when all first links are free
  std::vector<double> link_free_s_;  ///< per node and port; empty until first needed
};

}  // namespace faultline
