#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocols/termination/control_tree.hpp"
#include "protocols/termination/hcda.hpp"
#include "sim/core/component.hpp"

namespace faultline {

/// An exact sum of powers 2^-Y of any Y: what Mattern's agent adds up.
class PowerSum {
 public:
  void add(std::uint64_t exponent);
  /// The sum, if it is a whole number.
  [[nodiscard]] std::optional<std::uint64_t> whole() const;

 private:
  std::uint64_t whole_ = 0;
  std::uint64_t ones_ = 0;      ///< set bits of the fraction
  std::vector<bool> fraction_;  ///< [Y - 1] is the bit of 2^-Y
};

/// Mattern's variant of HCDA (Mattern 1989; termination-2022 section 3.4): credit is 2^-Y and a
/// message carries Y, so that it never runs out. A process does not add up: one that is active
/// returns the credit of each message that it receives to the agent.
class HcdaMattern final : public Component {
 public:
  using Options = HcdaOptions;
  HcdaMattern(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
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
  void give_to_agent(Context& context, std::uint64_t exponent);
  void take_back(std::uint64_t exponent);
  void detect(Context& context);
  void announce(Context& context);

  std::shared_ptr<const Options> options_;
  ControlTree tree_;
  Rank self_;
  std::optional<std::uint64_t> exponent_ = 0;  ///< Y of the credit held, less the initial one
  PowerSum returned_;                          ///< agent
  std::int64_t returned_residue_ = 0;          ///< agent: the same, for the auditor
  std::uint64_t flushes_ = 0;
};

}  // namespace faultline
