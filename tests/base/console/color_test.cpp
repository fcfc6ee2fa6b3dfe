#include <doctest/doctest.h>
#include <stdlib.h>

#include <optional>

#include "base/console/print.h"
#include "tests/support/pseudo_terminal.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Sets or unsets an environment variable while it lives.
class ChangedVariable {
 public:
  ChangedVariable(const char* name, const char* value) : name_(name) {
    if (const char* const before = getenv(name)) before_ = before;
    set(value);
  }
  ~ChangedVariable() { set(before_ ? before_->c_str() : nullptr); }
  ChangedVariable(const ChangedVariable&) = delete;
  ChangedVariable& operator=(const ChangedVariable&) = delete;

 private:
  void set(const char* value) { value == nullptr ? unsetenv(name_) : setenv(name_, value, 1); }

  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("a terminal that supports colors shows them, unless NO_COLOR is set") {
  PseudoTerminal terminal(80);
  if (!terminal.is_there()) {
    MESSAGE("no pseudo-terminal here");
    return;
  }
  const ChangedVariable knows("TERM", "xterm"), nobody("NO_COLOR", nullptr);
  CHECK(is_terminal(terminal.file()));
  CHECK_EQ(colored(terminal.file(), Color::error, "glossa:"), "\x1b[31mglossa:\x1b[0m");
  CHECK_EQ(colored(terminal.file(), Color::good, "new best"), "\x1b[32mnew best\x1b[0m");
  {
    const ChangedVariable somebody("NO_COLOR", "1");
    CHECK(is_terminal(terminal.file()));
    CHECK_EQ(colored(terminal.file(), Color::error, "glossa:"), "glossa:");
  }
  const ChangedVariable dumb("TERM", "dumb");
  CHECK_FALSE(is_terminal(terminal.file()));
  CHECK_EQ(colored(terminal.file(), Color::error, "glossa:"), "glossa:");
}

TEST_CASE("a file gets no colors") {
  const TemporaryFolder folder;
  std::FILE* const file = std::fopen((folder / "file").c_str(), "w");
  CHECK_EQ(colored(file, Color::warning, "warning:"), "warning:");
  std::fclose(file);
}
