#include "workloads/collectives.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

std::vector<RecursiveDoubling::Send> RecursiveDoubling::begin(double value) {
  ++operation_;
  step_ = 0;
  sum_ = value;
  done_ = false;
  waits_for_fold_ = has_partner();
  std::vector<Send> sends;
  if (folds())
    sends.push_back({self_ - core_, part(kFold)});
  else if (core_ > 1 && !waits_for_fold_)
    sends.push_back({self_ ^ 1U, part(0)});
  const auto more = advance();
  sends.insert(sends.end(), more.begin(), more.end());
  return sends;
}

std::vector<RecursiveDoubling::Send> RecursiveDoubling::take(const CollectivePart& part) {
  early_.push_back(part);
  return advance();
}

/// Uses up the parts whose turn it is.
std::vector<RecursiveDoubling::Send> RecursiveDoubling::advance() {
  std::vector<Send> sends;
  while (!done_) {
    const auto last = static_cast<std::uint32_t>(std::countr_zero(core_));
    if (!folds() && !waits_for_fold_ && step_ == last) {
      done_ = true;
      if (has_partner()) sends.push_back({self_ + core_, part(kUnfold)});
      break;
    }
    const std::uint32_t awaited = folds() ? kUnfold : waits_for_fold_ ? kFold : step_;
    const auto next = std::find_if(early_.begin(), early_.end(), [&](const CollectivePart& p) {
      return p.operation == operation_ && p.step == awaited;
    });
    if (next == early_.end()) break;
    const double value = next->sum;
    early_.erase(next);
    if (folds()) {
      sum_ = value;
      done_ = true;
      break;
    }
    sum_ += value;
    if (waits_for_fold_)
      waits_for_fold_ = false;
    else
      ++step_;
    if (step_ < last) sends.push_back({self_ ^ (1U << step_), part(step_)});
  }
  return sends;
}

// Early parts are looked up by operation and step.
void RecursiveDoubling::digest(Digest& into) const {
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<std::pair<Place, double>> early;
  early.reserve(early_.size());
  for (const CollectivePart& part : early_)
    early.emplace_back(Place(part.operation, part.step), part.sum);
  into.add(operation_, step_, waits_for_fold_, done_, sum_);
  into.add_sorted(early);
}

}  // namespace faultline
