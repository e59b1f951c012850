// SPDX-License-Identifier: Apache-2.0

// The digest of a detector's state: equal whatever led to the state, and changed by whatever it
// will act on. The handlers are called by hand.

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "protocols/termination/adoption.hpp"
#include "protocols/termination/venkatesan.hpp"
#include "tests/support/alone.hpp"

namespace faultline::termination {

using namespace test;

namespace {

using Handling = std::function<void(Alone&)>;
using Handlings = std::vector<Handling>;

/// A detector on one rank of eight.
struct At {
  std::string detector;
  Rank self = 0;
  OptionValues options = {};
  std::uint32_t processes = 8;
};

/// The digests at the start and after each event.
std::vector<StateDigest> digests_of(const At& at, const Handlings& events) {
  Alone alone(Family::termination, at.detector, job_of(at.processes), at.self, at.options);
  std::vector<StateDigest> digests{alone.digest()};
  for (const Handling& event : events) {
    event(alone);
    digests.push_back(alone.digest());
  }
  return digests;
}

StateDigest digest_after(const At& at, const Handlings& events) {
  return digests_of(at, events).back();
}

/// After `before`, the order of two events makes no difference, but each of them does.
void check_commute(const At& at, const Handlings& before, const Handling& first,
                   const Handling& second) {
  const auto with = [&](const Handlings& more) {
    Handlings all = before;
    all.insert(all.end(), more.begin(), more.end());
    return digest_after(at, all);
  };
  INFO(at.detector);
  CHECK(with({first, second}) == with({second, first}));
  CHECK(std::set<StateDigest>{with({}), with({first}), with({second}), with({first, second})}
            .size() == 4);
}

/// Each event leads to a state that was not there before.
void check_all_differ(const At& at, const Handlings& events) {
  const std::vector<StateDigest> digests = digests_of(at, events);
  INFO(at.detector);
  for (std::size_t i = 0; i < digests.size(); ++i)
    for (std::size_t j = i + 1; j < digests.size(); ++j) {
      INFO("after " << i << " and " << j << " events");
      CHECK(digests[i] != digests[j]);
    }
}

Handling start() {
  return [](Alone& alone) { alone.start(); };
}
Handling idle() {
  return [](Alone& alone) { alone.idle(); };
}
Handling sends(const std::vector<Rank>& to) {
  return [to](Alone& alone) { alone.sends(to); };
}
template <class T>
Handling receives(Rank from, const T& of_detector) {
  return [=](Alone& alone) { alone.receives(from, of_detector); };
}
template <class T>
Handling gets(Rank from, std::uint16_t kind, const T& payload) {
  return [=](Alone& alone) { alone.gets(from, kind, payload); };
}
Handling gets_words(Rank from, std::uint16_t kind, const std::vector<std::uint64_t>& words) {
  return [=](Alone& alone) {
    Message message = arriving(Family::termination, from, kind, 0);
    message.attachments.put(Family::termination,
                            AttachedWords(std::make_shared<std::vector<std::uint64_t>>(words)));
    alone.gets(message);
  };
}
Handling told_dead(Rank rank) {
  return [rank](Alone& alone) { alone.told_dead(rank); };
}
Handling flushed(Rank rank) {
  return [rank](Alone& alone) { alone.flushed(rank); };
}
Handling at_s(double now_s) {
  return [now_s](Alone& alone) { alone.at(now_s); };
}

Handling acknowledged(Rank from) { return gets(from, kAcknowledge, Acknowledgement{1, 1}); }

const std::vector<std::string> kAdoption{"indep", "rel-lazy", "rel-eager"};

// The first kinds of these detectors' messages.
enum CreditKind : std::uint16_t { kFlush, kBorrow, kGrant };
constexpr std::uint16_t kStop = 0;
constexpr std::uint16_t kSignal = 0;
constexpr std::uint16_t kQuery = 1;

struct Counters {
  std::int64_t sent;
  std::int64_t received;
};

/// The word of a signal of venkatesan: how many messages were sent to, or received from, a peer.
constexpr std::uint64_t sent_to(Rank peer) { return std::uint64_t{peer} << 32U | 1U; }
constexpr std::uint64_t received_from(Rank peer) { return std::uint64_t{1} << 62U | sent_to(peer); }

}  // namespace

TEST_CASE(
    "acknowledgements may come in any order, and what is acknowledged was never sent, but for the "
    "engagement that is over") {
  for (const std::string& detector : kAdoption) {
    const Handlings before{start(), sends({1, 2, 3})};
    check_commute({detector}, before, acknowledged(1), acknowledged(2));
    const auto after = [&](std::uint32_t over) {
      const auto acknowledges = [over](Rank from) {
        return gets(from, kAcknowledge, Acknowledgement{1, over});
      };
      return digest_after({detector},
                          {start(), sends({1, 2, 3}), acknowledges(2), acknowledges(1)});
    };
    CHECK(after(0) == digest_after({detector}, {start(), sends({3})}));
    CHECK(after(1) != after(0));  // old notes about that engagement do not count any more
  }
  for (const std::string detector : {"dijkstra-scholten", "lai-wu"}) {
    const Handling first = gets(1, kAcknowledge, 0);
    CHECK(digest_after({detector}, {start(), sends({1, 3}), first}) ==
          digest_after({detector}, {start(), sends({3})}));
  }
  check_commute({"lai-wu"}, {start(), sends({1, 2, 3})}, gets(1, kAcknowledge, 0),
                gets(2, kAcknowledge, 0));
}

TEST_CASE("signals of two children, credit of two borrowers and tallies may come in any order") {
  check_commute({"edod"}, {}, gets(1, kStop, 0), gets(2, kStop, 0));
  check_commute({"four-counter"}, {}, gets(1, kStop, Counters{3, 1}),
                gets(2, kStop, Counters{2, 2}));
  check_commute({"cda"}, {}, gets(1, kFlush, std::int64_t{5}), gets(2, kFlush, std::int64_t{7}));
  for (const std::string credit : {"huang", "own-currency"})
    check_commute({"hcda", 0, {{"credit", credit}}}, {}, gets(1, kFlush, std::int64_t{5}),
                  gets(2, kFlush, std::int64_t{7}));
  check_commute({"hcda", 0, {{"credit", std::string("mattern")}}}, {},
                gets(1, kFlush, std::uint64_t{5}), gets(2, kFlush, std::uint64_t{3}));
  check_commute({"venkatesan"}, {start()}, gets_words(1, kSignal, {sent_to(2)}),
                gets_words(2, kSignal, {sent_to(3), received_from(1)}));
}

TEST_CASE("two recoveries may go on in any order") {
  for (const std::string& detector : kAdoption) {
    const Handlings deaths{start(), sends({1, 2}), gets(1, kPotentialGrandchild, Signal{1, 3}),
                           gets(2, kPotentialGrandchild, Signal{1, 4})};
    check_commute({detector}, deaths, told_dead(1), told_dead(2));
    Handlings told = deaths;
    told.push_back(told_dead(1));
    told.push_back(told_dead(2));
    check_commute({detector}, told, flushed(1), flushed(2));
    const auto query = [](Rank failed) {
      return gets(0, kTryEngageGrandchild, TryEngageGrandchild{failed, 1, 1, kNobody, 0});
    };
    check_commute({detector, 3}, {start()}, query(1), query(2));
  }
}

TEST_CASE("the order of sending is forgotten also where a table has several blocks") {
  std::vector<Rank> up;
  for (Rank rank = 1; rank < 300; ++rank) up.push_back(rank);
  const std::vector<Rank> down(up.rbegin(), up.rend());
  for (const std::string detector : {"indep", "rel-lazy", "rel-eager", "lai-wu", "venkatesan"}) {
    const At at{detector, 0, {}, 300};
    INFO(detector);
    CHECK(digest_after(at, {start(), sends(up)}) == digest_after(at, {start(), sends(down)}));
    CHECK(digest_after(at, {start(), sends(up)}) != digest_after(at, {start(), sends({1})}));
  }
}

TEST_CASE("a process that has left the tree has forgotten its parent") {
  for (const std::string& detector : kAdoption) {
    const At at{detector, 3};
    const Handling by_root = receives(0, SenderState{1, 0, kNobody});
    const Handling by_child = receives(1, SenderState{5, 0, 0});
    INFO(detector);
    CHECK(digest_after(at, {start(), by_root}) != digest_after(at, {start(), by_child}));
    CHECK(digest_after(at, {start(), by_root}) !=
          digest_after(at, {start(), receives(0, SenderState{2, 0, kNobody})}));
    CHECK(digest_after(at, {start(), by_root, idle()}) ==
          digest_after(at, {start(), by_child, idle()}));
  }
  for (const std::string detector : {"rel-lazy", "rel-eager"})
    CHECK(digest_after({detector, 3}, {start(), receives(1, SenderState{1, 1, 0})}) !=
          digest_after({detector, 3}, {start(), receives(1, SenderState{1, 1, 2})}));
}

TEST_CASE("times and counts that are only reported are no part of a state") {
  for (const std::string& detector : kAdoption) {
    const Handlings early{start(), at_s(1), sends({1, 2}), told_dead(1), at_s(2), flushed(1)};
    const Handlings late{start(), at_s(5), sends({1, 2}), told_dead(1), at_s(9), flushed(1)};
    CHECK(digest_after({detector}, early) == digest_after({detector}, late));
  }
  const auto query = [](double noticed_s) {
    return gets(0, kQuery, Venkatesan::Question{.failed = 5, .noticed_s = noticed_s});
  };
  for (const std::string detector : {"lai-wu", "venkatesan"}) {
    const At at{detector, 3};
    CHECK(digest_after(at, {start(), query(1)}) == digest_after(at, {start(), query(2)}));
    CHECK(digest_after(at, {start(), query(1)}) !=
          digest_after(at, {start(), query(1), flushed(5)}));
  }
  // A borrowed unit that has come back, and a sum by other parts.
  const At agent{"cda"};
  CHECK(digest_after(agent, {gets(1, kBorrow, 0)}) != digest_after(agent, {}));
  CHECK(digest_after(agent, {gets(1, kBorrow, 0), gets(1, kFlush, std::int64_t{1} << 32U)}) ==
        digest_after(agent, {}));
  const At mattern{"hcda", 0, {{"credit", std::string("mattern")}}};
  const auto flush = [](std::uint64_t exponent) { return gets(1, kFlush, exponent); };
  CHECK(digest_after(mattern, {flush(1), flush(2), flush(2)}) == digest_after(mattern, {flush(0)}));
}

TEST_CASE("whatever an adoption detector will act on changes its digest") {
  const Handlings common{
      start(),
      receives(1, SenderState{1, 1, 0}),
      sends({4}),
      sends({4}),
      gets(4, kPotentialGrandchild, Signal{1, 5}),
      gets(4, kPotentialGrandchild, Signal{2, 5}),
      told_dead(4),
      flushed(4),
      told_dead(6),
      gets(1, kTryEngageGrandchild, TryEngageGrandchild{2, 1, 1, kNobody, 0}),
      gets(1, kTryEngageGrandchild, TryEngageGrandchild{2, 1, 2, kNobody, 0}),
      gets(1, kAnnounce, 0),
  };
  for (const std::string& detector : kAdoption) check_all_differ({detector, 3}, common);
  const Handlings interior{start(), receives(1, SenderState{1, 1, 0}), sends({4}),
                           gets(4, kPotentialGrandchild, Signal{1, 5}),
                           gets(5, kInformInterior, Signal{1, 4})};
  for (const std::string detector : {"rel-lazy", "rel-eager"})
    check_all_differ({detector, 3}, interior);
  check_all_differ({"rel-eager", 3}, {start(), receives(1, SenderState{1, 1, 0}),
                                      gets(1, kNewGrandparent, NewGrandparent{1, 2, 6}),
                                      gets(2, kNewGrandparent, NewGrandparent{1, 1, 6}), sends({4}),
                                      gets(4, kPotentialGrandchild, Signal{1, 5}),
                                      gets(4, kGrandchildRecovered, Signal{1, 5})});
}

TEST_CASE("whatever another detector will act on changes its digest") {
  check_all_differ({"dijkstra-scholten", 3}, {receives(1, 0), sends({4}), sends({4, 5})});
  check_all_differ({"lai-wu", 3},
                   {start(), receives(1, 0), sends({4}), sends({5}), told_dead(6),
                    gets(0, kQuery, Venkatesan::Question{.failed = 7, .noticed_s = 1.0}),
                    flushed(7), gets(1, 2, 0)});
  check_all_differ({"edod", 1}, {sends({4}), gets(3, kStop, 0), gets(4, kStop, 0)});
  check_all_differ({"edod", 7}, {idle()});
  check_all_differ({"four-counter", 1}, {sends({4}), receives(4, 0), gets(3, kStop, Counters{1, 0}),
                                         gets(4, kStop, Counters{0, 1}), idle()});
  check_all_differ({"four-counter", 7, {{"restart", std::string("idle-paced")}}},
                   {gets(3, 1, 0), idle(), receives(4, 0)});
  const OptionValues one_unit{{"initial_credit", std::int64_t{1}}};
  for (const std::string detector : {"cda", "hcda"})
    check_all_differ(
        {detector, 1, one_unit},
        {sends({2}), sends({3}), gets(0, kGrant, std::int64_t{1}), receives(0, std::int64_t{9})});
  check_all_differ({"venkatesan", 1},
                   {start(), sends({2}), receives(2, 0), idle(), told_dead(3),
                    gets_words(4, kSignal, {sent_to(5)}), gets_words(4, kSignal, {sent_to(6)}),
                    gets(0, kQuery, Venkatesan::Question{.failed = 3, .noticed_s = 1.0}),
                    flushed(3), gets(0, 2, 0)});
}

TEST_CASE("a leader that may succeed the first one knows in which order it was told of deaths") {
  const Handlings one{start(), told_dead(3), told_dead(4)};
  const Handlings other{start(), told_dead(4), told_dead(3)};
  CHECK(digest_after({"venkatesan", 0}, one) != digest_after({"venkatesan", 0}, {start()}));
  CHECK(digest_after({"venkatesan", 1}, one) != digest_after({"venkatesan", 1}, other));
  CHECK(digest_after({"venkatesan", 0}, one) == digest_after({"venkatesan", 0}, other));
  CHECK(digest_after({"venkatesan", 2}, one) == digest_after({"venkatesan", 2}, other));
}

}  // namespace faultline::termination
