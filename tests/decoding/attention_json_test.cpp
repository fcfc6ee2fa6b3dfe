#include "decoding/attention_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/decoding/translator_fixture.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

TEST_CASE("attention maps survive JSON to the bit") {
  const TranslatorFixture fixture;
  Translator translator = fixture.translator();
  const Translator::Sources sources = translator.encode(Lines{"a1 a2 a3"}, "text");
  const AttentionMaps maps = translator.attention(sources.ids.front(), translator.n_best(sources, 1).front().front());
  const nlohmann::json json = nlohmann::json::parse(to_json(maps));
  CHECK(json.at("source") == maps.source);
  CHECK(json.at("target") == maps.target);
  CHECK(json.at("output") == maps.output);
  CHECK(json.at("encoder").get<AttentionMaps::Layers>() == maps.encoder);
  CHECK(json.at("decoder").get<AttentionMaps::Layers>() == maps.decoder);
  CHECK(json.at("cross").get<AttentionMaps::Layers>() == maps.cross);
  CHECK(json.at("probabilities").get<std::vector<float>>() == maps.probabilities);
}
