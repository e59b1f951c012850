// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocols/failure_detection/node_listener.hpp"
#include "sim/core/component.hpp"
#include "sim/core/registry.hpp"

namespace faultline::failure_detection {

/// The processes that watch each other: all ranks of the job, or the daemons of all its nodes and
/// spare nodes, which tell their ranks what they find. Members have numbers from 0 on.
class Members {
 public:
  /// `kind` is "ranks" or "daemons", the values of the option `members`.
  Members(const std::string& kind, const JobShape& job)
      : first_(kind == "daemons" ? job.processes : 0),
        count_(kind == "daemons" ? job.nodes + job.spare_nodes : job.processes) {}

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] bool are_daemons() const { return first_ > 0; }
  [[nodiscard]] bool contains(ActorId actor) const { return actor - first_ < count_; }
  [[nodiscard]] ActorId actor(std::uint32_t number) const { return first_ + number; }
  [[nodiscard]] std::uint32_t number(ActorId actor) const { return actor - first_; }

 private:
  ActorId first_;
  std::uint32_t count_;
};

/// The ranks that are on a daemon's node now.
std::vector<Rank> ranks_of_daemon(const DetectorContext& context);

/// The problem of a job that has too few members to watch each other; nothing if it has two.
std::vector<OptionProblem> check_members(const std::string& kind, const JobShape& job);

/// Declares the option `members` of a struct with the member of that name.
template <class Struct>
OptionSet<Struct> members_option(const std::string& source) {
  return OptionSet<Struct>().option("members", &Struct::members,
                                    {.doc = "the processes that watch each other: all ranks, or "
                                            "the daemons of the nodes, which tell their ranks",
                                     .source = source,
                                     .choices = {"ranks", "daemons"}});
}

/// Puts a `Made` on each member. If the members are daemons, each rank gets a NodeListener. Its
/// daemon sends it NodeNews of the kind `report`, and of `returned` if that kind is given. It sends
/// `join`, and `lives` if that kind is given.
template <class Made, class Struct>
Registration on_members(Registration base, const OptionSet<Struct>& set, std::uint16_t report,
                        std::uint16_t join, std::optional<std::uint16_t> lives = std::nullopt,
                        std::optional<std::uint16_t> returned = std::nullopt) {
  Registration made = registration<Made>(std::move(base), set);
  made.declare<DetectorTraits>().residence = [set](const OptionValues& values) {
    return set.read(values).members == "daemons" ? Residence::ranks_and_daemons : Residence::ranks;
  };
  made.make = [set, report, join, lives, returned, make = made.make](
                  const OptionValues& values, const JobShape& job) -> ComponentFactory {
    const Struct options = set.read(values);
    const Members members(options.members, job);
    return [=, member = make(values, job),
            bytes = options.control_bytes](ActorId self) -> std::unique_ptr<Component> {
      if (members.contains(self)) return member(self);
      return std::make_unique<NodeListener>(report, join, lives, returned, bytes);
    };
  };
  return made;
}

}  // namespace faultline::failure_detection
