#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "train/signals.h"

using namespace glossa;

namespace {

/// Calls `act` in a separate process. Returns its standard error; `status` receives the result of waitpid.
template <class Act>
std::string errors_of(Act act, int& status) {
  std::array<int, 2> pipe_ends{};
  REQUIRE_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  REQUIRE_NE(child, -1);
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    std::signal(SIGINT, SIG_DFL);  // instead of the test's handlers
    act();
    _exit(0);
  }
  close(pipe_ends[1]);
  std::string text;
  for (char c = 0; read(pipe_ends[0], &c, 1) == 1;) text += c;
  close(pipe_ends[0]);
  REQUIRE_EQ(waitpid(child, &status, 0), child);
  return text;
}

}  // namespace

TEST_CASE("an end by a signal waits for output, acts, prints a line and passes the signal on") {
  int status = 0;
  const std::string errors = errors_of(
      [] {
        const WhenInterrupted acts([] { std::fputs("acted\n", stderr); });
        std::thread end;
        {
          const Uninterrupted whole;
          end = std::thread([] { end_by_signal(SIGINT); });
          const Uninterrupted nested;
          std::fputs("written\n", stderr);
        }
        end.join();
      },
      status);
  CHECK_EQ(errors, "written\nacted\nglossa: stopped by SIGINT\n");
  CHECK(WIFSIGNALED(status));
  CHECK_EQ(WTERMSIG(status), SIGINT);
}

TEST_CASE("an action for interruptions is dropped with its object") {
  int status = 0;
  const std::string errors = errors_of(
      [] {
        {
          const WhenInterrupted acts([] { std::fputs("acted\n", stderr); });
        }
        end_by_signal(SIGINT);
      },
      status);
  CHECK_EQ(errors, "glossa: stopped by SIGINT\n");
}
