// Runs that are refused because they look like mistakes.
#include <doctest/doctest.h>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// Checks that training is refused unless the mistake is allowed, and that the allowed run resumes without --allow.
void check_mistake(const TinyRun& tiny, const std::string& mistake, const Strings& sets) {
  CAPTURE(mistake);
  check_refused(tiny.train(mistake, sets), 2, {"--allow " + mistake});
  CHECK_FALSE(fs::exists(tiny / mistake));
  succeeded(tiny.train(mistake, sets, {"--allow", mistake, "--allow", "few-pairs"}));
  const std::string config = read_bytes(tiny.path() / mistake / "config.yaml");
  CHECK_NE(config.find("allow: [" + mistake + ", few-pairs]"), std::string::npos);
  Strings further = sets;
  further.push_back("train.max_updates=25");
  CHECK_NE(succeeded(tiny.resume(mistake, further)).err.find("resumed at update 20"), std::string::npos);
  CHECK_EQ(read_bytes(tiny.path() / mistake / "config.yaml").find("allow: [" + mistake + ", few-pairs]"),
           config.find("allow: [" + mistake + ", few-pairs]"));
}

}  // namespace

TEST_CASE("fine-tuning in the opposite direction is refused unless allowed; a regional name is not noted") {
  const TinyRun tiny;
  succeeded(tiny.train("base"));
  const std::string warm = "train.warm_start=" + (tiny / "base").string();
  check_mistake(tiny, "wrong-direction", {warm, "data.source=hi", "data.target=en"});
  for (const char* side : {"train", "valid"})
    fs::copy_file(tiny / fmt::format("toy/{}.hi", side), tiny / fmt::format("toy/{}.hi-IN", side));
  const Outcome variant = succeeded(tiny.train("variant", {warm, "data.target=hi-IN"}));
  CHECK_EQ(variant.err.find("translates en to hi"), std::string::npos);
}

TEST_CASE(
    "equal sides, equal languages, validation on training text and exchanged columns are refused unless allowed") {
  const TinyRun tiny;
  const std::string english = read_bytes(tiny / "toy/train.en");
  check_mistake(tiny, "same-text", {"data.train=" + tiny.write_corpus(english, english)});
  check_mistake(tiny, "valid-is-train", {"data.valid=" + (tiny / "toy/train").string()});

  std::string table, german = "the house is red\tdas Haus ist rot\n";
  for (int i = 0; i < 30; ++i) table += std::to_string(i) + " " + german;
  write_bytes(tiny / "pairs.tsv", table);
  const std::string pairs = "data.train=" + (tiny / "pairs.tsv").string();
  check_mistake(tiny, "swapped-sides", {pairs, "data.valid=", "data.source=de", "data.target=en"});
  succeeded(tiny.train("right", {pairs, "data.valid=", "data.source=de", "data.target=en", "data.source_column=1",
                                 "data.target_column=0"}));
  check_mistake(tiny, "same-languages", {pairs, "data.valid=", "data.source=en", "data.target=en"});
}

TEST_CASE("three pairs are refused unless allowed") {
  const TinyRun tiny;
  const std::string three = "data.train=" + tiny.write_corpus("one\ntwo\nthree\n", "ek\ndo\nteen\n");
  check_refused(tiny.train("run", {three, "train.allow=[]"}), 2, {"got 3 pairs", "--allow few-pairs"});
  succeeded(tiny.train("run", {three, "train.allow=[]"}, {"--allow", "same-text,few-pairs"}));
  check_refused(tiny.train("other", {three}, {"--allow", "few"}), 2, {"--allow", "few-pairs"});
}
