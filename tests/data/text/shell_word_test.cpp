#include "data/text/shell_word.h"

#include <random>

#include "tests/data/data_test.h"
#include "tests/support/shell.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("a shell reads any text back as one word") {
  CHECK_EQ(shell_word("runs/a-b_1.tsv"), "runs/a-b_1.tsv");
  CHECK_EQ(shell_word(""), "''");
  CHECK_EQ(shell_word("it's"), R"('it'\''s')");
  std::mt19937 draw(1);
  const std::string letters = "ab '\"\\$`*?!#~;&|<>(){}[]\n\t=é";
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (unsigned length = draw() % 9; length > 0; --length) text += letters[draw() % letters.size()];
    CHECK_EQ(output_of_shell("printf '<%s>' " + shell_word(text)), "<" + text + ">");
  }
}
