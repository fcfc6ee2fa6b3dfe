// The time limit for a part of continuous integration.
#include <doctest/doctest.h>
#include <signal.h>

#include <string>

#include "tests/support/shell.h"
#include "tests/support/temporary_folder.h"

namespace {

struct Ended {
  int status = 0;
  std::string output;
};

/// Runs `tests/within LIMIT sh -c SCRIPT`.
Ended within(const std::string& limit, const std::string& script) {
  const std::string command = GLOSSA_SOURCE_DIR "/tests/within " + limit + " sh -c '" + script + "' 2>&1; echo \"=$?\"";
  Ended ended{.output = glossa::testing::output_of_shell(command)};
  const std::size_t at = ended.output.rfind('=');
  ended.status = std::stoi(ended.output.substr(at + 1));
  ended.output.resize(at);
  return ended;
}

}  // namespace

TEST_CASE("a command that ends within its limit passes on its output and its status") {
  const Ended ended = within("60s", "echo one; echo two >&2; exit 3");
  CHECK_EQ(ended.output, "one\ntwo\n");
  CHECK_EQ(ended.status, 3);
}

TEST_CASE("a command that hangs is ended and named, with its last line, even if one of its processes lives on") {
  const glossa::testing::TemporaryFolder folder;
  const std::string pid = folder / "pid";
  for (const std::string& script :
       {std::string("echo first; echo last line; echo; sleep 600"), std::string("echo last line; while :; do :; done"),
        "setsid sleep 600 & echo $! >" + pid + "; echo last line; sleep 600"}) {
    const Ended ended = within("1s", script);
    INFO(script, "\n", ended.output);
    CHECK_EQ(ended.status, 1);
    const std::string message = "[sh -c " + script + "] cannot finish within 1s. Its last line: last line\n";
    CHECK_NE(ended.output.find(message), std::string::npos);
  }
  CHECK_EQ(kill(std::stoi(glossa::testing::read_bytes(pid)), SIGKILL), 0);
}
