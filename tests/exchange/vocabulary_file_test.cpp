#include "exchange/vocabulary_file.h"

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include "base/check.h"
#include "data/text/utf8.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const fs::path marian_files = GLOSSA_SOURCE_DIR "/tests/golden/marian";

/// Reads a vocabulary as Marian does.
std::vector<std::string> by_yaml_cpp(const std::string& yaml) {
  std::map<int, std::string> tokens;
  for (const auto& pair : YAML::Load(yaml)) tokens[pair.second.as<int>()] = pair.first.as<std::string>();
  std::vector<std::string> in_order;
  for (auto& [id, token] : tokens) in_order.push_back(std::move(token));
  return in_order;
}

/// Reads a vocabulary whose ids ascend as load_vocab of CTranslate2 4.8.5 does.
std::vector<std::string> by_ctranslate2(std::string_view yaml) {
  std::vector<std::string> tokens;
  for (bool is_id_next = false; !yaml.empty();) {
    std::string line(yaml.substr(0, yaml.find('\n')));
    yaml.remove_prefix(line.size() + 1);
    if (std::exchange(is_id_next, false)) continue;
    is_id_next = line.starts_with("? ");
    const std::string quoted = is_id_next ? line.substr(2) : line.substr(0, line.rfind(':'));
    std::string token;
    if (quoted.starts_with('"')) {
      for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
        if (quoted[i] == '\\' && quoted[i + 1] != 'x') ++i;
        token += quoted[i];
      }
      if (const std::string code = token; code.starts_with("\\x")) {
        token.clear();
        utf8::append(token, static_cast<char32_t>(std::stoul(code.substr(2), nullptr, 16)));
      }
    } else {
      for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
        if (quoted[i] == '\'') ++i;
        token += quoted[i];
      }
    }
    tokens.push_back(token);
  }
  return tokens;
}

/// True for c-printable of YAML 1.2, section 5.1.
bool is_printable(char32_t c) {
  return c == '\t' || c == '\n' || (c >= 0x20 && c < 0x7F) || c == 0x85 || (c >= 0xA0 && c != 0xFFFE && c != 0xFFFF);
}

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

TEST_CASE("Marian and CTranslate2 read every code point of a vocabulary back, and the file is YAML") {
  std::vector<std::string> tokens;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const bool is_alone = c <= 0x2100 || (c >= 0xFE00 && c <= 0x10000);
    if (is_alone || c % 64 == 0) tokens.emplace_back();
    utf8::append(tokens.back(), c);
  }
  std::string yaml = yaml_vocabulary(tokens);
  CHECK(by_yaml_cpp(yaml) == tokens);
  const TemporaryFolder folder;
  CHECK(read_yaml_vocabulary(folder.write("vocab.yml", yaml)) == tokens);
  bool is_valid = true;
  utf8::for_each(yaml, [&](std::string_view, utf8::CodePoint c) { is_valid &= is_printable(c.value); });
  CHECK(is_valid);
  std::vector<std::string> by_another = by_ctranslate2(yaml);
  for (const auto& [token, read] : {std::pair("\uFFFE", "uFFFE"), {"\uFFFF", "uFFFF"}}) {  // neither is a character
    const auto at = std::ranges::find(tokens, token) - tokens.begin();
    CHECK_EQ(by_another.at(static_cast<std::size_t>(at)), read);
    by_another.at(static_cast<std::size_t>(at)) = token;
  }
  CHECK(by_another == tokens);

  // With other characters around it:
  tokens = {"\u2581l\u0092\"\\'",
            "it's: \"\\x41\"",
            "\\x41",
            "\u2581a\u2028b",
            "~",
            "null",
            "? a",
            std::string(600, 'n') + "'",
            "a\\",
            "\"\\\"",
            "'",
            "''",
            "#",
            "- a"};
  yaml = yaml_vocabulary(tokens);
  CHECK(by_yaml_cpp(yaml) == tokens);
  CHECK(read_yaml_vocabulary(folder.write("vocab.yml", yaml)) == tokens);
  by_another = by_ctranslate2(yaml);
  CHECK_EQ(std::exchange(by_another[0], tokens[0]), "\u2581l\\x92\"\\'");
  CHECK(by_another == tokens);
}
