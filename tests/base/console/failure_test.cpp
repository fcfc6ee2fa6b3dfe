#include "base/console/failure.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>

#include "tests/support/forked.h"

using namespace glossa;

namespace {

/// The status of a separate process whose host has a handler for SIGSEGV, and which raises one under an EndAtFault.
template <class Prepare>
int status_after_fault(Prepare prepare) {
  return testing::end_of(testing::forked([&] {
    close(STDERR_FILENO);
    std::signal(SIGSEGV, [](int) { _exit(42); });
    prepare();
    const EndAtFault guard;
    raise(SIGSEGV);
  }));
}

}  // namespace

TEST_CASE("a fault in a library ends a program that asked for it, and is a host's own otherwise") {
  CHECK_EQ(status_after_fault([] {}), 42);
  CHECK_EQ(status_after_fault(end_without_signal_if_out_of_memory), 1);
}
