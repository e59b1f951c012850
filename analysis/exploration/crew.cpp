// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/crew.hpp"

#include <utility>

#include "sim/core/ending_thread.hpp"
#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"

namespace faultline::exploration {

namespace {

constexpr std::size_t kStatesOfMember = 512;  ///< in one round
constexpr std::chrono::milliseconds kBetweenQuestions{100};

}  // namespace

Crew::Crew(const ExplorationRequest& request, const std::vector<Start>& starts,
           const SeenStates& seen, std::vector<RankExchange> exchanges, MayGoOn may_go_on)
    : parts_(engine::StepwiseEngine(engine::run_job(request.spec, request.seed, 0))
                 .state()
                 .actors.size()),
      members_(std::max(1U, request.jobs)),
      may_go_on_(std::move(may_go_on)),
      asked_(std::chrono::steady_clock::now()),
      threaded_(members_.size() > 1) {
  if (!exchanges.empty()) exchanged_.emplace(parts_, std::move(exchanges));
  if (!threaded_) {
    members_.front().expander = new_expander(request, starts, seen);
    return;
  }
  for (Member& member : members_)
    member.thread = std::thread([&] { work(member, request, starts, seen); });
}

Crew::~Crew() {
  if (!threaded_) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    wake_.notify_all();
  }
  for (Member& member : members_) member.thread.join();
}

std::unique_ptr<Expander> Crew::new_expander(const ExplorationRequest& request,
                                             const std::vector<Start>& starts,
                                             const SeenStates& seen) {
  return std::make_unique<Expander>(request, starts, seen, parts_, memory_,
                                    exchanged_ ? &*exchanged_ : nullptr, [this] {
                                      if (!threaded_) ask_now_and_then();
                                      return !stopped_;
                                    });
}

/// A thread destroys what it makes, because components come from a storage of their thread.
void Crew::work(Member& member, const ExplorationRequest& request, const std::vector<Start>& starts,
                const SeenStates& seen) {
  const EndingThread ending;
  std::uint64_t turn = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return over_ || turn_ != turn; });
      if (over_) break;
      turn = turn_;
    }
    try {
      if (!member.expander) member.expander = new_expander(request, starts, seen);
      if (member.task) member.task(*member.expander);
    } catch (...) {
      member.error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
  member.expander.reset();
}

void Crew::run_all() {
  if (!threaded_) return members_.front().task(*members_.front().expander);
  {
    std::unique_lock lock(mutex_);
    busy_ = members_.size();
    ++turn_;
    wake_.notify_all();
    while (!done_.wait_for(lock, kBetweenQuestions, [&] { return busy_ == 0; })) {
      lock.unlock();
      ask_now_and_then();
      lock.lock();
    }
  }
  for (Member& member : members_)
    if (member.error) std::rethrow_exception(std::exchange(member.error, nullptr));
}

/// Only the thread of the caller asks: `may_go_on` is not made for other threads.
void Crew::ask_now_and_then() {
  const auto now = std::chrono::steady_clock::now();
  if (stopped_ || now - asked_ < kBetweenQuestions) return;
  asked_ = now;
  stopped_ = !may_go_on_();
}

std::size_t Crew::round() const { return kStatesOfMember * members_.size(); }

StateDigest Crew::digest(const engine::StepwiseEngine& engine) {
  if (!exchanged_) return engine.digest();
  std::vector<std::uint64_t> earlier;
  const auto least = exchanged_->least_digest(parts_.numbers_of(engine.parts()), earlier);
  invariant(least.has_value(), "a state that was seen has parts of which nothing is known");
  return *least;
}

std::size_t Crew::bytes() const {
  std::size_t kept = 0;
  for (const Member& member : members_)
    if (member.expander) kept += member.expander->kept_bytes();
  return parts_.bytes() + memory_.bytes() + kept + (exchanged_ ? exchanged_->bytes() : 0);
}

void Crew::do_until_stopped(const std::function<void()>& work) {
  try {
    work();
  } catch (const SearchStopped&) {
    // Nobody looks at what this round has found.
  }
}

std::vector<Expansion> Crew::begin() {
  std::vector<Expansion> begun(1);
  for (Member& member : members_) member.task = {};
  members_.front().task = [&](Expander& expander) {
    do_until_stopped([&] { begun.front() = expander.begin(); });
  };
  run_all();
  if (stopped_) return {};
  return begun;
}

std::vector<Expansion> Crew::expand(std::span<const WaitingState> states) {
  std::vector<Expansion> expansions(states.size());
  for (std::size_t i = 0; i < members_.size(); ++i)
    members_[i].task = [&, i](Expander& expander) {
      expander.begin_round();
      do_until_stopped([&] {
        for (std::size_t place = 0; place < states.size(); ++place)
          if (owner(place, states.size()) == i) expansions[place] = expander.expand(states[place]);
      });
    };
  run_all();
  if (stopped_) return {};
  for (Member& member : members_) memory_.take_over(member.expander->memory());
  return expansions;
}

}  // namespace faultline::exploration
