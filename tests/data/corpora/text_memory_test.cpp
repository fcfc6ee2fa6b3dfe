// Text that would not fit is refused before it is read.
#include "data/corpora/text_memory.h"

#include <doctest/doctest.h>

#include <limits>

#include "base/check.h"
#include "tests/support/packed_files.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("the largest text that fits is limited by what is made from it") {
  DataConfig data;
  CHECK(max_text_bytes(data, 8000) == 1000);
  data.tokenizer = DataConfig::Tokenizer::words;
  CHECK(max_text_bytes(data, 8000) == 1600);
  CHECK(max_text_bytes(data, 1e30) == std::numeric_limits<std::size_t>::max());  // with --force
}

TEST_CASE("a text must fit in memory with everything made from it") {
  const TemporaryFolder folder;
  DataConfig data;
  data.train = folder / "text";
  CHECK_NOTHROW(check_text_fits(data, 0));  // its reader reports that it is missing
  folder.write("text.en", std::string(3000, 'a'));
  folder.write("text.de", std::string(2000, 'a'));
  CHECK_NOTHROW(check_text_fits(data, 40'000));
  CHECK_THROWS_WITH_AS(check_text_fits(data, 39'999),
                       doctest::Contains("of text, which needs 8 times as much memory, for the"), Error);
  data.valid = folder.write("valid.tsv", std::string(1000, 'a'));
  CHECK_NOTHROW(check_text_fits(data, 48'000));
  CHECK_THROWS_AS(check_text_fits(data, 47'999), Error);
  data.valid = std::vector<std::string>{folder.write("valid.tsv", std::string(1000, 'a')), "toy:100",
                                        folder.write("a.tmx", std::string(500, 'a'))};
  CHECK_NOTHROW(check_text_fits(data, 52'000));
  CHECK_THROWS_AS(check_text_fits(data, 51'999), Error);
  data.valid = "toy:100";
  CHECK_NOTHROW(check_text_fits(data, 40'000));
  std::filesystem::rename(folder / "text.de", folder / "text.de.gz");  // about three times the text
  CHECK_NOTHROW(check_text_fits(data, 72'000));
  CHECK_THROWS_AS(check_text_fits(data, 71'999), Error);
  folder.write("text.zip", zip_archive({{"text.en", std::string(3000, 'a')}, {"text.de", std::string(2000, 'a')}}));
  DataConfig packed;
  packed.train = folder / "text.zip/text";
  CHECK_NOTHROW(check_text_fits(packed, 40'000));
  CHECK_THROWS_AS(check_text_fits(packed, 39'999), Error);
  data.sentencepiece_model = SubwordModel::unigram;
  CHECK_THROWS_AS(check_text_fits(data, 269'999), Error);
  data.tokenizer = DataConfig::Tokenizer::words;
  CHECK_NOTHROW(check_text_fits(data, 45'000));
  data.tokenizer = DataConfig::Tokenizer::characters;
  CHECK_THROWS_AS(check_text_fits(data, 80'999), Error);
}
