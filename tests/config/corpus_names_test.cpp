#include "data/corpora/corpus_names.h"

#include <doctest/doctest.h>

#include "config/config.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using glossa::testing::error_of;
using glossa::testing::TemporaryFolder;
using List = std::vector<std::string>;

namespace {

std::string line_of(const Config& config, std::string_view key) {
  const std::string text = dump(config);
  const std::size_t at = text.find(key), end = text.find("  #", at);
  return text.substr(at, text.find_last_not_of(' ', end) + 1 - at);
}

}  // namespace

TEST_CASE("a list of corpora, from YAML or --set, survives a dump; a single name is written as text") {
  const auto names = [](const std::string& value) { return load_config("", {"data.train=" + value}).data.train; };
  CHECK(names("a") == CorpusNames("a"));
  CHECK(names("a, b") == CorpusNames("a, b"));  // a name may contain a comma
  CHECK(names("").empty());
  CHECK(names("[a, b.tmx]") == CorpusNames(List{"a", "b.tmx"}));
  CHECK(names("[a]") == CorpusNames("a"));
  CHECK(names("[]").empty());
  CHECK(names("[a, b.tmx]").text() == "a, b.tmx");
  const auto parsed = [](const std::string& yaml) { return parse_config("data:\n" + yaml, "test"); };
  CHECK(parsed("  train: [a, 'b, c']").data.train == CorpusNames(List{"a", "b, c"}));
  CHECK(parsed("  train:\n    - a\n    - b").data.train == CorpusNames(List{"a", "b"}));
  for (const char* wrong : {"  train: [a, [b]]", "  train: [a, '']", "  train: {a: b}"})
    CHECK(error_of<Error>([&] { parsed(wrong); }).find("data.train: expected PREFIX") != std::string::npos);
  CHECK(line_of(load_config("", {"data.train=a"}), "train: ") == "train: a");
  CHECK(line_of(load_config("", {}), "train: ") == "train: \"\"");
  CHECK(line_of(load_config("", {"data.valid=[a, b c]"}), "valid: ") == "valid: [a, \"b c\"]");
  Config odd;
  odd.data.train = List{"[x]"};
  odd.data.valid = List{"a, b", "[c"};
  const Config again = parse_config(dump(odd), "dump");
  CHECK(again.data.train == odd.data.train);
  CHECK(again.data.valid == odd.data.valid);
}

TEST_CASE("a corpus can be listed for validation only once") {
  CHECK(error_of<Error>([] {
          validate(load_config("", {"data.train=t", "train.max_updates=1", "data.valid=[a, b, a]"}));
        }) == "[data.valid] expected each corpus once; got a twice. Hint: remove one");
  CHECK(toy_pairs_alone("data.train", CorpusNames("toy:40")) == 40);
  CHECK_FALSE(toy_pairs_alone("data.train", CorpusNames(List{"toy:40", "a"})));
  CHECK(error_of<Error>([] { toy_pairs_alone("data.train", CorpusNames(List{"a", "toy:x"})); }) != "");
}
