#include "data/missing_corpus.h"

#include "data/parallel_corpus.h"
#include "tests/data/data_test.h"
#include "tests/support/shell.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Hint of the error if the corpus `name` has no side of the language.
std::string hint(const TemporaryFolder& folder, const std::string& name, const std::string& language) {
  const std::string error = error_of<Error>([&] { side_of(folder / name, language, "data.target"); });
  CHECK_FALSE(error.empty());
  return hint_of(error);
}

}  // namespace

TEST_CASE("a missing corpus suggests what lies there") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "text");
  for (const char* name : {"corpus.en", "my corpus.fr", "text/train.fr"}) folder.write(name, "one\n");
  write_gzip(folder / "corpus.fr.gz", "un\n");
  const auto path = [&](const char* name) { return (folder / name).string(); };
  CHECK_EQ(hint(folder, "corpus", "french"), "did you mean --set data.target=fr?");
  CHECK_EQ(hint(folder, "corpus", "fr-CA"), "did you mean --set data.target=fr?");
  CHECK_EQ(hint(folder, "corpus", "hindi"),
           "there is " + path("corpus.en") + ", " + path("corpus.fr") + " (`hindi` is data.target)");
  CHECK_EQ(hint(folder, "texts/train", "fr"), "did you mean " + path("text/train") + "?");
  CHECK_EQ(hint(folder, "texts/trian", "fr"), "did you mean " + path("text/train") + "?");
  CHECK_EQ(hint(folder, "corpsu", "fr"), "did you mean " + path("corpus") + "?");
  CHECK_EQ(hint(folder, "my corpsu", "fr"), "did you mean '" + path("my corpus") + "'?");
  CHECK_EQ(hint(folder, "text", "fr"), "did you mean " + path("text/train") + "?");
  for (const char* language : {"fr", "en", "english"})  // corpus.fr is the other file, or the only one
    CHECK_EQ(hint(folder, "corpus.fr.gz", language), "did you mean " + path("corpus") + "?");
  CHECK_EQ(hint(folder, "corpus.en", "fr"), "did you mean " + path("corpus") + "?");
  CHECK_EQ(hint(folder, "corpus.en.gz", "fr"), "did you mean " + path("corpus") + "?");  // no such file
  CHECK_EQ(hint(folder, "corpus.fr", "en"), "did you mean " + path("corpus") + "?");
  CHECK(hint(folder, "corpus.en", "de").starts_with("put the translation of line n"));
  CHECK(hint(folder, "other", "fr").starts_with("name two files by their path without .fr (`fr` is data.target)"));
  folder.write("pairs.tsv", "one\tun\n");
  folder.write("table.csv", "one,un\n");
  CHECK_EQ(hint(folder, "tabel.csv", "fr"), "did you mean " + path("table.csv") + "?");
  CHECK_EQ(hint_of(error_of<Error>([&] { read_tsv(folder / "piars.tsv", "en", "fr"); })),
           "did you mean " + path("pairs.tsv") + "?");
}

TEST_CASE("a table whose name does not end in .tsv is refused with the command that renames it") {
  const TemporaryFolder folder;
  const std::string path = folder.write("my pairs.txt", "one\teins\n");
  const std::string error = error_of<Error>([&] { read_parallel(path, "en", "de"); });
  CHECK(error.starts_with("[" + path + "] expected the name of a table to end in .tsv"));
  output_of_shell(hint_of(error));
  CHECK_EQ(read_tsv(folder / "my pairs.tsv", "en", "de").target, std::vector<std::string>{"eins"});
  const std::string text = folder.write("text.txt", "one\n");
  CHECK(contains(error_of<Error>([&] { read_parallel(text, "en", "de"); }), "got one file of text"));
}
