// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/engagement_history.hpp"

#include "sim/core/forwarding.hpp"

namespace faultline::lemmas {

namespace {

class Watch final : public Forwarding<TerminationDetector> {
 public:
  Watch(std::unique_ptr<Component> detector, Rank self, std::shared_ptr<EngagementHistory> history)
      : Forwarding(std::move(detector)), history_(std::move(history)), self_(self) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Watch>(*this);
  }

  void start(TerminationContext& context) override {
    Forwarding::start(context);
    look(context);
  }
  void on_message(TerminationContext& context, const Message& message) override {
    Forwarding::on_message(context, message);
    look(context);
  }
  void on_peer_failed(TerminationContext& context, Incarnation peer) override {
    Forwarding::on_peer_failed(context, peer);
    look(context);
  }
  void on_flushed(TerminationContext& context, Incarnation peer) override {
    Forwarding::on_flushed(context, peer);
    look(context);
  }
  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override {
    for (const Message* message : batch) history_->about_to_send.emplace(self_, message->to);
    Forwarding::on_sends(context, batch, still_active);
    look(context);
  }
  Passage on_receive(TerminationContext& context, Message& message) override {
    const Passage passage = Forwarding::on_receive(context, message);
    look(context);
    return passage;
  }
  void on_idle(TerminationContext& context) override {
    Forwarding::on_idle(context);
    look(context);
  }

 private:
  void look(TerminationContext& context) {
    auto& moments = history_->moments[self_];
    history_->last_s[self_] = context.now_s();
    const bool interior = !waiting_for().empty();
    EngagementHistory::Moment now{.time_s = context.now_s(),
                                  .parent = parent(),
                                  .interior = interior,
                                  .was_interior = interior};
    if (!moments.empty()) {
      const EngagementHistory::Moment& last = moments.back();
      const bool same = now.parent == last.parent;
      if (now.parent != kNobody && last.parent != kNobody)
        now.lost_parent = same ? last.lost_parent : last.parent;
      now.was_interior = interior || (same && last.was_interior);
    }
    if (moments.empty() || !now.same_as(moments.back())) moments.push_back(now);
  }

  std::shared_ptr<EngagementHistory> history_;
  Rank self_;
};

}  // namespace

std::unique_ptr<Component> watched(std::unique_ptr<Component> detector, Rank self,
                                   std::shared_ptr<EngagementHistory> history) {
  return std::make_unique<Watch>(std::move(detector), self, std::move(history));
}

}  // namespace faultline::lemmas
