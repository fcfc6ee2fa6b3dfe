#include "app/serve/languages.h"

#include <doctest/doctest.h>

using namespace glossa::serve;

TEST_CASE("languages match whatever their case, and with a region on one side only") {
  CHECK_EQ(match("en", "en"), exact_language);
  CHECK_EQ(match("EN", "en"), 2);
  CHECK_EQ(match("pt_br", "pt-BR"), 2);
  CHECK_EQ(match("en-US", "en"), 1);
  CHECK_EQ(match("pt", "pt_BR"), 1);
  for (const auto& [named, served] : {std::pair{"en", "de"},
                                      {"pt-BR", "pt-PT"},
                                      {"zh-Hans", "zh-Hant"},
                                      {"e", "en"},
                                      {"eng", "en"},
                                      {"", "en"},
                                      {"en", ""}})
    CHECK_EQ(match(named, served), 0);
}

TEST_CASE("languages have names") {
  CHECK_EQ(language_name("en"), "English");
  CHECK_EQ(language_name("zu"), "Zulu");
  CHECK_EQ(language_name("pt-BR"), "Portuguese (BR)");
  for (const char* code : {"", "e", "xx", "eng", "|a"}) CHECK_EQ(language_name(code), code);
}
