#include "sim/engine/simgrid_engine.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/runtime.hpp"
#include "sim/platform/simgrid_xml.hpp"
#include "sim/platform/simgrid_zone.hpp"

// In a block of its own: it uses macros that <simgrid/s4u.hpp> defines.
#include <simgrid/version.h>

namespace faultline {

namespace {

namespace s4u = simgrid::s4u;

/// Two times that differ by no more than rounding are one moment.
bool due(double time_s, double clock_s) { return time_s <= clock_s + 1e-13 + 1e-14 * clock_s; }

std::vector<std::string> engine_arguments() {
  std::vector<std::string> arguments = {"faultline"};
  for (const std::string& option : simgrid_configuration()) arguments.push_back(option);
  arguments.emplace_back("--cfg=contexts/stack-size:64");  // KiB; the default is 8 MiB an actor
  arguments.emplace_back("--cfg=contexts/guard-size:0");   // guard pages end at 32,000 actors
  arguments.emplace_back("--log=root.thres:critical");
  return arguments;
}

}  // namespace

/// The accurate engine. A clock actor takes the agenda that both engines share from event to event
/// and puts messages into the network; the actor of a process takes them out. A death is a flag:
/// no S4U actor is killed before the end, because SimGrid would destroy what a dead one has sent.
class SimGridEngine final : public Runtime {
 public:
  using Runtime::Runtime;

 protected:
  void simulate() override {
    std::vector<std::string> words = engine_arguments();
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    s4u::Engine engine(&argc, argv.data());
    hosts_ = hosts();
    clock_wakes_ = s4u::Semaphore::create(0);
    const ActorId actors = spec().platform.processes + node_count();
    inboxes_.resize(actors);
    for (ActorId self = 0; self < actors; ++self) {
      inboxes_[self].mailbox = s4u::Mailbox::by_name(std::to_string(self));
      if (self < spec().platform.processes) add_receiver(self);
    }
    s4u::Actor::create("clock", hosts_[0], [this] { keep_time(); });
    engine.run();
  }

  /// The zone has the hops; what both NICs add to the latency passes before.
  void transmit(Message& message, const Transit& transit) override {
    const double nic_latency_s = transit.local ? 0.0 : machine().nic_latency_s;
    if (fifo()) in_order_[{message.from, message.to}].push_back(&message);
    schedule(message.inject_s + nic_latency_s, EventKind::inject, &message);
  }

 private:
  struct Inbox {
    s4u::Mailbox* mailbox = nullptr;
    std::uint32_t receivers = 0;
    std::uint32_t in_flight = 0;
  };

  std::vector<s4u::Host*> hosts() const {
    const PlatformSpec& platform = spec().platform;
    if (!platform.xml_path.empty()) return load_platform_xml(platform.xml_path);
    return build_simgrid_zone(partition(machine(), node_count(), platform.whole_machine), machine(),
                              node_count());
  }

  /// An S4U actor that takes messages of one process out of the network. SimGrid begins a transfer
  /// when its receiver is waiting, so that a process has as many of them as messages come at once.
  void add_receiver(ActorId self) {
    Inbox& inbox = inboxes_[self];
    const std::string name = std::to_string(self) + "." + std::to_string(inbox.receivers++);
    s4u::Actor::create(name, hosts_[node_of(self)], [this, self] {
      for (;;) {
        auto* message = inboxes_[self].mailbox->get<Message>();
        came_.push_back(message);
        clock_wakes_->release();
      }
    });
  }

  void keep_time() {
    while (!stopped() && !quiescent()) {
      const double clock_s = s4u::Engine::get_clock();
      if (!came_.empty()) {
        take_in(clock_s);
      } else if (!queue_.empty() && due(queue_.top().time_s, clock_s)) {
        if (!step()) break;
      } else if (queue_.empty()) {
        clock_wakes_->acquire();
      } else {
        clock_wakes_->acquire_timeout(queue_.top().time_s - clock_s);
      }
    }
    s4u::Actor::kill_all();
  }

  bool step() {
    const Event event = queue_.pop();
    if (event.kind() == EventKind::inject) {
      put(*event.message);
      return true;
    }
    if (!goes_on(event.time_s)) return false;
    now_s_ = std::max(now_s_, event.time_s);
    carry_out(event);
    return true;
  }

  void put(Message& message) {
    Inbox& inbox = inboxes_[message.to];
    if (inbox.in_flight++ >= inbox.receivers) add_receiver(message.to);
    s4u::Host* host = hosts_[node_of(message.from)];
    if (s4u::this_actor::get_host() != host) s4u::this_actor::set_host(host);
    const auto comm = inbox.mailbox->put_init(&message, message.bytes);
    if (node_of(message.from) != node_of(message.to)) comm->set_rate(machine().nic_bandwidth_Bps);
    comm->detach();
  }

  void take_in(double clock_s) {
    std::vector<Message*> came;
    came.swap(came_);
    now_s_ = std::max(now_s_, clock_s);
    for (Message* message : came) {
      --inboxes_[message->to].in_flight;
      message->flags |= kArrived;
      if (!fifo()) {
        hand_over(message);
        continue;
      }
      // A small message can overtake a large one of the same pair in a shared link.
      auto& order = in_order_[{message->from, message->to}];
      while (!order.empty() && (order.front()->flags & kArrived) != 0) {
        Message* next = order.front();
        order.pop_front();
        hand_over(next);
      }
    }
  }

  void hand_over(Message* message) {
    schedule(now_s_ + unordered_delay_s(message->from) + machine().receive_overhead_s,
             EventKind::arrive, message);
  }

  std::vector<s4u::Host*> hosts_;
  std::vector<Inbox> inboxes_;
  std::vector<Message*> came_;  ///< out of the network, not yet seen by the clock
  std::map<std::pair<ActorId, ActorId>, std::deque<Message*>> in_order_;
  s4u::SemaphorePtr clock_wakes_;
};

RunResult run_on_simgrid(const RunSpec& spec, Topology routes, std::uint64_t seed,
                         std::uint64_t replication) {
  return SimGridEngine(spec, std::move(routes), seed, replication).run();
}

std::string simgrid_version() {
  return std::to_string(SIMGRID_VERSION_MAJOR) + "." + std::to_string(SIMGRID_VERSION_MINOR) + "." +
         std::to_string(SIMGRID_VERSION_PATCH);
}

}  // namespace faultline
