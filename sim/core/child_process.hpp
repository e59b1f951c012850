#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace faultline {

/// As fork(), for a child that does not outlive this process, however that ends, and that no signal
/// to the process group ends: the parent decides about its children. -1 and errno where there can
/// be none.
pid_t fork_child();

/// Waits for the end of such a child. Returns its wait status, or -1 and errno.
int wait_for_child(pid_t child);

/// In such a child: becomes the program that the first word names, with these words and the
/// standard streams to nowhere. Exits with 127 where there is no such program.
[[noreturn]] void become_silent(std::vector<std::string> words);

/// Ends all children at once. May be called by a handler of signals.
void kill_children();

}  // namespace faultline
