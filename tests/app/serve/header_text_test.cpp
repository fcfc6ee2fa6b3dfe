#include "app/serve/header_text.h"

#include <doctest/doctest.h>

using namespace glossa::serve;

TEST_CASE("the text of headers is compared by ASCII letters, without the spaces around it") {
  CHECK_EQ(lower("A-Z[\xC4\u212A"), "a-z[\xC4\u212A");
  CHECK_EQ(trimmed(" \t a b\t "), "a b");
  CHECK_EQ(trimmed(" \t"), "");
  CHECK_EQ(trimmed("\n a"), "\n a");
}

TEST_CASE("a header's parameter is found by its name, in or without quotes") {
  CHECK_EQ(header_parameter("a; b=c", "b"), "c");
  CHECK_EQ(header_parameter("a;B = c d ;e", "b"), "c d");
  CHECK_EQ(header_parameter("a;b=\" c;d=e \" x;f=g", "b"), " c;d=e ");
  CHECK_EQ(header_parameter("a;b=\" c;d=e \" x;f=g", "f"), "g");
  CHECK_EQ(header_parameter("a;;b;c;d=;b=1;b=2", "b"), "1");
  CHECK_EQ(header_parameter("a;d=;b", "d"), "");
  CHECK_EQ(header_parameter(";b=\"\"", "b"), "");
  for (const char* without : {"", "b=c", "a;b", "a;b;", "a; bb=c", "a;x=\"b=c", "a;b=\"c", "a;x=\";b=c\""})
    CHECK_FALSE(header_parameter(without, "b"));
}
