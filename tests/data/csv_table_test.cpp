#include "data/missing_corpus.h"
#include "data/parallel_corpus.h"
#include "tests/data/data_test.h"
#include "tests/support/shell.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

TEST_CASE("a .csv is refused with a command that makes a table of it, whatever its delimiter and quotes") {
  CHECK(is_csv("a.csv"));
  CHECK(is_csv("a.CSV.gz"));
  CHECK_FALSE(is_csv("csv"));
  const TemporaryFolder folder;
  for (const char delimiter : {',', ';', '\t'}) {
    std::string table =
        "\xEF\xBB\xBF\"en\"|de|\"of ,;,;,\"\r\n\"Yes, he said \"\"no\"\"; so\"|\"Ja\r\ndoch\"\r\none|eins\tzwei\r\n";
    if (delimiter == '\t') table.replace(table.find("s\tz"), 3, "s z");
    for (char& c : table) c = c == '|' ? delimiter : c;
    write_gzip(folder / "packed.csv.gz", table);
    for (const std::string& path : {folder.write("my pairs.csv", table), (folder / "packed.csv.gz").string()}) {
      const std::string error = error_of<Error>([&] { read_parallel(path, "en", "de"); });
      const std::string unpack = path.ends_with(".gz") ? "gzip -dc " + path + " | " : "";
      CHECK(error.starts_with("[" + path + "] expected a table without quotes (.tsv); got a .csv. Hint: " + unpack +
                              "python3 "));
      if (!has_program("python3")) {
        MESSAGE("skipped: python3 is not installed");
        return;
      }
      output_of_shell("LC_ALL=C " + hint_of(error));
      const std::string stem = path.ends_with(".gz") ? "packed" : "my pairs";
      const std::string number = delimiter == ',' ? "" : delimiter == ';' ? "-2" : "-3";  // earlier tables are kept
      const std::string made = folder / (stem + number + ".tsv");
      const ParallelCorpus corpus = read_tsv(made, "en", "de");
      CHECK_EQ(corpus.source, Lines{"Yes, he said \"no\"; so", "one"});
      CHECK_EQ(corpus.target, Lines{"Ja doch", "eins zwei"});
    }
  }
  const std::string misnamed = folder.write("misnamed.tsv", "en;de\none, two;eins\n"),
                    error = error_of<Error>([&] { read_tsv(misnamed, "en", "de"); });
  CHECK_MESSAGE(error.starts_with("[" + misnamed + "] expected cells separated by TAB; got semicolons. Hint: py"),
                error);
  output_of_shell(hint_of(error));
  CHECK_EQ(read_tsv(folder / "misnamed-2.tsv", "en", "de").source, Lines{"one, two"});
  const std::string prose = folder.write("prose.tsv", "one, two\nthree\n");
  CHECK(contains(error_of<Error>([&] { read_tsv(prose, "en", "de"); }), "expected at least 2 columns"));
  CHECK(contains(error_of<Error>([&] { read_parallel(folder / "missing.csv", "en", "de"); }), ".zst; not found"));
}
