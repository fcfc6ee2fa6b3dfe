#include "data/parallel_corpus.h"

#include <doctest/doctest.h>

#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

namespace {

ParallelCorpus read(const TemporaryFolder& folder, std::string_view english, std::string_view german,
                    const CorpusOptions& options = {}) {
  folder.write("train.en", english);
  folder.write("train.de", german);
  return read_parallel(folder / "train", "en", "de", options);
}

}  // namespace

TEST_CASE("two files are read in step, even with CRLF or without a final LF") {
  const TemporaryFolder folder;
  const ParallelCorpus corpus = read(folder, "A dog\r\nA cat\r\n", "Ein Hund\nEine Katze");
  CHECK(corpus.source == Lines{"A dog", "A cat"});
  CHECK(corpus.target == Lines{"Ein Hund", "Eine Katze"});
  CHECK(corpus.report.lines == 2);
  CHECK(describe(corpus.report) == "2 pairs from 2 lines");
}

TEST_CASE("unequal numbers of lines are refused with both counts and names") {
  const TemporaryFolder folder;
  const std::string prefix = folder / "train";
  const auto message = [&](std::string_view english, std::string_view german) {
    return error_of<Error>([&] { read(folder, english, german); });
  };
  const std::string expected = fmt::format("[{}] expected equally many lines on both sides; got ", prefix);
  const std::string hint = ". Hint: line n of one translates line n of the other; find where they diverge";
  CHECK(message("a\nb\nc\n", "a\nb\n") == expected + "3 in " + prefix + ".en and 2 in " + prefix + ".de" + hint);
  CHECK(message("a\nb\n", "a\nb\nc") == expected + "2 in " + prefix + ".en and 3 in " + prefix + ".de" + hint);
  CHECK(message("", "a\n") == expected + "0 in " + prefix + ".en and 1 in " + prefix + ".de" + hint);
  CHECK(message("a\nb", "a\nb\n").empty());
}

TEST_CASE("separators inside lines do not shift one side against the other") {
  const TemporaryFolder folder;
  const ParallelCorpus corpus = read(folder,
                                     "a\rb\nc\xE2\x80\xA8"
                                     "d\ne\x0B\x0C\xC2\x85 f\nend\n",
                                     "1\n2\n3\nende\n");
  CHECK(corpus.source == Lines{"a b", "c d", "e    f", "end"});
  CHECK(corpus.target == Lines{"1", "2", "3", "ende"});
}

TEST_CASE("pairs with an empty or blank side are left out and counted; line numbers stay those of the file") {
  const TemporaryFolder folder;
  const ParallelCorpus corpus = read(folder, "\na\n \t\nb\n\xC2\xA0\nc\n", "x\n\n\ny\n  \nz\n");
  CHECK(corpus.source == Lines{"b", "c"});
  CHECK(corpus.target == Lines{"y", "z"});
  CHECK(corpus.lines == std::vector<std::int64_t>{4, 6});
  CHECK(corpus.report.lines == 6);
  CHECK(corpus.report.pairs == 2);
  CHECK(corpus.report.empty_source == 1);
  CHECK(corpus.report.empty_target == 1);
  CHECK(corpus.report.empty_both == 2);
  CHECK(describe(corpus.report) == "2 pairs from 6 lines; left out: empty 4 (1 source, 1 target, 2 on both sides)");
}

TEST_CASE("a corpus without any pair is an error") {
  const TemporaryFolder folder;
  CHECK(contains(error_of<Error>([&] { read(folder, "", ""); }), "expected at least one pair of sentences; got none"));
  CHECK(contains(error_of<Error>([&] { read(folder, "\n\n", "a\nb\n"); }), "left out: empty 2 (2 sources)"));
}

TEST_CASE("missing sides and bad bytes are named by file, line and byte") {
  const TemporaryFolder folder;
  folder.write("train.en", "a\n");
  CHECK(contains(error_of<Error>([&] { read_parallel(folder / "train", "en", "fr"); }),
                 (folder / "train.fr.gz").string()));
  const std::string message = error_of<Error>([&] { read(folder, "a\nb\n", "a\nx\xC3\n"); });
  CHECK(contains(message, fmt::format("[{}:2:2]", (folder / "train.de").string())));
  CorpusOptions replace;
  replace.text.invalid_utf8 = InvalidUtf8::replace;
  const ParallelCorpus corpus = read(folder, "a\nb\n", "a\nx\xC3\n", replace);
  CHECK(corpus.target.at(1) == "x\xEF\xBF\xBD");
  CHECK(corpus.report.replaced == 1);
  CHECK(contains(describe(corpus.report), "1 invalid UTF-8 sequence replaced"));
  CHECK(read(folder, "\xFF\xFF a\nb\n", "a\nx\xC3\n", replace).report.replaced == 3);
  CHECK(read_tsv(folder.write("bad.tsv", "a\xFF\tb\xFF\n"), "en", "de", replace).report.replaced == 2);
}

TEST_CASE("lower-casing is optional") {
  const TemporaryFolder folder;
  CHECK(read(folder, "The Dog\n", "Der ÜBLE Hund\n").target.at(0) == "Der ÜBLE Hund");
  const ParallelCorpus corpus = read(folder, "The Dog\n", "Der ÜBLE Hund\n", {.lowercase = true});
  CHECK(corpus.source.at(0) == "the dog");
  CHECK(corpus.target.at(0) == "der üble hund");
}

TEST_CASE("a Tatoeba export gives its first two columns, without the attribution") {
  const TemporaryFolder folder;
  const std::string path = folder.write("hin.txt",
                                        "Wow!\tवाह!\tCC-BY 2.0 (France) #1\r\n"
                                        "\n"
                                        "Help!\tबचाओ!\tCC-BY 2.0 (France) #2\r\n"
                                        "Go.\t\tCC-BY 2.0 (France) #3\r\n");
  const ParallelCorpus corpus = read_tsv(path, "en", "hi");
  CHECK(corpus.source == Lines{"Wow!", "Help!"});
  CHECK(corpus.target == Lines{"वाह!", "बचाओ!"});
  CHECK(corpus.lines == std::vector<std::int64_t>{1, 3});
  CHECK(corpus.report.empty_both == 1);
  CHECK(corpus.report.empty_target == 1);
  CHECK(describe(corpus.report) ==
        "2 pairs from 4 lines, 1 further column ignored; left out: empty 2 (1 target, 1 on both sides)");
  const ParallelCorpus reverse = read_tsv(path, "hi", "en", {.source_column = 1, .target_column = 0});
  CHECK(reverse.source == corpus.target);
  CHECK(reverse.report.unused_columns == 0);  // the options choose
}

TEST_CASE("a header with both languages picks the columns by name, in any order") {
  const TemporaryFolder folder;
  const std::string path = folder.write("pairs.tsv",
                                        "\xEF\xBB\xBF"
                                        "de\tid\ten\nHund\t1\tdog\nKatze\t2\tcat\n");
  const ParallelCorpus corpus = read_tsv(path, "en", "de");
  CHECK(corpus.source == Lines{"dog", "cat"});
  CHECK(corpus.target == Lines{"Hund", "Katze"});
  CHECK(corpus.report.lines == 2);
  CHECK(corpus.lines == std::vector<std::int64_t>{2, 3});
  const ParallelCorpus later = read_tsv(folder.write("later.tsv", "dog\tHund\nen\tde\ncat\tKatze\n"), "en", "de");
  CHECK(later.source == Lines{"dog", "en", "cat"});  // after the first row these are words
}

TEST_CASE("a header that names the target language several times has several targets, read on demand") {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "several.tsv",
      "de\ten\tde\tid\tde\nA\ta\tB\t1\tC\nD\td\t\t2\tE\nF\t\tG\t3\tH\nI\ti\tJ\t4\tK\n \tl\tM\t5\t\n\tn\t\t6\t \n");
  const ParallelCorpus corpus = read_tsv(path, "en", "de", {.lowercase = true, .all_targets = true});
  CHECK_EQ(corpus.source, Lines{"a", "d", "i", "l"});
  CHECK_EQ(corpus.target, Lines{"a", "d", "i", "m"});
  CHECK_EQ(corpus.all_targets, std::vector<Lines>{{"a", "d", "i", ""}, {"b", "", "j", "m"}, {"c", "e", "k", ""}});
  CHECK_EQ(corpus.report.empty_target, 1);
  CHECK_EQ(corpus.report.empty_source, 1);
  CHECK_EQ(corpus.report.unused_columns, 1);
  const std::string other_path = folder.write("other.tsv", "en\tde\no\tP\n");
  const ParallelCorpus other = read_tsv(other_path, "en", "de", {.all_targets = true});
  CHECK_EQ(
      joined({other, corpus, other}).all_targets,
      std::vector<Lines>{{"P", "a", "d", "i", "", "P"}, {"P", "b", "", "j", "m", "P"}, {"P", "c", "e", "k", "", "P"}});
  CHECK(joined({other, other}).all_targets.empty());
  const ParallelCorpus usual = read_tsv(path, "en", "de");
  CHECK_EQ(usual.target, Lines{"A", "D", "I"});
  CHECK(usual.all_targets.empty());
  CHECK_EQ(usual.report.unused_columns, 3);
  const std::string short_row = folder.write("short.tsv", "en\tde\tde\na\tb\n");
  CHECK(contains(error_of<Error>([&] { read_tsv(short_row, "en", "de", {.all_targets = true}); }),
                 "expected at least 3 columns"));
}

TEST_CASE("a first row that names other languages or columns is refused; a row of words is not a header") {
  const TemporaryFolder folder;
  const auto error = [&](std::string_view table, const std::string& source, const std::string& target,
                         const CorpusOptions& options = {}) {
    std::string text = error_of<Error>([&] { read_tsv(folder.write("pairs.tsv", table), source, target, options); });
    const std::string path = folder.path().string() + "/";
    return text.starts_with("[" + path) ? text.erase(1, path.size()) : text;
  };
  CHECK(error("en\tfr\ndog\tchien\n", "en", "de") ==
        "[pairs.tsv:1] expected en and de, or a pair of sentences, in the first row; got en and fr. Hint: set "
        "source_language and target_language to two of these, or remove the row");
  for (const char* head :
       {"English\tSpanish", "eng\tspa", "pt-BR\tde_AT\tnote", "number\tfr\tde", "English\tFrench\tID number"})
    CHECK(contains(error(std::string(head) + "\na\tb\tc\n", "en", "es"), "in the first row; got"));
  CHECK(error("de\ten\nHund\tdog\n", "en", "de", {.source_column = 0, .target_column = 2}) ==
        "[pairs.tsv:1] expected en and de in columns 0 and 2; got 1 and 0 by the first row. Hint: omit "
        "CorpusOptions::source_column and CorpusOptions::target_column to use the first row");
  CHECK(error("x\tde\ten\n1\tHund\tdog\n", "en", "de", {.source_column = 2, .target_column = 1}) == "");
  for (const char* row :
       {"no\tno", "is it\tes", "so\tsi\tCC-BY 2.0 (France)", "dog\tde", "a-\tb", "en-1\tde", "enx\tdeu"})
    CHECK(error(std::string(row) + "\n", "en", "hi") == "");
  CHECK(read_tsv(folder.write("same.tsv", "en\tx\ndog\tHund\n"), "en", "en").source.at(0) == "en");
}

TEST_CASE("any two columns can be read, and a file that exists only as .gz") {
  const TemporaryFolder folder;
  write_gzip(folder / "pairs.tsv.gz", "1\tdog\tx\tHund\n2\tcat\ty\tKatze\n");
  const CorpusOptions columns{.source_column = 3, .target_column = 1};
  for (const char* name : {"pairs.tsv", "pairs.tsv.gz"}) {
    const ParallelCorpus corpus = read_tsv(folder / name, "de", "en", columns);
    CHECK(corpus.source == Lines{"Hund", "Katze"});
    CHECK(corpus.target == Lines{"dog", "cat"});
  }
  CHECK(contains(error_of<Error>([&] { read_tsv(folder / "none.tsv", "de", "en"); }),
                 fmt::format("expected {0}, {0}.gz or {0}.zst; not found", (folder / "none.tsv").string())));
}

TEST_CASE("in a table only TAB separates columns; other white space becomes a space") {
  const TemporaryFolder folder;
  const std::string path = folder.write("pairs.tsv",
                                        "a\xC2\xA0"
                                        "b\tc\xE2\x80\xA8"
                                        "d\rd\n\tx\ty\n");
  const ParallelCorpus corpus = read_tsv(path, "en", "de");
  CHECK(corpus.source == Lines{"a b"});
  CHECK(corpus.target == Lines{"c d d"});
  CHECK(corpus.report.empty_source == 1);  // an empty column counts
}

TEST_CASE("a row with too few columns is refused with file and line") {
  const TemporaryFolder folder;
  const std::string path = folder.write("pairs.tsv", "a\tb\nonly one\n");
  CHECK(error_of<Error>([&] { read_tsv(path, "en", "de"); }) ==
        fmt::format("[{}:2] expected at least 2 columns separated by TAB; got 1", path));
  CHECK(contains(error_of<Error>([&] { read_tsv(path, "en", "de", {.source_column = 1}); }), "two different columns"));
  CHECK(contains(error_of<Error>([&] { read_tsv(path, "en", "de", {.source_column = -1}); }), "got -1 and 1"));
  CHECK(contains(error_of<Error>([&] { read_tsv(folder.write("empty.tsv", ""), "en", "de"); }), "got none"));
}

TEST_CASE("corpora are joined in order; each pair knows its file and line") {
  ParallelCorpus first = corpus_of({"a", "b"}, {"x", "y"}), second = corpus_of({"c"}, {"z"});
  first.report.lines = 3;
  first.report.pairs = 2;
  first.report.empty_both = 1;
  second.name = "memory.tmx";
  second.source_name = second.target_name = "memory.tmx";
  second.lines = {7};
  second.report.units = second.report.pairs = 1;
  CHECK(joined({first}).name == "corpus");
  CHECK(joined({first}).parts.empty());
  CHECK(joined({first}).place(1) == "line 2");
  const ParallelCorpus all = joined({first, second});
  CHECK(all.name == "corpus, memory.tmx");
  CHECK(all.source == Lines{"a", "b", "c"});
  CHECK(all.target == Lines{"x", "y", "z"});
  CHECK(all.lines == std::vector<std::int64_t>{1, 2, 7});
  CHECK(all.source_of(1) == "corpus.en");
  CHECK(all.target_of(0) == "corpus.de");
  CHECK(all.source_of(2) == "memory.tmx");
  CHECK(all.place(2) == "memory.tmx, unit 7");
  CHECK(describe(all.report) == "3 pairs from 3 lines and 1 unit; left out: empty 1 (1 on both sides)");
  CHECK(describe(all.parts[1].report) == "1 pair from 1 unit");
}

TEST_CASE("pairs equal to an earlier one are counted, and left out on request") {
  const ParallelCorpus corpus = corpus_of({"a", "b", "a", "a", "a"}, {"x", "x", "x", "y", "x"});
  const ParallelCorpus kept = count_duplicates(corpus, false), dropped = count_duplicates(corpus, true);
  CHECK(kept.source == corpus.source);
  CHECK(kept.report.repeated == 2);
  CHECK(left_out(kept.report).empty());
  CHECK(dropped.source == Lines{"a", "b", "a"});
  CHECK(dropped.target == Lines{"x", "x", "y"});
  CHECK(dropped.lines == std::vector<std::int64_t>{1, 2, 4});
  CHECK(left_out(dropped.report) == Lines{"left out: duplicate 2"});
  const ParallelCorpus both = count_duplicates(joined({corpus, corpus}), true);
  CHECK(both.source == dropped.source);
  CHECK(both.part == std::vector<std::uint32_t>{0, 0, 0});
  CHECK(left_out(both.report) == Lines{"left out: duplicate 7"});
}
