// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace faultline {

/// Like fork(), with two differences. The kernel kills the child when this process ends, however it
/// ends. An interrupt sent to the process group does not end the child: its parent decides. Returns
/// -1 and sets errno if there can be no child.
pid_t fork_child();

/// Waits until a child of fork_child() has ended, and kills what is left of its process group, if
/// it has one of its own. Returns its wait status, or -1 with errno set.
int wait_for_child(pid_t child);

/// Kills all children, with their process groups, and waits until they are gone. May be called from
/// a signal handler.
void kill_children();

/// A program of the system, and how it is started.
struct ForeignProgram {
  std::vector<std::string> words;  ///< its name, which is looked for as a shell does, and arguments
  std::string directory = {};      ///< in which it works; "": that of this process
  std::vector<std::pair<const char*, const char*>> environment = {};  ///< what else is set there
};

/// How a foreign program ended: it says that all went well; it failed, or could not be started; or
/// the system has no such program.
enum class ProgramEnd { good, failed, missing };

/// Runs a program and waits for its end. Its standard streams are connected to /dev/null. What it
/// has started ends with it, and all of them end with this process, however that ends.
ProgramEnd run_silently(const ForeignProgram& program);

}  // namespace faultline
