#include "data/text/unpacker.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "data/text/text_file.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Unpacks bytes that come, and are taken, in pieces of random sizes.
std::string unpacked(const std::string& name, const std::string& packed, RandomStream& random) {
  std::size_t begin = 0;
  const auto unpacker = make_unpacker(name, [&](char* bytes, std::size_t size) {
    const std::size_t count = std::min({size, packed.size() - begin, 1 + random.below(200)});
    std::memcpy(bytes, packed.data() + begin, count);
    begin += count;
    return count;
  });
  std::string text;
  for (;;) {
    char piece[300];
    const std::size_t count = unpacker->read(piece, 1 + random.below(sizeof piece));
    if (count == 0) return text;
    text.append(piece, count);
  }
}

std::string some_text(RandomStream& random) {
  std::string text;
  for (std::size_t words = random.below(400); words > 0; --words) text += fmt::format("word{}\n", random.below(50));
  return text;
}

}  // namespace

TEST_CASE("names of packed texts") {
  CHECK_EQ(unpacked_name("a/corpus.en.gz"), "a/corpus.en");
  CHECK_EQ(unpacked_name("pairs.tsv.zst"), "pairs.tsv");
  CHECK_EQ(unpacked_name("corpus.en"), "corpus.en");
  CHECK(is_packed("corpus.en.zst"));
  CHECK_FALSE(is_packed("gz"));
  CHECK(make_unpacker("corpus.en", {}) == nullptr);
}

TEST_CASE("any number of frames, also empty ones, is unpacked in pieces of any size") {
  RandomStream random(1, 0);
  for (int round = 0; round < 300; ++round) {
    std::string text, packed;
    for (std::size_t frames = 1 + random.below(3); frames > 0; --frames) {
      const std::string part = random.below(4) == 0 ? "" : some_text(random);
      text += part;
      packed += zstd_frame(part);
    }
    CHECK_EQ(unpacked("text.zst", packed, random), text);
  }
}

TEST_CASE("zstd data that is truncated, damaged, false, or followed by other bytes is refused") {
  RandomStream random(1, 0);
  const std::string text = some_text(random), packed = zstd_frame(text);
  const auto refusal = [&](const std::string& bytes) {
    return error_of<Error>([&] { unpacked("text.zst", bytes, random); });
  };
  for (std::size_t size = 0; size < packed.size(); ++size) {
    CAPTURE(size);
    CHECK(contains(refusal(packed.substr(0, size)), "[text.zst] cannot unpack the zstd file: unexpected end of file"));
  }
  for (std::size_t i = 4; i < packed.size(); ++i) {
    std::string damaged = packed;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << random.below(8)));
    CAPTURE(i);
    std::string found;
    const std::string error = error_of<Error>([&] { found = unpacked("text.zst", damaged, random); });
    CHECK((contains(error, "[text.zst] cannot unpack the zstd file") || found == text));
  }
  CHECK(contains(refusal("no zstd data\n"), "expected zstd data; got something else. Hint: the name ends in .zst"));
  CHECK(contains(refusal(packed + "garbage"), "expected only zstd data; got other bytes after it"));
}

TEST_CASE("hints about what is packed unpack it") {
  const TemporaryFolder folder;
  const std::string wide("o\0n\0e\0\n\0t\0w\0o\0\n\0", 16);
  const std::string path = folder.write("wide.en.zst", zstd_frame(wide));
  CHECK(contains(error_of<Error>([&] { read_lines(path); }),
                 fmt::format("got UTF-16LE. Hint: zstd -cd {} | iconv -f UTF-16LE -t UTF-8 > {}", path,
                             (folder / "wide.en").string())));
  const std::string document = folder.write("x.en.zst", zstd_frame("%PDF-1.4"));
  CHECK(contains(error_of<Error>([&] { read_lines(document); }), "unpack it first, with zstd -dk " + document));
}

TEST_CASE("a text is read from a .zst as from a .gz") {
  const TemporaryFolder folder;
  write_gzip(folder / "gzip.en.gz", "one\ntwo\n");
  folder.write("zstd.en.zst", zstd_frame("one\ntwo\n"));
  const std::vector<std::string> lines{"one", "two"};
  CHECK(read_lines(resolve(folder / "gzip.en")) == lines);
  CHECK(read_lines(resolve(folder / "zstd.en")) == lines);
  folder.write("zstd.en", "plain\n");  // is preferred
  CHECK(read_lines(resolve(folder / "zstd.en")).front() == "plain");
}
