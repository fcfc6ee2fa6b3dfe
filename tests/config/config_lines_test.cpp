#include <doctest/doctest.h>

#include <string>

#include "base/check.h"
#include "config/config.h"
#include "config/config_text.h"

using namespace glossa;

namespace {

std::string error_in(const std::string& yaml) {
  try {
    check_config_lines(yaml, "c.yaml");
  } catch (const Error& error) {
    CHECK(error.exit_status() == 2);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("lines that a configuration may have are accepted") {
  for (const char* yaml :
       {"", "\n# text: a\n", "data:\n  train: a  # b: c\n\n  # d\nmodel:\n",
        "\xEF\xBB\xBF"
        "data:\r\n  train: a b\r\n",
        "---\ndata:\n  train: toy:500\n...\n", "%YAML 1.2\n---\ndata:\n", "data: {train: a,\n\tvalid: b}\nmodel: {}\n",
        "{\n\t\"data\": {\n\t\t\"train\": \"a\", \"source\": 'it''s'\n\t}\n}\n",
        "data:\n  train:\n  - a\n  -  'b: c'\n", "data:\n  train:\n    - a\n    - b\n  source: en\n",
        "data.train: a\n\"data.source\": en\n'data.target' : de\n",
        "optim:\n  freeze: ['*bias',\n    it's, \"]\"]  # }\n", "data:\n  train: \"C:\\\\a \\\"b\\\": c\"\n",
        "data:\n  train: /a#b\n  source: it's\n  unk_id: -1\n", "data:\n\t\n  train:\ta\t# b\n",
        "data:\n  train: \"a\u00A0b\"  # \u00A0\n", "? data\n: {train: a}\n"}) {
    CAPTURE(yaml);
    CHECK(error_in(yaml) == "no error");
  }
  Config unusual;
  unusual.data.train = CorpusNames("a\"\\\n\u00A0'\xE9: #");
  CHECK(error_in(dump(unusual)) == "no error");
}

TEST_CASE("the error for a wrong indentation names both lines") {
  CHECK(error_in("data:\n  train: a\n source: en\n") ==
        "[c.yaml:3] expected 2 spaces of indentation, as in line 2; got 1. Hint: lines of one section begin in one "
        "column");
  CHECK(
      error_in("data:\r\n  train: a\r\n\r\n   source: en\r\n") ==
      "[c.yaml:4] expected 2 spaces of indentation, as in line 2; got 3. Hint: 'train: a' has a value, so nothing can "
      "be below it");
  CHECK(error_in(" data:\n  train: a\nmodel:\n") ==
        "[c.yaml:3] expected 1 space of indentation, as in line 1; got 0. Hint: lines of one section begin in one "
        "column");
  CHECK(error_in("data:\n  train: a\n\tsource: en\n") ==
        "[c.yaml:3] expected spaces for indentation; got a tab in column 1. Hint: YAML allows no tabs there");
  CHECK(error_in("data:\n  train: a\n  \tsource: en\n").find("tab in column 3") != std::string::npos);
}

TEST_CASE("the error for a wrong separator shows the line as it should be") {
  CHECK(error_in("data:\n  train:corpus # c\n  source: en\n") ==
        "[c.yaml:2] expected a space after 'train:'; got 'train:corpus'. Hint: write train: corpus");
  for (const char* line : {"train = corpus", "train=corpus", "train： corpus"})
    CHECK(error_in("data:\n  source: en\n  " + std::string(line) + "\n")
              .find("[c.yaml:3] expected ':' after 'train'; "
                    "got ") == 0);
  CHECK(error_in("width = 64\n") == "[c.yaml:1] expected ':' after 'width'; got '='. Hint: write width: 64");
  CHECK(error_in("data：\n") == "[c.yaml:1] expected ':' after 'data'; got '：'. Hint: write data:");
  CHECK(
      error_in("# c\n[data]\ntrain = \"a\"\n") ==
      "[c.yaml:2] expected 'data:'; got '[data]'. Hint: write YAML, in which 'key: value' lines follow, indented by 2 "
      "spaces");
  CHECK(error_in("data:\n  - train: a\n") ==
        "[c.yaml:2] expected 'train: a'; got '- train: a'. Hint: options have no dash before them");
  CHECK(error_in("hello world\nb\n") ==
        "[c.yaml:1] expected KEY: VALUE, or a section such as 'data:'; got 'hello world'");
  CHECK(error_in("data:\n  train:\n    a\n") ==
        "[c.yaml:3] expected a value in the line of its key; got it below. Hint: write train: a in line 2");
  CHECK(error_in("data:\r  train: a\r") ==
        "[c.yaml:1] expected lines that end in LF; got a CR. Hint: replace each CR, for example with tr '\\r' '\\n'");
}

TEST_CASE("spaces that look plain, and invisible characters, are named") {
  CHECK(error_in("data:\n  train: a\n\u00A0 source: en\n") ==
        "[c.yaml:3] expected a plain space in column 1; got a non-breaking space, U+00A0. Hint: replace it");
  for (const char* yaml : {"data:\n  train:\u00A0a\n", "é: 1\ndata:\n\u2003 train: a\n", "data:\n  train: a\u00A0# c\n",
                           "data: {train:\u00A0a}\n", "data:\n  train: it's a\u3000\n"}) {
    CAPTURE(yaml);
    CHECK(error_in(yaml).find("expected a plain space in column ") != std::string::npos);
  }
  CHECK(error_in("é\u2009: 1\n") ==
        "[c.yaml:1] expected a plain space in column 2; got the space U+2009. Hint: replace it");
  CHECK(error_in("data:\n  \u200Btrain: a\n") ==
        "[c.yaml:2] expected visible characters; got U+200B in column 3. Hint: delete it");
}

TEST_CASE("open quotes and brackets are reported where they begin") {
  CHECK(error_in("data:\n  train: \"a\n  source: en\nmodel:\n") ==
        "[c.yaml:2] expected a second \" to close the quote in column 10; got the end of the line");
  CHECK(error_in("data:\n  train: 'it's'\n") ==
        "[c.yaml:2] expected the end of the line after the quote in column 13; got 's''. Hint: within single quotes, "
        "write ' as ''");
  CHECK(
      error_in("data:\n  train: \"C:\\data\"\n") ==
      "[c.yaml:2] expected \\\\ or an escape such as \\t in double quotes; got '\\data\"'. Hint: in single quotes, \\ "
      "has no special meaning");
  CHECK(error_in("data:\n  train: “a”\n") ==
        "[c.yaml:2] expected \" or ' as quotes; got “. Hint: type the quotes anew");
  CHECK(error_in("data:\n  train: [a, b\n  source: en\n") ==
        "[c.yaml:2] expected ']' to close '['; got the end of the file");
  CHECK(error_in("{\n  \"data\": {\"train\": \"a\"\n}\n") ==
        "[c.yaml:1] expected '}' to close '{'; got the end of the file");
  CHECK(error_in("data: {train: [a}\n") == "[c.yaml:1] expected ']' to close '[' of line 1; got '}'");
}

TEST_CASE("the error for a value that needs quotes shows them") {
  CHECK(error_in("optim:\n  freeze: *bias # c\n") ==
        "[c.yaml:2] expected a value; got '*bias', which begins with a reserved character. Hint: write it in quotes: "
        "'*bias'");
  for (const char* value : {"&a", "!it's", "|", "> a", "%a", "@a", "`a`"}) {
    CHECK(error_in("data:\n  train: " + std::string(value) + "\n").starts_with("[c.yaml:2] expected a value; got "));
    CHECK(error_in("data:\n  train:\n  - " + std::string(value) + "\n").starts_with("[c.yaml:3] expected a value; "));
  }
  CHECK(error_in("data:\n  train: a source: en\n") ==
        "[c.yaml:2] expected one value; got 'a source: en', with a second ':'. Hint: begin a new line, or write the "
        "value in quotes: 'a source: en'");
}
