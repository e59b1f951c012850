// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/truth/ground_truth.hpp"

#include <memory>
#include <string>

#include "sim/core/transaction_requests.hpp"

namespace faultline::engine {

namespace {

bool has_objects(const RunJob& job) {
  const Registration* workload = job.spec.component(Family::workload).registration;
  return workload != nullptr && workload->as<WorkloadTraits>().has_objects;
}

}  // namespace

GroundTruth::GroundTruth(const RunJob& job)
    : processes_(job.shape.processes),
      has_objects_(has_objects(job)),
      awaits_announcement_(job.awaits_announcement),
      detector_is_accurate_(job.detector_is_accurate),
      auditor_(job.shape.processes) {
  if (job.audits_channels) channels_.emplace(processes_);
  if (job.spec.component(Family::transactions).registration == nullptr) return;
  blocks_.emplace(processes_);
  recovery_.emplace(processes_);
}

// ---- what programs do -------------------------------------------------------------------------

/// A message that a layer relays has another sender, but the same objects.
void GroundTruth::enter(Rank rank, const Message& message, bool sent) {
  const Endpoint from = Endpoint::of(message.from, message.from_object, has_objects_);
  const Endpoint to = Endpoint::of(message.to, message.to_object, has_objects_);
  Message said = message;
  said.bytes = 0;  // layers add what they attach
  if (sent)
    channels_->sent(rank, from, to, said);
  else
    channels_->consumed(rank, from, to, said);
}

void GroundTruth::announced(Rank rank, std::uint32_t phase, double now_s,
                            const AtAnnouncement& at) {
  auditor_.announced(rank, phase, now_s, [&] {
    if (channels_ && channels_->was_over(rank, at.is_active)) return true;
    if (!auditor_.dooms_any() || !at.only_doomed_go_on()) return false;
    unsettled_ = {"premature", now_s, rank,
                  "announced with " + auditor_.what_goes_on() +
                      ", of ranks that were declared dead, and one of the messages was handled"};
    return true;
  });
}

void GroundTruth::settle(Incarnation receiver, const Message& message) {
  if (!auditor_.is_doomed({message.from, message.from_incarnation}) || auditor_.is_doomed(receiver))
    return;
  auditor_.violation(unsettled_->kind, unsettled_->actor, unsettled_->detail, unsettled_->time_s);
  unsettled_.reset();
}

std::optional<std::string> GroundTruth::hears_of_block(
    Incarnation rank, const StackRequest& request, const audit::BlockLedgers::IsAlive& is_alive) {
  const Family program = request.is_answer ? request.to : request.from;
  const Family layer = request.is_answer ? request.from : request.to;
  if (program != Family::workload || layer != Family::transactions) return std::nullopt;
  if (auditor_.is_doomed(rank)) return std::nullopt;  // whatever it is told, it survives nothing
  const auto survives = [&](Incarnation other) {
    return is_alive(other) && !auditor_.is_doomed(other);
  };
  if (!request.is_answer) {
    if (request.is<FinishBlock>()) blocks_->finished(rank, request.get<FinishBlock>());
  } else if (request.is<BlockOutcome>()) {
    return blocks_->learned(rank, request.get<BlockOutcome>(), survives);
  } else if (request.is<FailedGroup>()) {
    return blocks_->told(rank, request.number, request.get<FailedGroup>(), [&](Incarnation other) {
      return is_alive(other) && !auditor_.is_falsely_reported(other);
    });
  } else if (request.is<WorldPart>()) {
    blocks_->told_of(rank, request.get<WorldPart>());
  } else if (request.is<WorldEntered>()) {
    return blocks_->entered(rank, request.get<WorldEntered>());
  }
  return std::nullopt;
}

void GroundTruth::marked(ActorId actor, const char* name, std::int64_t value, std::uint32_t living,
                         double now_s) {
  if (recovery_ && recovery_->is_under_way()) recovery_->marked(actor, name, value, living, now_s);
}

void GroundTruth::replayed(std::uint64_t resent, std::uint64_t discarded) {
  auditor_.resent(resent);
  auditor_.discarded(discarded);
  audits_conserved_ = false;
}

// ---- deaths, restarts, images -----------------------------------------------------------------

void GroundTruth::died(Incarnation dead, bool was_active, bool had_started, double now_s,
                       Incarnation daemon) {
  if (is_rank(dead.actor)) {
    if (!had_started)
      auditor_.never_started();
    else if (channels_ && awaits_announcement_)
      channels_->goes_back(dead.actor, was_active);
    if (recovery_) recovery_->died(dead.actor, now_s, auditor_.is_falsely_reported(dead));
  }
  auditor_.died(dead, is_rank(dead.actor), was_active, now_s, daemon);
}

void GroundTruth::declared_dead(ActorId by, Incarnation peer, double now_s) {
  const std::uint64_t false_reports = auditor_.false_reports();
  auditor_.declared_dead(by, peer, detector_is_accurate_, now_s);
  if (!recovery_) return;
  if (auditor_.false_reports() > false_reports) recovery_->died(peer.actor, now_s);
  if (is_rank(by)) recovery_->told(now_s);
}

void GroundTruth::restarted(Incarnation actor) {
  if (channels_ && is_rank(actor.actor)) channels_->put_back(actor.actor, {});
  auditor_.restarted(actor, is_rank(actor.actor));
}

void GroundTruth::put_back(Rank rank, bool starts, bool was_active, const RankLedger& ledger) {
  audits_conserved_ = false;
  if (!channels_) return;
  if (!starts && awaits_announcement_) channels_->goes_back(rank, was_active);
  channels_->put_back(rank, ledger);
}

std::shared_ptr<const EndpointLedger> GroundTruth::ledger_of(Rank rank, ObjectId object) const {
  if (!channels_) return nullptr;
  return std::make_shared<const EndpointLedger>(channels_->of(rank, {.object = object}));
}

void GroundTruth::hosted(Rank rank, const PackedObject& packed) {
  if (channels_ && packed.ledger) channels_->host(rank, {.object = packed.object}, *packed.ledger);
}

void GroundTruth::removed(Rank rank, ObjectId object) {
  if (channels_) channels_->remove(rank, {.object = object});
}

void GroundTruth::add_ledgers(Digest& into) const {
  if (channels_) into.add(*channels_);
  if (blocks_) into.add(*blocks_);
  into.add(is_unsettled());
}

}  // namespace faultline::engine
