// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/component.hpp"

namespace faultline::test {

/// The context of a script. A script plays any role, and plays it wrongly if a test wants that, so
/// it may ask for whatever any component can ask.
class ScriptContext : public RecoveryContext {
 public:
  /// In the place of the context that the engine has given to the scripted component.
  explicit ScriptContext(const Context& own) : RecoveryContext(turn_of(own), family_of(own)) {}

  [[nodiscard]] std::uint32_t phase() const { return turn().phase; }
  [[nodiscard]] bool active() const { return as<TerminationContext>().active(); }
  [[nodiscard]] bool busy() const { return turn().busy(); }
  static void fence(Message& message) { TerminationContext::fence(message); }
  static void background(Message& message) { DetectorContext::background(message); }

  void compute(double duration_s, std::uint64_t tag = 0) {
    const std::int64_t computing = turn().computing;
    as<WorkloadContext>().compute(duration_s, tag);
    keep_unless_workload(computing);
  }
  void cancel_computations() {
    const std::int64_t computing = turn().computing;
    as<WorkloadContext>().cancel_computations();
    keep_unless_workload(computing);
  }
  void declare_work(std::int64_t count) { as<WorkloadContext>().declare_work(count); }
  void start_phase() { as<WorkloadContext>().start_phase(); }

  void flush(Incarnation peer) { as<TerminationContext>().flush(peer); }
  void flush(ActorId peer) { as<TerminationContext>().flush(peer); }
  void announce() { as<TerminationContext>().announce(); }

  void open_link(ActorId peer) { as<DetectorContext>().open_link(peer); }
  void report_failed(Incarnation peer) { as<DetectorContext>().report_failed(peer); }
  void report_failed(ActorId peer) { as<DetectorContext>().report_failed(peer); }
  void take_back(Incarnation peer) { as<DetectorContext>().take_back(peer); }

 private:
  static Turn& turn_of(const Context& own) { return (own.*(&ScriptContext::turn))(); }
  static Family family_of(const Context& own) { return (own.*(&ScriptContext::family))(); }
  template <class Own>
  [[nodiscard]] Own as() const {
    return Own(turn(), family());
  }
  /// Only computations of the workload make its rank busy.
  void keep_unless_workload(std::int64_t computing) {
    if (family() != Family::workload) turn().computing = computing;
  }
};

}  // namespace faultline::test
