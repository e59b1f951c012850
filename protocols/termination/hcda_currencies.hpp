#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "protocols/termination/control_tree.hpp"
#include "protocols/termination/hcda.hpp"
#include "sim/core/component.hpp"

namespace faultline {

/// The textbook variant of HCDA (Fokkink 2013, chapter 6; termination-2022 section 3.4): a process
/// that has no credit left to divide issues its own currency and so begins a detection of its own
/// under the last credit that it holds. It returns that credit when it is passive and its currency
/// has come back. Credit of different issuers is kept apart and returned to its issuer.
class HcdaCurrencies final : public Component {
 public:
  using Options = HcdaOptions;
  HcdaCurrencies(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
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
  [[nodiscard]] std::int64_t& divisible_credit(Rank& issuer);
  void issue();
  void earn(Rank issuer, std::int64_t credit);
  void give_back(Context& context, Rank issuer, std::int64_t credit);
  void try_conclude(Context& context);
  void announce(Context& context);

  std::shared_ptr<const Options> options_;
  ControlTree tree_;
  Rank self_;
  std::map<Rank, std::int64_t> foreign_;  ///< credit held, by issuer
  Rank cover_issuer_ = kNobody;           ///< of the credit under which the own currency runs
  std::int64_t cover_ = 0;
  std::int64_t own_ = 0;     ///< own currency at home
  std::int64_t issued_ = 0;  ///< own currency created
  std::uint32_t flushes_ = 0;
  std::uint32_t subcalls_ = 0;
};

}  // namespace faultline
