// SPDX-License-Identifier: Apache-2.0

// State profiles: when a host goes off by our reading and by SimGrid's own.

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

// In a block of its own, because it must come after <simgrid/s4u.hpp>, whose macros it uses.
#include <simgrid/version.h>

#include "sim/faults/fault_trace.hpp"
#include "sim/platform/simgrid_actor.hpp"
#include "tests/platform/in_child.hpp"

namespace faultline::faults {
namespace {

namespace sg = simgrid::s4u;

constexpr double kLong_s = 200;

#if SIMGRID_VERSION >= 40000
sg::NetZone* make_zone() {
  return sg::Engine::get_instance()->get_netzone_root()->add_netzone_full("zone");
}
sg::Host* make_host(sg::NetZone* zone, const std::string& name) {
  return zone->add_host(name, 1e9);
}
#else
sg::NetZone* make_zone() { return sg::create_full_zone("zone"); }
sg::Host* make_host(sg::NetZone* zone, const std::string& name) {
  return zone->create_host(name, 1e9);
}
#endif

void when_turned_on_or_off(const std::function<void(const sg::Host&)>& call) {
#if SIMGRID_VERSION >= 33400
  sg::Host::on_onoff_cb(call);
#else
  sg::Host::on_state_change_cb(call);
#endif
}

/// The times at which SimGrid turns off a host that has this profile.
std::vector<double> times_of_simgrid(const std::string& profile) {
  std::vector<std::string> words = {"test", "--log=root.thres:critical"};
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  sg::Engine engine(&argc, argv.data());
  sg::NetZone* zone = make_zone();
  sg::Host* watched = make_host(zone, "watched");
  sg::Host* other = make_host(zone, "other");
  watched->set_state_profile(
      simgrid::kernel::profile::ProfileBuilder::from_string("profile", profile, -1));
  watched->seal();
  other->seal();
  zone->seal();
  std::vector<double> times;
  when_turned_on_or_off([&](const sg::Host& host) {
    if (&host == watched && !host.is_on()) times.push_back(sg::Engine::get_clock());
  });
  platform::start_actor("clock", other, [] { sg::this_actor::sleep_for(kLong_s); });
  engine.run();
  return times;
}

std::string compare(const std::string& text) {
  const FaultTrace trace = parse_fault_trace(text, "profile");
  ProfileWalk walk(trace.profile, Stream(1, 0, Purpose::faults, 0));
  std::vector<double> ours;
  while (const auto time_s = walk.next_failure_s()) {
    if (*time_s >= kLong_s) break;
    ours.push_back(*time_s);
  }
  std::vector<double> theirs = times_of_simgrid(text);
  // Both end at about the same moment; an event at the very end may be on either side.
  while (!theirs.empty() && theirs.back() > kLong_s - 1e-6) theirs.pop_back();
  while (!ours.empty() && ours.back() > kLong_s - 1e-6) ours.pop_back();
  if (ours.empty()) return "no failure at all";
  std::string said;
  for (const auto* times : {&ours, &theirs}) {
    said += times == &ours ? "ours" : ", SimGrid's";
    for (const double time_s : *times) said += " " + std::to_string(time_s);
  }
  if (ours.size() != theirs.size()) return said;
  for (std::size_t i = 0; i < ours.size(); ++i)
    if (std::abs(ours[i] - theirs[i]) > 1e-9 * kLong_s) return said;
  return "";
}

}  // namespace

TEST_CASE("a host fails when SimGrid turns it off") {
  for (const std::string profile : {
           "3 0\n7 1\n50.5 0\n",
           "% twice off is once off\n3 0\n5 0\n7 1\n# again\n9 0\n9 1\n",
           "2 0\n5 1\nLOOPAFTER 4\n",
           "PERIODICITY 10\n2 0\n5 1\n",
           "LOOPAFTER 3.25\n0 1\n6 0\n",
           "2 0\nLOOPAFTER 4\n",
           "STOCHASTIC LOOP\nDET 4 DET 0\nDET 2.5 DET 1\n",
           "STOCHASTIC\nDET 4 DET 0\nDET 2.5 DET 1\nDET 1 DET 0\n",
           "STOCHASTIC LOOP\nLOOPAFTER 5\nDET 4 DET 0\nDET 2.5 DET 1\n",
       }) {
    CAPTURE(profile);
    CHECK(platform::in_child([&] { return compare(profile); }).empty());
  }
}

}  // namespace faultline::faults
