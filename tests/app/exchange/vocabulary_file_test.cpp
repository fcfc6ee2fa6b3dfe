#include "app/exchange/vocabulary_file.h"

#include <doctest/doctest.h>

#include "autograd/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const fs::path marian_files = GLOSSA_SOURCE_DIR "/tests/golden/marian";

}  // namespace

TEST_CASE("vocabularies are read in the order of their ids, and wrong ones refused") {
  const TemporaryFolder folder;
  const auto json = [&](std::string_view bytes) { return read_json_vocabulary(folder.write("vocab.json", bytes)); };
  const auto yaml = [&](std::string_view bytes) { return read_yaml_vocabulary(folder.write("vocab.yml", bytes)); };
  using Tokens = std::vector<std::string>;
  CHECK_EQ(json(R"({"b": 1, "a": 0, "\u00e9\"": 2})"), Tokens{"a", "b", "\u00e9\""});
  CHECK_EQ(yaml("b: 1\n\"a\\\"\\\\\\u00e9\\x85\": 0\n'it''s: ': 2\n? long\n: 3\n\u2581: 4\r\n"),
           Tokens{"a\"\\\u00e9\u0085", "b", "it's: ", "long", "\u2581"});
  CHECK_EQ(json(read_bytes(marian_files / "huggingface/vocab.json")).size(), 67);
  CHECK_EQ(yaml(read_bytes(marian_files / "marian/vocab.yml")).size(), 66);
  for (const auto& row : {std::pair{R"({"a": 0, "b": 0})", "every id once"},
                          {R"({"a": 0, "b": 2})", "the ids 0 to 1"},
                          {R"({"a": 0, "a": 1})", "every token once"},
                          {R"({"a": -1})", "a JSON object of tokens and their ids"},
                          {R"({"a": 0.5})", "a JSON object of tokens and their ids"},
                          {R"({"a": [0]})", "a JSON object of tokens and their ids"},
                          {R"(["a"])", "a JSON object of tokens and their ids"},
                          {R"(3)", "a JSON object of tokens and their ids"},
                          {R"({"a": 99999999})", "at most 262144 tokens"},
                          {R"({})", "expected tokens; got none"},
                          {R"({"a": 0)", "in JSON"}}) {
    const auto& text = row.first;
    const auto& part = row.second;
    CAPTURE(text);
    const std::string error = error_of<Error>([&] { json(text); });
    CHECK_NE(error.find(part), std::string::npos);
    CHECK_NE(error.find("vocab.json"), std::string::npos);
  }
  for (const auto& row : {std::pair{"a: 0\nb\n", "vocab.yml:2"},
                          {"a: 0\n\"b: 1\n", "a closing quote"},
                          {"'a: 0\n", "a closing quote"},
                          {"\"\\q\": 0\n", "a YAML escape"},
                          {"\"\\ud800\": 0\n", "hexadecimal digits of a character"},
                          {"a: 0x\n", "TOKEN: ID"},
                          {"? a\n", "the end of the file"},
                          {"\xFF: 0\n", "in UTF-8"}}) {
    const auto& text = row.first;
    const auto& part = row.second;
    CAPTURE(text);
    CHECK_NE(error_of<Error>([&] { yaml(text); }).find(part), std::string::npos);
  }
  CHECK_NE(error_of<Error>([&] { json(std::string(1'000'000, '[')); }).find("vocab.json"), std::string::npos);
}
