#include "protocols/termination/hcda_mattern.hpp"

namespace faultline {

namespace {

using namespace hcda;

/// 2^-Y modulo the auditor's modulus 2^61 - 1, where 2 has an inverse since 2^61 is 1.
std::int64_t residue(std::uint64_t exponent) {
  return std::int64_t{1} << ((61 - exponent % 61) % 61);
}

}  // namespace

void PowerSum::add(std::uint64_t exponent) {
  if (fraction_.size() < exponent) fraction_.resize(exponent);
  while (exponent > 0 && fraction_[exponent - 1]) {  // two of a power make one of the next
    fraction_[--exponent] = false;
    --ones_;
  }
  if (exponent == 0) {
    ++whole_;
  } else {
    fraction_[exponent - 1] = true;
    ++ones_;
  }
}

std::optional<std::uint64_t> PowerSum::whole() const {
  return ones_ == 0 ? std::optional(whole_) : std::nullopt;
}

// The paper's unit is the initial credit times 2^q, with 2^(q-1) < P <= 2^q. Here it is the initial
// credit of one process, so that exponents start at 0 and C_total is P: the same up to a factor.
HcdaMattern::HcdaMattern(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)), tree_{job.processes}, self_(self) {}

std::unique_ptr<Component> HcdaMattern::clone() const {
  return std::make_unique<HcdaMattern>(*this);
}

// "Sending a message splits the weight by incrementing Y": both halves have the new one.
void HcdaMattern::on_sends(Context& context, std::span<Message* const> batch, bool) {
  if (!exponent_) {
    context.fatal("a process without credit sent a message");
    return;
  }
  for (Message* message : batch) {
    message->termination = {++*exponent_, 1};
    context.forward(*message);
  }
}

// "An active node receiving a basic message returns the message-carried credit to the collecting
// agent"; an idle one keeps it.
Passage HcdaMattern::on_receive(Context& context, Message& message) {
  const std::uint64_t carried = message.termination.first;
  message.termination = {};
  if (exponent_)
    give_to_agent(context, carried);
  else
    exponent_ = carried;
  return Passage::deliver;
}

void HcdaMattern::on_idle(Context& context) {
  if (exponent_) {
    give_to_agent(context, *exponent_);
    exponent_.reset();
  }
  if (is_agent()) detect(context);
}

void HcdaMattern::give_to_agent(Context& context, std::uint64_t exponent) {
  if (is_agent()) {
    take_back(exponent);
    return;
  }
  ++flushes_;
  context.send(0, kFlush, options_->control_bytes).payload.put(exponent);
}

void HcdaMattern::take_back(std::uint64_t exponent) {
  returned_.add(exponent);
  returned_residue_ = (returned_residue_ + residue(exponent)) % kConservedModulus;
}

void HcdaMattern::on_message(Context& context, const Message& message) {
  if (message.kind == kAnnounce) {
    announce(context);
    return;
  }
  take_back(message.payload.get<std::uint64_t>());
  if (!context.active()) detect(context);
}

void HcdaMattern::detect(Context& context) {
  if (returned_.whole() == tree_.processes) announce(context);
}

void HcdaMattern::announce(Context& context) {
  tree_.for_each_child(
      self_, [&](Rank child) { context.send(child, kAnnounce, options_->control_bytes); });
  context.announce();
}

std::optional<Conserved> HcdaMattern::conserved() const {
  const std::int64_t held = exponent_ ? residue(*exponent_) : 0;
  return Conserved{(held + returned_residue_) % kConservedModulus,
                   is_agent() ? std::int64_t{tree_.processes} : 0};
}

std::int64_t HcdaMattern::conserved_in(const Message& message) const {
  if (message.channel == Family::workload)
    return message.termination.second == 1 ? residue(message.termination.first) : 0;
  const bool carries = message.channel == Family::termination && message.kind == kFlush;
  return carries ? residue(message.payload.get<std::uint64_t>()) : 0;
}

void HcdaMattern::report(Metrics& metrics) const {
  metrics.add("borrows", 0);
  metrics.add("flushes", static_cast<double>(flushes_));
  metrics.add("delayed_messages", 0);
}

std::string HcdaMattern::waiting_for() const {
  return is_agent() && returned_.whole() != tree_.processes ? "credit to come back" : "";
}

}  // namespace faultline
