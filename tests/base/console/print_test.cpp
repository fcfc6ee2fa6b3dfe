#include "base/console/print.h"

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("a message is one line, whatever its values contain") {
  const TemporaryFolder folder;
  std::FILE* const file = std::fopen((folder / "messages").c_str(), "w");
  print_error(file, "[{}] expected a; got '{}'", "key\x1b[2J", "x\nglossa: fine");
  print_message(file, "  ", "a note\n");
  print_message(file, "", "");
  std::fclose(file);
  CHECK_EQ(read_bytes(folder / "messages"), "glossa: [key\\x1b[2J] expected a; got 'x\\nglossa: fine'\n  a note\n\n");
}

TEST_CASE("a sink takes the messages of the library, and gives them back") {
  std::string taken;
  set_message_sink(
      [&](Message kind, std::string_view text) { taken += fmt::format("{} {}\n", static_cast<int>(kind), text); });
  print_note("a {}", 1);
  print_detail("b");
  warn("c");
  CHECK(has_message_sink());
  set_message_sink({});
  CHECK_FALSE(has_message_sink());
  CHECK(taken == "1 a 1\n0 b\n2 c\n");
}
