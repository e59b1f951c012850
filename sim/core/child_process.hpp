#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace faultline {

/// Like fork(), with two differences. The kernel kills the child when this process ends, however it
/// ends. An interrupt sent to the process group does not end the child: its parent decides. Returns
/// -1 and sets errno if there can be no child.
pid_t fork_child();

/// Waits until a child of fork_child() has ended. Returns its wait status, or -1 with errno set.
int wait_for_child(pid_t child);

/// In a child of fork_child(): executes the program `words[0]` with the arguments `words`, and with
/// its standard streams connected to /dev/null. Exits with 127 if there is no such program.
[[noreturn]] void become_silent(std::vector<std::string> words);

/// Kills all children and waits until they are gone. May be called from a signal handler.
void kill_children();

}  // namespace faultline
