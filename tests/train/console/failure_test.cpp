#include "train/console/failure.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace glossa;

namespace {

/// The status of a separate process whose host has a handler for SIGSEGV, and which raises one under an EndAtFault.
template <class Prepare>
int status_after_fault(Prepare prepare) {
  const pid_t child = fork();
  REQUIRE_NE(child, -1);
  if (child == 0) {
    close(STDERR_FILENO);
    std::signal(SIGSEGV, [](int) { _exit(42); });
    prepare();
    const EndAtFault guard;
    raise(SIGSEGV);
    _exit(0);
  }
  int status = 0;
  REQUIRE_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a fault in a library ends a program that asked for it, and is a host's own otherwise") {
  CHECK_EQ(status_after_fault([] {}), 42);
  CHECK_EQ(status_after_fault(end_without_signal_if_out_of_memory), 1);
}
