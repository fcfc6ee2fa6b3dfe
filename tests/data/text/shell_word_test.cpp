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
  CHECK_EQ(shell_word("a\n'\\"), R"x("$(printf %b 'a\0012'\''\0134')")x");  // printed as it is
  const std::string letters = "ab '\"\\$`*?!#~;&|<>(){}[]\n\t\x1B\x7F\xFF=é%";
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (unsigned length = draw() % 9; length > 0; --length) text += letters[draw() % letters.size()];
    while (text.ends_with('\n')) text.pop_back();
    CHECK_EQ(output_of_shell("printf '<%s>' " + shell_word(text)), "<" + text + ">");
  }
}

TEST_CASE("a shell splits a command into the words it was made of") {
  for (const std::string run :
       {"runs/mine", "Läufe kopie", "it's", "$HOME", "a\"b", "`id`", "-rf", "*", "~", "a;b", "語"}) {
    const std::string value = "train.warm_start=" + run;
    const std::string line =
        shell_command({"glossa", "train", "--run", std::filesystem::path(run), "--last", 3, value});
    const std::string path = run.starts_with('-') ? "./" + run : run;
    CHECK_EQ(words_of_shell(line), std::vector<std::string>{"glossa", "train", "--run", path, "--last", "3", value});
  }
}

TEST_CASE("a path is never an option, and an unused one is not that of a file") {
  CHECK_EQ(shell_path("-rf.csv"), "./-rf.csv");
  CHECK_EQ(shell_path("a/-b c"), "'a/-b c'");
  const TemporaryFolder folder;
  CHECK_EQ(unused_path(folder / "a.en"), folder / "a.en");
  folder.write("a.en", "");
  folder.write("a-2.en", "");
  CHECK_EQ(unused_path(folder / "a.en"), folder / "a-3.en");
}
