// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/simgrid/simgrid_engine.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/engine/runtime/runtime.hpp"
#include "sim/engine/simgrid/simgrid_version.hpp"
#include "sim/platform/simgrid_actor.hpp"
#include "sim/platform/simgrid_xml.hpp"
#include "sim/platform/simgrid_zone.hpp"

// In a block of its own, because it must come after <simgrid/s4u.hpp>, whose macros it uses.
#include <simgrid/version.h>

namespace faultline::engine {

namespace {

namespace kernel = simgrid::kernel;
namespace s4u = simgrid::s4u;

/// How many arrived messages a mailbox may keep before its process is woken to free them.
constexpr std::size_t kCleanUpAfter = 64;

/// True if the time has come, or is so near that only rounding separates it from the clock.
bool due(double time_s, double clock_s) { return time_s <= clock_s + 1e-13 + 1e-14 * clock_s; }

}  // namespace

std::vector<std::string> simulation_options() {
  return {
#ifdef __SANITIZE_ADDRESS__
      "--cfg=contexts/factory:thread",  // other stacks than those of threads are unknown to it
#endif
      "--cfg=contexts/stack-size:64",  // KiB; the default is 8 MiB per actor
      "--cfg=contexts/guard-size:0",   // with guard pages there can be only 32,000 actors
      "--log=root.thres:critical",
  };
}

/// The accurate engine. Each process is an S4U actor with a mailbox; the actor puts the messages
/// that its process sends, and takes out those that have come.
/// - The event queue that both engines share is driven by SimGrid's timers, in the maestro. So an
///   event without a message switches no context. A message has arrived when its network action
///   ends.
/// - Communications are kept and waited for, not detached: detach() takes time in proportion to the
///   messages in flight (SimGrid 3.32).
/// - A death is a flag. No S4U actor is killed before the end, because SimGrid would destroy the
///   messages that it has sent.
class SimGridEngine final : private Transport {
 public:
  SimGridEngine(std::shared_ptr<const RunJob> job, audit::RunObserver* observer)
      : run_(std::move(job), *this) {
    if (observer != nullptr) run_.observe(*observer);
  }

  /// Simulates the run to its end and returns its result. Call once.
  RunResult run() {
    return run_.run([this] { simulate(); });
  }

 private:
  void simulate() {
    const auto engine = platform::start_simgrid(simulation_options());
    hosts_ = hosts();
    processes_ = std::vector<Process>(run_.state().actors.size());
    for (ActorId self = 0; self < processes_.size(); ++self) add_process(self);
    over_ = s4u::Semaphore::create(0);
    platform::start_actor("end", hosts_[0], [this] {
      run_.set_up_done();  // all other actors have started
      over_->acquire();
      s4u::Actor::kill_all();
    });
    s4u::Link::on_communication_state_change_cb(
        [this](kernel::resource::NetworkAction& action, kernel::resource::Action::State) {
          // The header of its class is not installed. The class derives from Action alone.
          action_ended(reinterpret_cast<kernel::resource::Action&>(action));
        });
    arm();
    engine->run();
    disarm();
    if (failure_) std::rethrow_exception(failure_);
  }

  /// SimGrid's zone accounts for the latency of the hops. The latency of both NICs is spent before,
  /// and so is what noise adds, or the size of the message.
  void transmit(Message& message, const platform::Transit& transit) override {
    if (run_.network().is_fifo()) in_order_[message.to].append(&message);
    run_.schedule().add(message.inject_s + before_links_s(message, transit) +
                            run_.network().noise_s(message, transit),
                        EventKind::inject, &message);
  }

  [[nodiscard]] double before_links_s(const Message& message,
                                      const platform::Transit& transit) const {
    const platform::Machine& machine = run_.machine();
    if (!run_.job().has_costs_by_size) return transit.local ? 0.0 : machine.nic_latency_s;
    const double of_links_s =
        transit.local ? machine.local_latency_s
                      : run_.job()
                            .routes.route(run_.node_of(message.from), run_.node_of(message.to))
                            .latency_s;
    return std::max(0.0, transit.latency_s - of_links_s);
  }

  /// From the first message on, the network connects the actor's new node.
  void moved(ActorId actor) override {
    processes_[actor].actor->set_host(hosts_[run_.node_of(actor)]);
  }

  /// A message in the network, kept until both ends have freed its communication.
  struct Flight {
    s4u::CommPtr communication;
    Message* message = nullptr;
    bool arrived = false;
    bool taken_out = false;
  };
  struct Process {
    s4u::Mailbox* mailbox = nullptr;
    s4u::ActorPtr actor;
    s4u::SemaphorePtr wakes;
    bool woken = false;
    std::vector<Message*> to_put;
    std::deque<Flight*> sent;      ///< oldest first
    std::deque<Flight*> incoming;  ///< in the order of the puts, as in the mailbox
  };

  /// The messages on their way to one process, in the order of sending: a list linked by
  /// Message::next.
  struct Pending {
    Message* first = nullptr;
    Message* last = nullptr;

    void append(Message* message) {
      message->next = nullptr;
      (last != nullptr ? last->next : first) = message;
      last = message;
    }
    void remove(Message* message) {
      Message* before = nullptr;
      for (Message* next = first; next != message; next = next->next) before = next;
      remove(message, before);
    }
    void remove(Message* message, Message* before) {
      (before != nullptr ? before->next : first) = message->next;
      if (last == message) last = before;
      message->next = nullptr;
    }
  };

  std::vector<s4u::Host*> hosts() const {
    const scenario::PlatformSpec& platform = run_.job().spec.platform;
    if (!platform.xml_path.empty()) return platform::load_platform_xml(platform.xml_path);
    return platform::build_simgrid_zone(
        platform::partition(run_.machine(), run_.job().nodes, platform.whole_machine),
        run_.machine(), run_.job().nodes);
  }

  // ---- processes -------------------------------------------------------------------------------

  void add_process(ActorId self) {
    processes_[self].mailbox = s4u::Mailbox::by_name(std::to_string(self));
    processes_[self].wakes = s4u::Semaphore::create(0);
    processes_[self].actor = platform::start_actor(std::to_string(self), hosts_[run_.node_of(self)],
                                                   [this, self] { live(self); });
  }

  void live(ActorId self) {
    Process& process = processes_[self];
    // With a permanent receiver, a transfer begins as soon as the message is put.
    process.mailbox->set_receiver(s4u::Actor::self());
    for (;;) {
      put_all(self);
      process.wakes->acquire();
      process.woken = false;
      take_out_all(process);
    }
  }

  void put_all(ActorId self) {
    Process& process = processes_[self];
    // By index, because the maestro can add to the list while a put waits for it.
    for (std::size_t i = 0; i < process.to_put.size(); ++i) {
      Message* message = process.to_put[i];
      Process& receiver = processes_[message->to];
      Flight* flight = new_flight(message);
      flight->communication = receiver.mailbox->put_init(flight, message->bytes);
      if (run_.node_of(self) != run_.node_of(message->to))
        flight->communication->set_rate(run_.machine().nic_bandwidth_Bps);
      flight->communication->start();
      in_network_[flight->communication->get_impl()] = flight;
      process.sent.push_back(flight);
      receiver.incoming.push_back(flight);
    }
    process.to_put.clear();
  }

  /// Frees the communications that SimGrid keeps for messages that have arrived, at this process or
  /// from it.
  void take_out_all(Process& process) {
    while (!process.incoming.empty() && process.incoming.front()->arrived) {
      process.mailbox->get<Flight>();
      process.incoming.front()->taken_out = true;
      process.incoming.pop_front();
    }
    while (!process.sent.empty() && process.sent.front()->taken_out) {
      process.sent.front()->communication->wait();
      process.sent.front()->communication = nullptr;
      free_flights_.push_back(process.sent.front());
      process.sent.pop_front();
    }
  }

  void wake(Process& process) {
    if (process.woken) return;
    process.woken = true;
    process.wakes->release();
  }

  Flight* new_flight(Message* message) {
    if (free_flights_.empty()) {
      flights_.emplace_back();
      free_flights_.push_back(&flights_.back());
    }
    Flight* flight = free_flights_.back();
    free_flights_.pop_back();
    flight->message = message;
    flight->arrived = flight->taken_out = false;
    return flight;
  }

  // ---- the clock -------------------------------------------------------------------------------

  /// Sets SimGrid's timer to the next event of the queue. Ends the simulation if the run is over.
  void arm() {
    if (run_.stopped() || run_.quiescent() || failure_) {
      disarm();
      over_->release();
      return;
    }
    if (run_.schedule().empty()) return;
    const double next_s = std::max(run_.schedule().next().time_s, s4u::Engine::get_clock());
    if (timer_ != nullptr && next_s >= armed_s_) return;
    disarm();
    armed_s_ = next_s;
    timer_ = kernel::timer::Timer::set(next_s, [this] {
      timer_ = nullptr;
      while (!run_.stopped() && !run_.schedule().empty() &&
             due(run_.schedule().next().time_s, s4u::Engine::get_clock()))
        if (!step()) break;
      arm();
    });
  }

  void disarm() {
    if (timer_ != nullptr) timer_->remove();
    timer_ = nullptr;
  }

  bool step() {
    const Event event = run_.schedule().take_next();
    if (event.kind() == EventKind::inject) {
      if (event.message->inject_s == kNever) {  // its sender has died in the meantime
        if (run_.network().is_fifo()) withdraw_from_order(event.message);
        run_.network().forget_unsent(event.message);
        return true;
      }
      Process& sender = processes_[event.message->from];
      sender.to_put.push_back(event.message);
      wake(sender);
      return true;
    }
    if (!run_.goes_on(event.time_s)) return false;
    run_.set_now_s(std::max(run_.now_s(), event.time_s));
    try {
      run_.carry_out(event);
    } catch (...) {
      failure_ = std::current_exception();  // SimGrid ends first: its frames must not be unwound
    }
    return !failure_;
  }

  // ---- arrivals --------------------------------------------------------------------------------

  void action_ended(const kernel::resource::Action& action) {
    if (action.get_state() != kernel::resource::Action::State::FINISHED) return;
    const auto found = in_network_.find(action.get_activity());
    if (found == in_network_.end()) return;
    Flight* flight = found->second;
    in_network_.erase(found);
    flight->arrived = true;
    run_.set_now_s(std::max(run_.now_s(), s4u::Engine::get_clock()));
    Process& receiver = processes_[flight->message->to];
    take_in(flight->message);
    // A process frees its messages when it sends. One that only receives is woken to do so.
    if (receiver.incoming.size() >= kCleanUpAfter) wake(receiver);
    arm();
  }

  /// On a shared link, a small message can overtake a large one of the same sender and receiver.
  /// Under fifo ordering it then waits for the large one.
  void take_in(Message* message) {
    if (!run_.network().is_fifo()) {
      hand_over(message);
      return;
    }
    message->flags |= kArrived;
    hand_over_in_order(message->from, in_order_[message->to]);
  }

  void withdraw_from_order(Message* message) {
    Pending& pending = in_order_[message->to];
    pending.remove(message);
    hand_over_in_order(message->from,
                       pending);  // what has come meanwhile from its restarted sender
  }

  void hand_over_in_order(ActorId from, Pending& pending) {
    Message* before = nullptr;
    for (Message* next = pending.first; next != nullptr;) {
      Message* const current = next;
      next = current->next;
      if (current->from == from) {
        if ((current->flags & kArrived) == 0) return;
        pending.remove(current, before);
        hand_over(current);
      } else {
        before = current;
      }
    }
  }

  /// SimGrid's links limit the bytes that enter a node per second. This adds LogGP's g: at least
  /// that time passes between two messages that a NIC takes in.
  void hand_over(Message* message) {
    const NodeId node = run_.node_of(message->to);
    const bool is_local = node == run_.node_of(message->from);
    const double taken_in_s = is_local ? run_.now_s() : run_.network().take_in_s(node, 0.0);
    run_.schedule().add(
        taken_in_s + run_.network().unordered_delay_s(message->from) + least_receive_overhead_s_,
        EventKind::arrive, message);
  }

  Runtime run_;
  const double least_receive_overhead_s_ = run_.job().least_receive_overhead_s;
  std::vector<s4u::Host*> hosts_;
  std::vector<Process> processes_;
  std::vector<Pending> in_order_ = std::vector<Pending>(run_.state().actors.size());
  std::deque<Flight> flights_;  ///< stable addresses
  std::vector<Flight*> free_flights_;
  /// Never iterated over, because its order depends on addresses.
  std::unordered_map<const kernel::activity::ActivityImpl*, Flight*> in_network_;
  kernel::timer::Timer* timer_ = nullptr;
  double armed_s_ = 0.0;
  s4u::SemaphorePtr over_;
  std::exception_ptr failure_;  ///< what a handler has thrown
};

RunResult run_on_simgrid(std::shared_ptr<const RunJob> job, audit::RunObserver* observer) {
  return SimGridEngine(std::move(job), observer).run();
}

std::string simgrid_version() {
  return std::to_string(SIMGRID_VERSION_MAJOR) + "." + std::to_string(SIMGRID_VERSION_MINOR) + "." +
         std::to_string(SIMGRID_VERSION_PATCH);
}

}  // namespace faultline::engine
