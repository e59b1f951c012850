// The points in which a paper's text is wrong, each as an option: in a small job, the shortest run
// that goes wrong as printed, and no such run with the protocol as it stands here. docs/gallery.md
// tells of these runs.

#include <algorithm>
#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <vector>

#include "protocols/termination/adoption.hpp"
#include "tests/protocols/termination/by_hand.hpp"
#include "tests/support/breadth_first.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// A small job, and what may die in it.
struct Case {
  std::uint32_t processes;
  std::vector<Doing> doings;
  Bounds bounds = {};
  Ordering ordering = Ordering::fifo;
};

void set_up(Job& job, const Case& small, const std::string& detector, const OptionValues& options) {
  follow(job, small.doings, true);
  job.detector(detector, options);
  if (small.bounds.deaths > 0) job.use(Family::failure_detection, "oracle");
  job.spec.platform.ordering = small.ordering;
}

OptionValues with_point(OptionValues options, const std::string& point) {
  options["as_printed"] = ChosenWords{point};
  return options;
}

std::string in_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append("\n  ").append(line);
  return text;
}

/// As printed, the shortest run that ends as `wanted` has so many steps; as corrected, no run does,
/// and none ends in another way that it should not.
void check_point(const Case& small, const std::string& detector, const std::string& point,
                 const std::string& wanted, std::size_t steps, const OptionValues& options = {}) {
  INFO(detector << " as printed: " << point);
  Job printed(small.processes);
  set_up(printed, small, detector, with_point(options, point));
  BreadthFirst search(printed, small.bounds);
  const Searched found = search.search(wanted);
  INFO(found.states << " states, " << found.transitions << " transitions");
  REQUIRE(found.found);
  INFO(in_lines(search.told(found.shortest)));
  CHECK(found.shortest.size() == steps);

  Job corrected(small.processes);
  set_up(corrected, small, detector, options);
  const Searched all = BreadthFirst(corrected, small.bounds).search();
  INFO("corrected: " << all.states << " states, " << all.transitions << " transitions, depth "
                     << all.depth);
  CHECK((all.exhausted || small.bounds.depth == all.depth));
  for (const auto& [end, runs] : all.ends) {
    INFO(end << ": " << runs);
    CHECK((end == "terminated" || (end == "fatal-reported" && wanted != "fatal-reported")));
  }
  CHECK(all.ends.count("terminated") == 1);
}

}  // namespace

TEST_CASE("as printed, the cornet: two messages of its parent, and a process never disengages") {
  const Case two_messages{
      .processes = 2,
      .doings = {{.rank = 0, .sends = {{1, 1}, {1, 2}}}, {.rank = 1, .on = 1, .compute_s = 1}}};
  for (const char* detector : {"dijkstra-scholten", "indep", "rel-lazy", "rel-eager"})
    check_point(two_messages, detector, "cornet", "hung", 3);
}

TEST_CASE("as printed, a grandchild answers before it has flushed the dead") {
  const Case chain{
      .processes = 3,
      .doings = {{.rank = 0, .sends = {{1, 1}}}, {.rank = 1, .on = 1, .sends = {{2, 2}}}},
      .bounds = {.deaths = 1, .victims = {1}}};
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"})
    check_point(chain, detector, "child-flush", "premature", 6);
}

TEST_CASE("as printed, engagements have no numbers, and a process adopts its own ancestor") {
  const Case twice{.processes = 4,
                   .doings = {{.rank = 0, .sends = {{2, 1}}},
                              {.rank = 2, .on = 1, .sends = {{1, 2}}},
                              {.rank = 1, .on = 2, .sends = {{3, 3}}},
                              {.rank = 3, .on = 3, .sends = {{0, 4}}},
                              {.rank = 0, .on = 4, .sends = {{1, 5}}},
                              {.rank = 1, .on = 5, .sends = {{3, 6}}},
                              {.rank = 3, .on = 6, .sends = {{2, 7}}},
                              {.rank = 2, .on = 7, .sends = {{1, 8}}, .compute_s = 1}},
                   .bounds = {.deaths = 1, .victims = {1}},
                   .ordering = Ordering::unordered};
  check_point(twice, "indep", "old-notes", "premature", 19);
}

TEST_CASE("as printed, what comes after a debt was paid counts for the next one") {
  const Case again{.processes = 4,
                   .doings = {{.rank = 0, .sends = {{1, 1}, {3, 3}}},
                              {.rank = 1, .on = 1, .sends = {{2, 2}}},
                              {.rank = 3, .on = 3, .sends = {{0, 4}}},
                              {.rank = 0, .on = 4, .sends = {{1, 5}}}},
                   .bounds = {.deaths = 2, .victims = {1, 2}},
                   .ordering = Ordering::unordered};
  check_point(again, "indep", "late-notes", "needless-fatal", 10);
}

TEST_CASE("as printed, nobody tells the new grandparent that an adopted process is interior") {
  const Case chain{
      .processes = 5,
      .doings = {{.rank = 0, .sends = {{1, 1}}},
                 {.rank = 1, .on = 1, .sends = {{2, 2}}},
                 {.rank = 2, .on = 2, .sends = {{3, 3}}},
                 {.rank = 3, .on = 3, .sends = {{4, 4}}},
                 {.rank = 4, .on = 4, .compute_s = 1}},
      .bounds = {.deaths = 3, .victims = {1, 2, 3}, .strike = Bounds::Strike::together_in_calm}};
  check_point(chain, "rel-eager", "silent-adoption", "premature", 24);
  // The root has seen the first of the dead become interior. As printed, and under RELLAZY, it is
  // not told that it has been recovered from, and gives up before it comes to the adopted process.
  const auto early = [&](const std::string& detector, const ChosenWords& points,
                         const OptionValues& options) {
    Job job(chain.processes);
    OptionValues chosen = options;
    chosen["as_printed"] = points;
    set_up(job, chain, detector, chosen);
    const Searched all = BreadthFirst(job, chain.bounds).search();
    CHECK(all.exhausted);
    CHECK(all.ends.count("fatal-reported") == 1);
    return all.ends.count("premature") == 1;
  };
  CHECK(early("rel-eager", {"silent-adoption"}, {}));
  CHECK_FALSE(early("rel-eager", {"silent-adoption", "window"}, {}));
}

namespace {

/// As in REL as printed, an adopted process does not tell its new grandparent that it is interior.
void silent_adoption(Job& job) {
  job.script(Family::message_logging, [](ActorId) {
    return Handlers{.sends = [](Context& context, std::span<Message* const> batch, bool) {
      const bool adopted = std::any_of(batch.begin(), batch.end(), [](const Message* message) {
        return message->channel == Family::termination && message->kind == kReplyToGrandparent;
      });
      for (Message* message : batch)
        if (!adopted || message->channel != Family::termination || message->kind != kInformInterior)
          context.forward(*message);
    }};
  });
}

}  // namespace

TEST_CASE(
    "under RELLAZY it does no harm that an adopted process tells nobody that it is interior") {
  for (const char* mode : {"strict", "fallback"})
    for (const bool silent : {false, true}) {
      Job job(5);
      const Case chain{
          .processes = 5,
          .doings = {{.rank = 0, .sends = {{1, 1}}},
                     {.rank = 1, .on = 1, .sends = {{2, 2}}},
                     {.rank = 2, .on = 2, .sends = {{3, 3}}},
                     {.rank = 3, .on = 3, .sends = {{4, 4}}},
                     {.rank = 4, .on = 4, .compute_s = 1}},
          .bounds = {
              .deaths = 3, .victims = {1, 2, 3}, .strike = Bounds::Strike::together_in_calm}};
      set_up(job, chain, "rel-lazy", {{"adopted_child_fails", std::string(mode)}});
      if (silent) silent_adoption(job);
      const Searched all = BreadthFirst(job, chain.bounds).search();
      INFO(mode << (silent ? ", silent" : ""));
      CHECK(all.exhausted);
      CHECK(all.ends.count("premature") == 0);
      CHECK(all.ends.count("hung") == 0);
    }
}

TEST_CASE("RELLAZY as printed gives up at two deaths that come one after the other") {
  const Case chain{.processes = 3,
                   .doings = {{.rank = 0, .sends = {{1, 1}}},
                              {.rank = 1, .on = 1, .sends = {{2, 2}}},
                              {.rank = 2, .on = 2, .compute_s = 1}},
                   .bounds = {.deaths = 2, .victims = {1, 2}, .strike = Bounds::Strike::in_calm}};
  const auto gives_up = [&](const char* mode) {
    Job job(chain.processes);
    set_up(job, chain, "rel-lazy", {{"adopted_child_fails", std::string(mode)}});
    const Searched all = BreadthFirst(job, chain.bounds).search();
    CHECK(all.exhausted);
    CHECK(all.ends.count("terminated") == 1);
    return all.ends.size() == 2 && all.ends.count("fatal-reported") == 1;
  };
  CHECK(gives_up("strict"));
  CHECK_FALSE(gives_up("fallback"));
}

TEST_CASE("as printed, the aggregated response leaves out whom a message is on its way to") {
  const Case chain{.processes = 4,
                   .doings = {{.rank = 0, .sends = {{1, 1}}},
                              {.rank = 1, .on = 1, .sends = {{2, 2}}},
                              {.rank = 2, .on = 2, .sends = {{3, 3}}}},
                   .bounds = {.deaths = 2, .victims = {1, 2}},
                   .ordering = Ordering::unordered};
  check_point(chain, "rel-eager", "aggregated-response", "premature", 12);
}

TEST_CASE("as printed, a message that is on its way names a grandparent that has died") {
  const Case chain{.processes = 5,
                   .doings = {{.rank = 0, .sends = {{1, 1}}},
                              {.rank = 1, .on = 1, .sends = {{2, 2}}},
                              {.rank = 2, .on = 2, .sends = {{3, 3}}},
                              {.rank = 3, .on = 3, .sends = {{4, 4}}}},
                   .bounds = {.deaths = 3, .victims = {1, 2, 3}, .in_order = true, .depth = 15},
                   .ordering = Ordering::unordered};
  check_point(chain, "rel-eager", "message-label", "premature", 15);
}

TEST_CASE("as printed, the window of vulnerability stays open for the one who has adopted") {
  const Case chain{.processes = 4,
                   .doings = {{.rank = 0, .sends = {{1, 1}}},
                              {.rank = 1, .on = 1, .sends = {{2, 2}}},
                              {.rank = 2, .on = 2, .sends = {{3, 3}}},
                              {.rank = 3, .on = 3, .compute_s = 1}},
                   .bounds = {.deaths = 2, .victims = {1, 2}, .strike = Bounds::Strike::in_calm}};
  check_point(chain, "rel-eager", "window", "fatal-reported", 15);
}

TEST_CASE("as published, a process gives more credit than it has") {
  const Case short_of_credit{.processes = 3,
                             .doings = {{.rank = 0, .sends = {{1, 1}}},
                                        {.rank = 1, .on = 1, .sends = {{0, 2}}, .compute_s = 1}}};
  check_point(short_of_credit, "cda", "unsigned-difference", "premature", 3,
              {{"initial_credit", std::int64_t{32}}, {"published_division", true}});
}

TEST_CASE("edod needs messages in order, although the paper says that it does not") {
  const Case twice{.processes = 2,
                   .doings = {{.rank = 0, .sends = {{1, 1}}, .compute_s = 1},
                              {.rank = 1, .on = 1, .sends = {{0, 2}}},
                              {.rank = 0, .on = 2, .sends = {{1, 3}}}}};
  const auto searched = [&](const char* child_state, Ordering ordering, const char* wanted) {
    Job job(2);
    Case small = twice;
    small.ordering = ordering;
    set_up(job, small, "edod", {{"child_state", std::string(child_state)}});
    BreadthFirst search(job, {});
    Searched found = search.search(wanted);
    UNSCOPED_INFO(child_state << ' ' << wanted << ' ' << found.states << " states"
                              << in_lines(search.told(found.shortest)));
    return found;
  };
  CHECK(searched("flag", Ordering::unordered, "premature").shortest.size() == 6);
  CHECK(searched("flag", Ordering::unordered, "hung").shortest.size() == 11);
  for (const auto& [child_state, ordering] :
       {std::pair("flag", Ordering::fifo), std::pair("counter", Ordering::fifo),
        std::pair("counter", Ordering::unordered)}) {
    const Searched all = searched(child_state, ordering, "");
    CHECK(all.exhausted);
    CHECK(all.ends.size() == 1);
    CHECK(all.ends.count("terminated") == 1);
  }
}
