// What a termination detector that tolerates deaths still promises when the failure detector errs:
// one live rank of three is declared dead by one other, at any moment. The table of
// docs/explore.md.

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "analysis/exploration/exploration.hpp"
#include "tests/support/job.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// Reports every death, as `oracle` does. One rank says of a live one, some time, that it is dead.
/// If it spreads that, the others believe it, and so does the accused, which stops.
class Erring final : public Detector {
 public:
  Erring(ActorId self, Rank reporter, Rank about, bool spreads)
      : reports_(self == reporter), about_(about), spreads_(spreads) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Erring>(*this);
  }
  void start(Context& context) override {
    if (reports_) context.set_timer(0, 0);
  }
  void on_timer(Context& context, std::uint64_t) override {
    context.report_failed(about_);
    if (!spreads_) return;
    for (Rank rank = 0; rank < context.job().processes; ++rank)
      if (rank != context.self()) context.send(rank, 0, 8);
  }
  void on_message(Context& context, const Message&) override { context.report_failed(about_); }
  void on_exit_notice(Context& context, Incarnation dead) override { context.report_failed(dead); }

 private:
  void digest_state(Digest&) const override {}
  bool reports_;
  Rank about_;
  bool spreads_;
};

using Ends = std::set<std::string>;

/// How runs end, whoever errs about whom.
Ends ends(const std::string& detector, bool spreads) {
  Ends words;
  for (Rank reporter = 0; reporter < 3; ++reporter)
    for (Rank about = 0; about < 3; ++about) {
      if (reporter == about) continue;
      Job job(3);
      job.workload("random-tree", {{"most_messages", 2}, {"choices", std::string("all")}});
      job.detector(detector);
      job.own(
          Family::failure_detection,
          [=](ActorId self) { return std::make_unique<Erring>(self, reporter, about, spreads); },
          {.exit_notice = ExitNotice{}});
      ExplorationRequest request{.spec = explored_spec(job.spec)};
      request.goal = Goal{.name = "nothing"};
      const ExplorationResult result = explore(request);
      CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
      for (const auto& [word, count] : result.ends) words.insert(word);
    }
  return words;
}

}  // namespace

TEST_CASE("what detectors of termination promise when a live rank is declared dead") {
  const Ends adoption = {"terminated", "fatal-reported", "premature"};
  const std::map<std::string, Ends> expected = {
      {"indep", adoption},
      {"rel-lazy", adoption},
      {"rel-eager", adoption},
      {"lai-wu", {"terminated", "fatal-reported", "premature", "broken-invariant"}},
      {"venkatesan", {"terminated", "premature"}}};
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination || !detector.traits.tolerates_faults) continue;
    INFO(detector.name);
    Ends all = expected.at(detector.name);
    CHECK(ends(detector.name, true) == all);
    all.insert("hung");  // the accused works on, and the reporter hears nothing of it
    CHECK(ends(detector.name, false) == all);
  }
}
