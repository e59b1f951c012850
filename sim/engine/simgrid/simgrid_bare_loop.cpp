// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/simgrid/simgrid_bare_loop.hpp"

#include <chrono>
#include <deque>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/engine/simgrid/simgrid_engine.hpp"
#include "sim/platform/simgrid_actor.hpp"
#include "sim/platform/simgrid_zone.hpp"
#include "sim/platform/topology.hpp"
#include "sim/platform/transit.hpp"

namespace faultline::engine {

namespace {

namespace s4u = simgrid::s4u;

constexpr std::uint64_t kTokenBytes = 64;

struct Token {
  Stream random;
};

/// A message, kept until both ends have freed its communication.
struct Flight {
  Token* token = nullptr;
  s4u::CommPtr communication;
  bool received = false;
};

struct Process {
  s4u::Mailbox* mailbox = nullptr;
  std::deque<Flight> sent;  ///< oldest first
};

struct Loop {
  double send_overhead_s;
  double receive_overhead_s;
  BareSends sends;
  std::uint64_t left;
  std::vector<Process> processes;
  std::vector<Token> tokens;
  std::chrono::steady_clock::time_point begin;
  double duration_s = 0.0;
};

void keep(Process& from, s4u::Mailbox* to, Token* token) {
  while (!from.sent.empty() && from.sent.front().received) {
    from.sent.front().communication->wait();
    from.sent.pop_front();
  }
  Flight& flight = from.sent.emplace_back();
  flight.token = token;
  flight.communication = to->put_init(&flight, kTokenBytes);
  flight.communication->start();
}

void pass_on(Loop& loop, std::size_t self, Token* token) {
  s4u::this_actor::sleep_for(loop.send_overhead_s);
  const std::size_t other = token->random.below(loop.processes.size() - 1);
  s4u::Mailbox* to = loop.processes[other + static_cast<std::size_t>(other >= self)].mailbox;
  if (loop.sends == BareSends::kept)
    keep(loop.processes[self], to, token);
  else
    to->put_init(token, kTokenBytes)->detach();
}

Token* receive(Loop& loop, std::size_t self) {
  if (loop.sends == BareSends::detached) return loop.processes[self].mailbox->get<Token>();
  auto* flight = loop.processes[self].mailbox->get<Flight>();
  flight->received = true;
  return flight->token;
}

void live(Loop& loop, std::size_t self) {
  for (std::size_t i = self; i < loop.tokens.size(); i += loop.processes.size())
    pass_on(loop, self, &loop.tokens[i]);
  for (;;) {
    Token* token = receive(loop, self);
    if (--loop.left == 0) {
      loop.duration_s =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - loop.begin).count();
      s4u::Actor::kill_all();
      s4u::this_actor::exit();
    }
    s4u::this_actor::sleep_for(loop.receive_overhead_s);
    pass_on(loop, self, token);
  }
}

}  // namespace

double simgrid_bare_loop_messages_per_s(const platform::Machine& machine, std::uint32_t processes,
                                        std::uint32_t in_flight, std::uint64_t messages,
                                        BareSends sends) {
  const auto engine = platform::start_simgrid(simulation_options());
  const auto hosts = platform::build_simgrid_zone(platform::partition(machine, processes, false),
                                                  machine, processes);
  Loop loop{platform::send_overhead_s(machine, kTokenBytes, false),
            platform::receive_overhead_s(machine, kTokenBytes, false),
            sends,
            messages,
            {},
            {},
            {}};
  for (std::uint32_t token = 0; token < in_flight; ++token)
    loop.tokens.push_back({Stream(1, 0, Purpose::workload, token)});
  for (std::uint32_t self = 0; self < processes; ++self)
    loop.processes.push_back({s4u::Mailbox::by_name(std::to_string(self)), {}});
  for (std::uint32_t self = 0; self < processes; ++self)
    platform::start_actor(std::to_string(self), hosts[self], [&loop, self] { live(loop, self); });
  platform::start_actor("begin", hosts[0], [&loop] {
    s4u::this_actor::yield();
    loop.begin = std::chrono::steady_clock::now();
  });
  engine->run();
  return static_cast<double>(messages) / loop.duration_s;
}

}  // namespace faultline::engine
