// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "analysis/lemmas/lemma_search.hpp"
#include "protocols/message_logging/causal.hpp"
#include "protocols/message_logging/checkpoint_restart.hpp"
#include "protocols/message_logging/fast.hpp"
#include "sim/core/registry.hpp"

// The protocols of message logging with one mistake each: a step of theirs goes wrong, or what one
// of their parts holds.

namespace faultline::message_logging {

template <class Mutant, class Protocol>
class MutantOf : public Protocol {
 public:
  using Protocol::Protocol;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Mutant>(static_cast<const Mutant&>(*this));
  }
};

/// Changes what a Causal stores for others whenever it may have stored something.
template <class Mutant>
class MutantStore : public MutantOf<Mutant, Causal> {
 public:
  using MutantOf<Mutant, Causal>::MutantOf;
  void on_message(RecoveryContext& context, const Message& message) override {
    Causal::on_message(context, message);
    change_stored();
  }
  void on_request(RecoveryContext& context, const StackRequest& request) override {
    Causal::on_request(context, request);
    change_stored();
  }

 private:
  void change_stored() {
    for (StoredFor& stored : this->determinants_.others.receivers())
      static_cast<Mutant&>(*this).change(stored);
  }
};

/// The tickets of these runs that are wanted, each in a run of its own.
template <class IsWanted>
std::vector<StoredRun> some_of(const std::vector<StoredRun>& runs, IsWanted is_wanted) {
  std::vector<StoredRun> some;
  for (const StoredRun& run : runs)
    run.deliveries.for_each([&](std::uint64_t ticket, const Delivery&) {
      if (is_wanted(ticket))
        some.push_back({run.deliveries.from(ticket).up_to(ticket), run.incarnation});
    });
  return some;
}

/// Acknowledges every determinant, and stores two of three.
class DropsADeterminant final : public MutantStore<DropsADeterminant> {
 public:
  using MutantStore::MutantStore;
  static void change(StoredFor& stored) {
    stored.runs = some_of(stored.runs, [](std::uint64_t ticket) { return ticket % 3 != 0; });
  }
};

/// Acknowledges every determinant when it comes, and stores it when the next one of its receiver
/// comes.
class AcknowledgesBeforeItStores final : public MutantStore<AcknowledgesBeforeItStores> {
 public:
  using MutantStore::MutantStore;
  void change(StoredFor& stored) {
    std::vector<StoredRun>& late = late_[stored.rank];
    stored.runs.insert(stored.runs.end(), late.begin(), late.end());
    late = some_of(stored.runs, [&](std::uint64_t ticket) { return ticket == stored.last; });
    stored.runs = some_of(stored.runs, [&](std::uint64_t ticket) { return ticket != stored.last; });
  }

 private:
  void on_committed(RecoveryContext& context) override {
    late_.clear();
    MutantStore::on_committed(context);
  }
  void digest_state(Digest& into) const override {
    MutantStore::digest_state(into);
    for (const auto& [receiver, late] : late_)
      for (const StoredRun& run : late) into.add(receiver, run.deliveries, run.incarnation);
  }
  std::map<Rank, std::vector<StoredRun>> late_;
};

class KnowsNoDuplicates final : public MutantOf<KnowsNoDuplicates, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  Admission admit(RecoveryContext& context, Message& message) override {
    const Admission as_usual = Causal::admit(context, message);
    if (as_usual != Admission::discard || program_.turn_away(context, message)) return as_usual;
    const Delivery again = delivery_of(message);
    if (determinants_.own.must_replay()) {
      replay_.add(again, message);
      return Admission::kept;
    }
    determinants_.own.give_ticket(again);
    return Admission::deliver;
  }
};

class HasNoDuplicateTable final : public MutantOf<HasNoDuplicateTable, Fast> {
 public:
  using MutantOf::MutantOf;

 private:
  Admission admit(RecoveryContext& context, Message& message) override {
    const Admission as_usual = Fast::admit(context, message);
    const bool is_again = as_usual == Admission::discard && !program_.turn_away(context, message);
    return is_again ? Admission::deliver : as_usual;
  }
};

/// Does not wait for a message's turn, since it ignores what it hears of its own deliveries.
class ReplaysAsMessagesArrive final : public MutantOf<ReplaysAsMessagesArrive, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  void on_reports(RecoveryContext& context, const RestartReport& reports) override {
    RestartReport others = reports;
    std::erase_if(others.determinants,
                  [this](const Determinant& known) { return known.receiver == self_; });
    Causal::on_reports(context, others);
  }
};

/// Lets computations end as they come, also in a replay.
class OrdersNoComputations final : public MutantOf<OrdersNoComputations, Causal> {
 public:
  using MutantOf::MutantOf;
  Passage on_local_event(RecoveryContext&, const LocalEvent&) override { return Passage::deliver; }
};

/// Takes part in a checkpoint while it replays.
class TakesImagesInReplays final : public MutantOf<TakesImagesInReplays, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  [[nodiscard]] bool is_ready() const override { return true; }
};

/// Begins to replay when the first has told what it knows.
class DoesNotWaitForAllDeterminants final : public MutantOf<DoesNotWaitForAllDeterminants, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  void on_reports(RecoveryContext& context, const RestartReport& reports) override {
    RestartReport some = reports;
    if (!some.determinants.empty())
      std::erase_if(some.determinants, [&](const Determinant& known) {
        return known.receiver == self_ && known.holder != reports.determinants.front().holder;
      });
    Causal::on_reports(context, some);
  }
};

/// Logs a message when it is sent for the first time only.
class DoesNotLogAgain final : public MutantOf<DoesNotLogAgain, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  void stamp(RecoveryContext& context, Message& message) override {
    if (repeats_.has_recovered()) return Causal::stamp(context, message);
    const MessageLog before = log_.messages();
    Causal::stamp(context, message);
    log_.messages() = before;
  }
};

/// A keeper has one image of each client.
class DropsTheOldImage final : public MutantOf<DropsTheOldImage, CheckpointRestart> {
 public:
  using MutantOf::MutantOf;
  void on_message(RecoveryContext& context, const Message& message) override {
    CheckpointRestart::on_message(context, message);
    checkpoints::ImageStore& store = program_.images().store();
    for (checkpoints::KeptImages& kept : store.clients()) {
      if (kept.pending) store.put_committed({kept.rank, kept.sent_to}, *kept.pending);
      kept.pending.reset();
    }
  }
};

/// Takes every message for one of the latest incarnation of its sender.
class ChecksNoIncarnation final : public MutantOf<ChecksNoIncarnation, Causal> {
 public:
  using MutantOf::MutantOf;
  void on_message(RecoveryContext& context, const Message& message) override {
    Message latest = message;
    latest.from_incarnation = number_of(context, message);
    Causal::on_message(context, latest);
  }
  Passage on_receive(RecoveryContext& context, Message& message) override {
    const std::uint16_t number = message.from_incarnation;
    message.from_incarnation = number_of(context, message);
    const Passage passage = Causal::on_receive(context, message);
    message.from_incarnation = number;
    return passage;
  }

 private:
  std::uint16_t number_of(const RecoveryContext& context, const Message& message) const {
    return message.from == self_ ? message.from_incarnation : context.known(message.from).number;
  }
};

/// The registration of a mutant in the place of the protocol's. Of its options, only those by which
/// the searches let `fast` differ are read.
template <class Mutant>
const Registration& mistaken(const std::string& protocol) {
  static Registration registration;
  registration = *find_registration(Family::message_logging, protocol);
  registration.make = [](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    const auto options = std::make_shared<typename Mutant::Options>();
    if constexpr (std::is_base_of_v<Fast, Mutant>) {
      options->helpers = static_cast<std::uint32_t>(std::get<std::int64_t>(values.at("helpers")));
      options->identifier = std::get<std::string>(values.at("identifier"));
    }
    return [options, job](ActorId self) { return std::make_unique<Mutant>(options, job, self); };
  };
  return registration;
}

/// Puts a mutant in the place of the protocol.
inline lemmas::Mutation in_place_of(const Registration& mutant) {
  return [&mutant](scenario::RunSpec& spec) {
    spec.components[index_of(Family::message_logging)].registration = &mutant;
  };
}

}  // namespace faultline::message_logging
