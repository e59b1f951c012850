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

// The protocols of message logging with one mistake each.

namespace faultline::test {

template <class Mutant, class Protocol>
class MutantOf : public Protocol {
 public:
  using Protocol::Protocol;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Mutant>(static_cast<const Mutant&>(*this));
  }
};

/// Acknowledges every determinant, and stores two of three.
class DropsADeterminant final : public MutantOf<DropsADeterminant, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  void put(Stored& stored, const DeliveryRun& all, std::uint16_t incarnation) override {
    for (std::uint64_t ticket = all.first(); ticket <= all.last(); ++ticket)
      if (ticket % 3 != 0) Causal::put(stored, all.from(ticket).up_to(ticket), incarnation);
  }
};

/// Acknowledges every determinant when it comes, and stores it when the next one of its receiver
/// comes.
class AcknowledgesBeforeItStores final : public MutantOf<AcknowledgesBeforeItStores, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  void put(Stored& stored, const DeliveryRun& all, std::uint16_t incarnation) override {
    for (std::uint64_t ticket = all.first(); ticket <= all.last(); ++ticket) {
      std::optional<StoredRun>& late = late_[stored.rank];
      if (late && late->deliveries.first() + 1 == ticket)
        Causal::put(stored, late->deliveries, late->incarnation);
      late = {all.from(ticket).up_to(ticket), incarnation};
    }
  }
  void digest_state(Digest& into) const override {
    MutantOf::digest_state(into);
    for (const auto& [receiver, late] : late_)
      into.add(receiver, late->deliveries, late->incarnation);
  }
  std::map<Rank, std::optional<StoredRun>> late_;
};

class KnowsNoDuplicates final : public MutantOf<KnowsNoDuplicates, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  bool is_duplicate(const Message&) override { return false; }
};

class HasNoDuplicateTable final : public MutantOf<HasNoDuplicateTable, Fast> {
 public:
  using MutantOf::MutantOf;

 private:
  bool is_new(Context& context, const Message& message) override {
    Fast::is_new(context, message);
    return true;
  }
};

/// Does not wait for a message's turn, since it ignores what it hears of its own deliveries.
class ReplaysAsMessagesArrive final : public MutantOf<ReplaysAsMessagesArrive, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  void on_reports(Context& context, const RestartReport& reports) override {
    RestartReport others = reports;
    std::erase_if(others.determinants,
                  [this](const Determinant& known) { return known.receiver == self(); });
    Causal::on_reports(context, others);
  }
};

/// Lets computations end as they come, also in a replay.
class OrdersNoComputations final : public MutantOf<OrdersNoComputations, Causal> {
 public:
  using MutantOf::MutantOf;
  Passage on_local_event(Context&, const LocalEvent&) override { return Passage::deliver; }
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
  void on_reports(Context& context, const RestartReport& reports) override {
    RestartReport some = reports;
    if (!some.determinants.empty())
      std::erase_if(some.determinants, [&](const Determinant& known) {
        return known.receiver == self() && known.holder != reports.determinants.front().holder;
      });
    Causal::on_reports(context, some);
  }
};

/// Logs a message when it is sent for the first time only.
class DoesNotLogAgain final : public MutantOf<DoesNotLogAgain, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  void log(const Peer& to, const Message& message, std::uint64_t identity) override {
    if (has_recovered()) Causal::log(to, message, identity);
  }
};

/// A keeper has one image of each client.
class DropsTheOldImage final : public MutantOf<DropsTheOldImage, CheckpointRestart> {
 public:
  using MutantOf::MutantOf;

 private:
  void keep_image(Incarnation client, const Checkpoint& checkpoint) override {
    images().put_committed(client, checkpoint);
  }
};

class ChecksNoIncarnation final : public MutantOf<ChecksNoIncarnation, Causal> {
 public:
  using MutantOf::MutantOf;

 private:
  [[nodiscard]] bool is_of_old_incarnation(Context&, const Message&) const override {
    return false;
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
inline Mutation in_place_of(const Registration& mutant) {
  return [&mutant](RunSpec& spec) {
    spec.components[index_of(Family::message_logging)].registration = &mutant;
  };
}

}  // namespace faultline::test
