#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace glossa::testing {

/// Starts a process that runs `act` and then exits with status 0.
template <class Act>
pid_t forked(Act act) {
  const pid_t child = fork();
  REQUIRE_NE(child, -1);
  if (child == 0) {
    act();
    _exit(0);
  }
  return child;
}

/// Waits for the end of a process. Returns the signal that killed it, or its exit status.
inline int end_of(pid_t child) {
  int status = 0;
  REQUIRE_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace glossa::testing
