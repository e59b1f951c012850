// SPDX-License-Identifier: Apache-2.0
#include "sim/core/context.hpp"

#include <catch2/catch.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "sim/core/component.hpp"
#include "sim/core/in_role.hpp"

// What must not compile: a component has only what its role may ask. Each concept is one request,
// and each table below says who may make it, so a request that moves to another context fails here.

namespace faultline {
namespace {

template <class T>
concept Sends = requires(T context) {
  context.send(ActorId{}, std::uint16_t{}, std::uint64_t{});
};
template <class T>
concept Forwards = requires(T context, Message message) {
  context.forward(message);
};
template <class T>
concept Releases = requires(T context, Message message) {
  context.release(message);
};
template <class T>
concept Delivers = requires(T context, Message message) {
  context.deliver(message);
};
template <class T>
concept Discards = requires(T context, Message message) {
  context.discard(message);
};
template <class T>
concept Computes = requires(T context) {
  context.compute(1.0);
};
template <class T>
concept DeclaresWork = requires(T context) {
  context.declare_work(1);
};
template <class T>
concept StartsPhases = requires(T context) {
  context.start_phase();
};
template <class T>
concept Chooses = requires(T context, Stream random) {
  context.choose(random, 2, "one");
};
template <class T>
concept Finishes = requires(T context) {
  context.finish();
};
template <class T>
concept Announces = requires(T context) {
  context.announce();
};
template <class T>
concept Flushes = requires(T context) {
  context.flush(ActorId{});
};
template <class T>
concept SeesActivity = requires(T context) {
  context.active();
};
template <class T>
concept ReportsDeaths = requires(T context) {
  context.report_failed(ActorId{});
};
template <class T>
concept OpensLinks = requires(T context) {
  context.open_link(ActorId{});
};
template <class T>
concept Restarts = requires(T context) {
  context.restart(Incarnation{});
};
template <class T>
concept StartsAbove = requires(T context) {
  context.start_above();
};
template <class T>
concept Stores = requires(T context) {
  context.store(Storage::shared, 0, {});
};
template <class T>
concept Captures = requires(T context) {
  context.capture();
};
template <class T>
concept Restores = requires(T context, Image image) {
  context.restore(image);
};
template <class T>
concept Resends = requires(T context, Message message) {
  context.resend(message);
};
template <class T>
concept Relays = requires(T context, Message message) {
  context.relay(message, ActorId{});
};
template <class T>
concept MovesObjects = requires(T context, PackedObject packed) {
  context.objects();
  context.host_object(packed);
};

// ---- who may ask what -------------------------------------------------------------------------

using W = WorkloadContext;
using T = TerminationContext;
using R = RecoveryContext;
using D = DetectorContext;

static_assert(Sends<W> && Sends<T> && Sends<R> && Sends<D> && Sends<Context>);

static_assert(!Forwards<W> && Forwards<T> && Forwards<R> && !Forwards<D>);
static_assert(!Releases<W> && Releases<T> && Releases<R> && !Releases<D>);
static_assert(!Delivers<W> && Delivers<T> && Delivers<R> && !Delivers<D>);
static_assert(!Discards<W> && Discards<T> && Discards<R> && !Discards<D>);

static_assert(Computes<W> && !Computes<T> && !Computes<R> && !Computes<D>);
static_assert(DeclaresWork<W> && !DeclaresWork<T> && !DeclaresWork<R> && !DeclaresWork<D>);
static_assert(StartsPhases<W> && !StartsPhases<T> && !StartsPhases<R> && !StartsPhases<D>);
static_assert(Chooses<W> && !Chooses<T> && !Chooses<R> && !Chooses<D>);
static_assert(Finishes<W> && !Finishes<T> && Finishes<R> && !Finishes<D>);

static_assert(!Announces<W> && Announces<T> && !Announces<R> && !Announces<D>);
static_assert(!Flushes<W> && Flushes<T> && !Flushes<R> && !Flushes<D>);
static_assert(!SeesActivity<W> && SeesActivity<T> && !SeesActivity<R> && !SeesActivity<D>);

static_assert(!ReportsDeaths<W> && !ReportsDeaths<T> && !ReportsDeaths<R> && ReportsDeaths<D>);
static_assert(!OpensLinks<W> && !OpensLinks<T> && !OpensLinks<R> && OpensLinks<D>);

static_assert(!Restarts<W> && !Restarts<T> && Restarts<R> && !Restarts<D>);
static_assert(!StartsAbove<W> && !StartsAbove<T> && StartsAbove<R> && !StartsAbove<D>);
static_assert(!Stores<W> && !Stores<T> && Stores<R> && !Stores<D>);
static_assert(!Captures<W> && !Captures<T> && Captures<R> && !Captures<D>);
static_assert(!Restores<W> && !Restores<T> && Restores<R> && !Restores<D>);
static_assert(!Resends<W> && !Resends<T> && Resends<R> && !Resends<D>);
static_assert(!Relays<W> && !Relays<T> && Relays<R> && !Relays<D>);
static_assert(!MovesObjects<W> && !MovesObjects<T> && MovesObjects<R> && !MovesObjects<D>);

// ---- no way from one context to another -------------------------------------------------------

template <class To, class From>
constexpr bool kBecomes = std::is_constructible_v<To, From&> || std::is_convertible_v<From&, To&>;

static_assert(!kBecomes<W, T> && !kBecomes<W, R> && !kBecomes<W, D>);
static_assert(!kBecomes<T, W> && !kBecomes<T, R> && !kBecomes<T, D>);
static_assert(!kBecomes<R, W> && !kBecomes<R, T> && !kBecomes<R, D>);
static_assert(!kBecomes<D, W> && !kBecomes<D, T> && !kBecomes<D, R>);
static_assert(!kBecomes<W, Context> && !kBecomes<R, LayerContext> && !kBecomes<T, LayerContext>);
static_assert(std::is_convertible_v<R&, LayerContext&> && std::is_convertible_v<D&, Context&>);

// ---- a handler takes the context of its role --------------------------------------------------

template <class Role, class Own>
concept StartsWith = requires {
  { &Role::start } -> std::convertible_to<void (Role::*)(Own&)>;
};

static_assert(StartsWith<Workload, W> && !StartsWith<Workload, R>);
static_assert(StartsWith<TerminationDetector, T> && !StartsWith<TerminationDetector, R>);
static_assert(StartsWith<RecoveryLayer, R> && !StartsWith<RecoveryLayer, T>);
static_assert(StartsWith<Detector, D> && !StartsWith<Detector, Context>);

/// Two words, which the engine makes for each handler.
static_assert(sizeof(W) == 2 * sizeof(void*) && sizeof(R) == sizeof(Context));

}  // namespace

TEST_CASE("a component of each family gets the context of its role") {
  struct Program final : Workload {
    [[nodiscard]] std::unique_ptr<Component> clone() const override { return nullptr; }
    void digest_state(Digest&) const override {}
  };
  struct Watch final : Detector {
    [[nodiscard]] std::unique_ptr<Component> clone() const override { return nullptr; }
    void digest_state(Digest&) const override {}
  };
  struct Waves final : TerminationDetector {
    [[nodiscard]] std::unique_ptr<Component> clone() const override { return nullptr; }
    void digest_state(Digest&) const override {}
  };
  struct Logs final : RecoveryLayer {
    [[nodiscard]] std::unique_ptr<Component> clone() const override { return nullptr; }
    void digest_state(Digest&) const override {}
  };
  Turn turn;
  const auto given = [&turn](Component& component, Family family) {
    return call_in_role(component, family, turn, []<class C>(auto&, C&) {
      return std::is_same_v<C, W>   ? 'w'
             : std::is_same_v<C, T> ? 't'
             : std::is_same_v<C, R> ? 'r'
                                    : 'd';
    });
  };
  Program program;
  Watch watch;
  Waves waves;
  Logs logs;
  CHECK(given(program, Family::workload) == 'w');
  CHECK(given(logs, Family::transactions) == 'r');
  CHECK(given(waves, Family::termination) == 't');
  CHECK(given(logs, Family::message_logging) == 'r');
  CHECK(given(watch, Family::failure_detection) == 'd');
}

}  // namespace faultline
