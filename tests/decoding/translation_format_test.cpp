#include "decoding/translation_format.h"

#include <doctest/doctest.h>

using namespace glossa;

TEST_CASE("each format has a line for every translation, or every line of input") {
  const std::vector<Translation> two{{{{}, -0.5, -1.5, true}, "he said \"so\""}, {{{}, -0.25, -0.25, false}, "so"}};
  CHECK(formatted(TranslationFormat::text, 7, two) == "he said \"so\"\n");
  CHECK(formatted(TranslationFormat::text_scores, 7, two) == "he said \"so\"\t-0.500000\n");
  CHECK(formatted(TranslationFormat::moses, 7, two) == "6 ||| he said \"so\" ||| -0.500000\n6 ||| so ||| -0.250000\n");
  CHECK(formatted(TranslationFormat::json, 7, two) ==
        R"({"line":7,"translations":[{"text":"he said \"so\"","score":-0.5,"log_probability":-1.5,"finished":true},)"
        R"({"text":"so","score":-0.25,"log_probability":-0.25,"finished":false}]})"
        "\n");
}

TEST_CASE("a missing translation keeps its place in each format") {
  CHECK(formatted(TranslationFormat::text, 1, {}) == "\n");
  CHECK(formatted(TranslationFormat::text_scores, 1, {}) == "\t\n");
  CHECK(formatted(TranslationFormat::moses, 1, {}) == "0 |||  ||| 0.000000\n");
  CHECK(formatted(TranslationFormat::json, 1, {}) == "{\"line\":1,\"translations\":[]}\n");
}

TEST_CASE("aligned words follow the text, or the score in Moses' format") {
  const std::vector<Translation> one{
      {{.score = -0.5, .log_probability = -1.5, .finished = true}, "so it", {{3, 0}, {1, 1}}}};
  CHECK(formatted(TranslationFormat::text, 1, one, true) == "so it ||| 3-0 1-1\n");
  CHECK(formatted(TranslationFormat::text_scores, 1, one, true) == "so it ||| 3-0 1-1\t-0.500000\n");
  CHECK(formatted(TranslationFormat::moses, 1, one, true) == "0 ||| so it ||| -0.500000 ||| 3-0 1-1\n");
  CHECK(formatted(TranslationFormat::json, 1, one, true) ==
        R"({"line":1,"translations":[{"text":"so it","score":-0.5,"log_probability":-1.5,"finished":true,)"
        R"("alignment":[[3,0],[1,1]]}]})"
        "\n");
  CHECK(formatted(TranslationFormat::text, 1, {}, true) == " ||| \n");
}
