#include "sim/engine/simgrid_bare_loop.hpp"

#include <algorithm>
#include <chrono>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/engine/simgrid_engine.hpp"
#include "sim/platform/simgrid_zone.hpp"
#include "sim/platform/topology.hpp"

namespace faultline {

namespace {

namespace s4u = simgrid::s4u;

constexpr std::uint64_t kTokenBytes = 64;

struct Token {
  Stream random;
};

struct Loop {
  double send_overhead_s;
  double receive_overhead_s;
  std::uint64_t left;
  std::vector<s4u::Mailbox*> mailboxes;
  std::vector<Token> tokens;
  std::chrono::steady_clock::time_point begin;
  double duration_s = 0.0;
};

void pass_on(Loop& loop, std::size_t self, Token* token) {
  s4u::this_actor::sleep_for(loop.send_overhead_s);
  const std::size_t other = token->random.below(loop.mailboxes.size() - 1);
  s4u::Mailbox* to = loop.mailboxes[other + static_cast<std::size_t>(other >= self)];
  to->put_init(token, kTokenBytes)->detach();
}

void live(Loop& loop, std::size_t self) {
  for (std::size_t i = self; i < loop.tokens.size(); i += loop.mailboxes.size())
    pass_on(loop, self, &loop.tokens[i]);
  for (;;) {
    auto* token = loop.mailboxes[self]->get<Token>();
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

double simgrid_bare_loop_messages_per_s(const Machine& machine, std::uint32_t processes,
                                        std::uint32_t in_flight, std::uint64_t messages) {
  const auto engine = start_simgrid(simulation_options());
  const auto hosts = build_simgrid_zone(partition(machine, processes, false), machine, processes);
  Loop loop{machine.send_overhead_s, machine.receive_overhead_s, messages, {}, {}, {}};
  for (std::uint32_t token = 0; token < in_flight; ++token)
    loop.tokens.push_back({Stream(1, 0, Purpose::workload, token)});
  for (std::uint32_t self = 0; self < processes; ++self)
    loop.mailboxes.push_back(s4u::Mailbox::by_name(std::to_string(self)));
  for (std::uint32_t self = 0; self < processes; ++self)
    s4u::Actor::create(std::to_string(self), hosts[self], [&loop, self] { live(loop, self); });
  s4u::Actor::create("begin", hosts[0], [&loop] {
    s4u::this_actor::yield();
    loop.begin = std::chrono::steady_clock::now();
  });
  engine->run();
  return static_cast<double>(messages) / loop.duration_s;
}

}  // namespace faultline
