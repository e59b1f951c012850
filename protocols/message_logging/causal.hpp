// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocols/message_logging/delivery_list.hpp"
#include "protocols/message_logging/logged_layer.hpp"
#include "protocols/message_logging/rank_table.hpp"
#include "sim/core/boxed.hpp"
#include "sim/core/local_events.hpp"

namespace faultline {

/// What the protocols that make determinants have in common: options.
struct DeterminantOptions : MessageLogOptions {
  std::uint64_t determinant_bytes = 56;
  double determinant_s = kDeterminant_s;
};

struct CausalOptions : DeterminantOptions {
  std::string transport = "companion";
  double piggyback_s = kPiggyback_s;
};

/// Simple causal message logging as Charm++ has it: a receiver gives each delivery a ticket. Before
/// it sends to another rank, it sends that rank all its determinants that nobody is known to store.
/// The first acknowledgement of any of them releases it and those before.
class Causal : public LoggedLayer, public OrdersLocalEvents {
 public:
  using Options = CausalOptions;
  Causal(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : LoggedLayer(*options, job, self),
        piggyback_s_(options->piggyback_s),
        sends_companions_(options->transport == "companion"),
        determinant_s_(options->determinant_s),
        determinant_bytes_(options->determinant_bytes) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Causal>(*this);
  }

  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override;
  void fetch_ahead(const Message& message, Ahead what) const override;
  Passage on_local_event(Context& context, const LocalEvent& event) override;
  [[nodiscard]] std::optional<LocalEvent> next_event() const override;
  void leave_out_next(Context& context) override;
  [[nodiscard]] std::string waiting_for() const override;

 protected:
  enum Kind : std::uint16_t { kDeterminants = kLoggedKinds, kDeterminantsStored };

  /// The tickets from that one on were given by that incarnation, up to the next entry of a list.
  struct Tickets {
    std::uint64_t from = 1;
    std::uint16_t incarnation = 0;

    void digest(Digest& into) const { into.add(from, incarnation); }
    friend bool operator==(const Tickets&, const Tickets&) = default;
  };
  using Lives = std::vector<Tickets>;
  /// Determinants on their way. They fit into one cache line, together with what Attachments add.
  struct Carried {
    [[no_unique_address]] DeliveryRun deliveries;
    std::uint32_t epoch = 0;
    Boxed<Lives> lives;  ///< null: all tickets were given by the first incarnation

    void digest(Digest& into) const;
  };
  static_assert(sizeof(Carried) <= 40);
  /// Determinants that one incarnation of their receiver has made.
  struct StoredRun {
    DeliveryRun deliveries;
    std::uint16_t incarnation = 0;
  };
  /// What this rank stores for another, the receiver. What every message looks at lies in one cache
  /// line.
  struct alignas(kCacheLine) Stored {
    struct Earlier {
      std::vector<Determinant> determinants;  ///< reported to this rank, which has restarted
      std::vector<StoredRun> runs;            ///< that their receiver has sent
    };
    Rank rank = kNobody;
    std::uint64_t last = 0;  ///< the highest ticket
    StoredRun newest;        ///< behind all earlier ones; empty at first
    Boxed<Earlier> earlier;
  };
  /// All up to that ticket, and from that of the part before on, are stored there.
  struct Part {
    std::uint64_t last = 0;
    Rank holder = kNobody;

    void digest(Digest& into) const { into.add(last, holder); }
  };

  /// Can the others store a determinant, and not one before it?
  [[nodiscard]] virtual bool may_have_gaps() const { return false; }
  /// Stores determinants of another rank, from that ticket on.
  void keep(Rank receiver, const Carried& carried, std::uint64_t first);
  /// The determinant of one of this rank's own deliveries.
  [[nodiscard]] Determinant determinant_of(std::uint64_t ticket, Rank holder) const;
  // What mutants get wrong.
  virtual void put(Stored& stored, const DeliveryRun& deliveries, std::uint16_t incarnation);
  virtual void store(Context& context, Rank from, const Carried& carried);
  virtual bool is_duplicate(const Message& message);
  /// A message that is new, and not one to be replayed.
  virtual Verdict take(Context& context, Message& message);
  /// The same of something that has happened here.
  virtual Passage take_local(Context& context, const Delivery& event);
  /// Some determinants of this rank are stored.
  virtual void on_stored(Context&, Rank holder, std::uint64_t /*first*/, std::uint64_t last) {
    acknowledged(holder, last);
  }
  [[nodiscard]] bool must_replay() const { return tickets_ < deliveries_.size(); }

  Verdict admit_current(Context& context, Message& message) override;
  /// Companions can be overtaken. What depends on their determinants waits for them.
  [[nodiscard]] bool must_wait(Context& context, const Message& message) override;
  /// What a termination detector sent after its program had asked for a checkpoint is sent again in
  /// the replay. Others have it, so it cannot be kept back for the image.
  [[nodiscard]] bool is_ready() const override { return !has_detector() || !must_replay(); }
  [[nodiscard]] bool hands_up_singly() const override { return has_detector(); }
  bool hand_up_next(Context& context) override;
  std::uint32_t before(Context& context, Message& message) override;
  std::uint32_t before_log(Context& context, Rank to) override;
  [[nodiscard]] bool is_recovering() const override { return !is_up() || must_replay(); }
  [[nodiscard]] std::uint64_t all_deliveries() const override {
    return earlier_deliveries_ + tickets_;
  }
  void report_counts(MetricTotals& totals, double iterations) const override;
  void on_log_message(Context& context, const Message& message) override;
  void on_joined(Context& context, Rank root, RestartReport& report) override;
  void on_reports(Context& context, const RestartReport& reports) override;
  void on_committed(Context& context) override;
  void on_up(Context& context) override;
  void on_resumed(Context& context) override;
  void digest_state(Digest& into) const override;

  /// This rank, which has restarted, stores these determinants of another one again.
  virtual void stored_again(Context&, Rank /*receiver*/, std::uint64_t /*ticket*/) {}
  static Delivery delivery_of(const Message& message) {
    Delivery delivery{channel_of(message), message.logging.get<LoggingStamp>().id};
    delivery.channel.from.rank = message.from;
    return delivery;
  }
  static Delivery delivery_of(const LocalEvent& event);
  /// What has happened here; none if a message was delivered.
  static std::optional<LocalEvent> local_event_of(const Delivery& delivery);
  /// Gives a delivery its ticket, the next one.
  void give_ticket(Context& context, const Delivery& delivery);
  void note_received(Context& context, const Message& message);
  void acknowledged(Rank holder, std::uint64_t ticket);
  /// Tells a rank that this one stores its determinants from ticket `first` to `last`.
  void acknowledge(Context& context, Rank receiver, std::uint64_t first, std::uint64_t last) const;
  /// Attaches determinants of this rank to a message.
  void carry(Attachments& attachments, DeliveryRun deliveries) const;
  [[nodiscard]] Attachments carrying(DeliveryRun deliveries) const;
  /// `carried`: that many deliveries, up to the one with that ticket.
  std::uint32_t send_companion(Context& context, Rank to, std::uint64_t last, std::uint64_t count,
                               Attachments carried);
  [[nodiscard]] std::uint64_t tickets() const { return tickets_; }
  [[nodiscard]] const DeliveryList& deliveries() const { return deliveries_; }
  /// All tickets up to this one are known to be stored by others.
  [[nodiscard]] std::uint64_t stored() const { return newest_part_.last; }

 private:
  [[nodiscard]] DeliveryRun unstored() const;
  [[nodiscard]] std::uint64_t unstored_count() const {
    return tickets_ > stored() ? tickets_ - stored() : 0;
  }
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t deliveries) const;
  void count_senders();
  void replay(Context& context);
  static std::uint16_t giver_of(std::uint64_t ticket, const Lives& lives);
  [[nodiscard]] bool is_void(const Determinant& known) const;
  void end_replay(Context& context);
  void take_carried(Context& context, Incarnation from, const Carried& carried);
  Stored& stored_for(Rank receiver);
  /// All that this rank stores for another.
  [[nodiscard]] std::vector<Determinant> determinants_of(const Stored& stored) const;

  double piggyback_s_;
  bool sends_companions_;
  std::uint64_t piggybacked_ = 0;
  std::uint64_t earlier_deliveries_ = 0;  ///< before the last checkpoint
  std::optional<Attachments> shared_;     ///< by the companions of the sends of one handler
  std::vector<Part> earlier_parts_;       ///< before the newest one, ascending
  DeliveryIndex index_;                   ///< of deliveries_, up to tickets_
  std::vector<std::pair<Incarnation, Carried>> early_;  ///< of later epochs than this rank's
  std::map<Delivery, Message> to_replay_;               ///< have come, and wait for their turn
  // What messages look at, in the order in which protocols that derive from this one go on with it:
  alignas(kCacheLine) RankTable<Stored> stored_;
  double determinant_s_;
  std::uint64_t determinant_bytes_;
  /// Who has given the tickets of deliveries_; empty: the first incarnation.
  alignas(kCacheLine) Lives lives_;
  DeliveryList deliveries_;                 ///< by ticket; behind tickets_ those to be replayed
  std::uint64_t tickets_ = 0;               ///< given out, in this incarnation
  [[no_unique_address]] Part newest_part_;  ///< the last of the tickets that others store, if any
};

template <class Options>
void add_determinant_options(OptionSet<Options>& set) {
  set.option("determinant_bytes", inherited<Options>(&DeterminantOptions::determinant_bytes),
             {.doc = "size of a determinant",
              .unit = "B",
              .source = "Charm++'s struct on a machine of 32 bits, as Intrepid; 72 on 64 bits",
              .maximum = kLargestPart_B})
      .option("determinant_s", inherited<Options>(&DeterminantOptions::determinant_s),
              {.doc = "processor time to make a determinant",
               .unit = "s",
               .source = kLoggingCostSource,
               .minimum = 0,
               .maximum = 1});
}

/// The metrics of protocols that make determinants.
MetricSpecs determinant_metrics();

}  // namespace faultline
