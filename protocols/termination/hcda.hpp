#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocols/termination/control_tree.hpp"
#include "sim/core/component.hpp"

namespace faultline {

struct HcdaOptions {
  std::string credit = "huang";
  std::int64_t initial_credit = std::int64_t{1} << 32;
  std::uint32_t control_bytes = 16;
};

/// What the messages of the variants of HCDA are.
namespace hcda {
enum Kind : std::uint16_t { kFlush, kBorrow, kGrant, kAnnounce };
}

/// The original credit distribution algorithm (HCDA, Huang 1989) as termination-2022 sections 3.4
/// and 5.1 run it: rank 0 is the controlling agent, every message takes half of the sender's
/// integer credit, receivers add up, idle processes return what they hold, and a process that
/// cannot halve its credit borrows.
class Hcda final : public Component {
 public:
  using Options = HcdaOptions;
  Hcda(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override;
  Passage on_receive(Context& context, Message& message) override;
  void on_idle(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void report(Metrics& metrics) const override;
  [[nodiscard]] std::string waiting_for() const override;
  [[nodiscard]] std::optional<Conserved> conserved() const override;
  [[nodiscard]] std::int64_t conserved_in(const Message& message) const override;

 private:
  [[nodiscard]] bool is_agent() const { return self_ == 0; }
  [[nodiscard]] bool divisible() const { return credit_ >= 2; }
  void give_half(Message& message);
  void send_delayed(Context& context);
  void borrow(Context& context);
  void detect(Context& context);
  void announce(Context& context);

  std::shared_ptr<const Options> options_;
  ControlTree tree_;
  Rank self_;
  bool borrowing_ = false;
  std::int64_t credit_;
  std::vector<Message> delayed_;  ///< emissions that wait for credit
  std::int64_t returned_ = 0;     ///< agent: credit that came back
  std::int64_t issued_ = 0;       ///< agent: C_total, all credit ever created
  std::uint32_t borrows_ = 0;
  std::uint32_t flushes_ = 0;
  std::uint32_t delays_ = 0;
};

}  // namespace faultline
