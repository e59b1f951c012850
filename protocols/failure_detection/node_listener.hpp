// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/core/component.hpp"

namespace faultline::failure_detection {

/// What a daemon tells the ranks of its node: an incarnation is dead, or lives after all. The kind
/// of the message says which.
struct NodeNews {
  Incarnation about;
  std::uint32_t denials = 0;  ///< how often it had denied by then that it is dead, or may be
};

/// The part of a detector on a rank whose node's daemon does the work: it reports the deaths that
/// the daemon tells it, and takes those back that the daemon takes back. The later news holds, in
/// whatever order they arrive. A new incarnation of a rank asks its daemon for the deaths that it
/// has missed. A rank that has asked for a new process, and is told that a new daemon has started
/// with it, may be the only one that knows of that daemon. It tells its own daemon, if detectors
/// pass such news on.
class NodeListener final : public Detector {
 public:
  /// Takes the kinds of the messages, and the size of those that it sends; `lives` and `returned`
  /// only if the detector has such messages.
  NodeListener(std::uint16_t report, std::uint16_t join, std::optional<std::uint16_t> lives,
               std::optional<std::uint16_t> returned, std::uint64_t bytes)
      : report_(report), join_(join), lives_(lives), returned_(returned), bytes_(bytes) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<NodeListener>(*this);
  }

  void start(DetectorContext& context) override {
    if (context.incarnation() > 0) context.send(own_daemon(context), join_, bytes_);
  }
  void on_message(DetectorContext& context, const Message& message) override {
    const bool is_return = returned_ && message.kind == *returned_;
    if (!is_return && message.kind != report_) return;
    const auto [about, denials] = message.payload.get<NodeNews>();
    if (!returned_ || context.job().reports_are_final) return context.report_failed(about);
    const Told news{about, denials, !is_return};
    Told& latest = latest_about(about);
    if (news <= latest) return;  // it has been overtaken
    const bool was_dead = latest.is_dead;
    latest = news;
    if (news.is_dead && !was_dead) context.report_failed(about);
    if (!news.is_dead && was_dead) context.take_back(about);
  }
  void on_peer_restarted(DetectorContext& context, Incarnation peer) override {
    const bool is_other_daemon =
        peer.actor >= context.job().processes && peer.actor != own_daemon(context);
    if (lives_ && is_other_daemon)
      context.send(own_daemon(context), *lives_, bytes_).payload.put(peer);
  }

 private:
  /// News of an incarnation, which sorts behind earlier news of it: whoever is taken back has
  /// denied once more than it had when it was reported, so of two with as many denials the report
  /// is later.
  struct Told {
    Incarnation about;
    std::uint32_t denials = 0;
    bool is_dead = false;

    friend auto operator<=>(const Told&, const Told&) = default;  // NOLINT(*-nullptr)
    void digest(Digest& into) const { into.add(about, denials, is_dead); }
  };

  /// An incarnation of which the rank has been told nothing is alive.
  [[nodiscard]] Told& latest_about(Incarnation about) {
    auto place =
        std::lower_bound(latest_.begin(), latest_.end(), about,
                         [](const Told& told, Incarnation sought) { return told.about < sought; });
    if (place == latest_.end() || place->about != about) place = latest_.insert(place, Told{about});
    return *place;
  }
  [[nodiscard]] static ActorId own_daemon(const DetectorContext& context) {
    const Placement& placement = context.placement();
    return placement.daemon_of(placement.node_of(context.self()));
  }
  void digest_state(Digest& into) const override { into.add(latest_); }

  std::uint16_t report_;
  std::uint16_t join_;
  std::optional<std::uint16_t> lives_;
  std::optional<std::uint16_t> returned_;
  std::uint64_t bytes_;
  std::vector<Told> latest_;  ///< by ascending incarnation; empty where reports are final
};

}  // namespace faultline::failure_detection
