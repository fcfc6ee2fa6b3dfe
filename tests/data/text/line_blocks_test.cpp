#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/random.h"
#include "data/text/text_file.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The lines, errors and counts that a reader yields.
template <class Reader>
std::string read_all(Reader reader) {
  std::string all;
  for (std::string line;;) try {
      if (!reader.next(line)) break;
      all += fmt::format("{} {}\n", reader.where(), line);
    } catch (const LineError& error) {
      all += fmt::format("{} {}\n", reader.where(), error.what());
    }
  return all + fmt::format("{} {}", reader.line_number(), reader.replaced());
}

}  // namespace

TEST_CASE("blocks have the lines, errors and counts of a reader of single lines") {
  const TemporaryFolder folder;
  RandomStream random(1, 0);
  const std::vector<std::string> parts = {
      "a", " ", "\t", "é", "\xff", "\r", "\u00A0", std::string("\0", 1), "long line ", "\u2028"};
  for (int round = 0; round < 60; ++round) {
    std::string text = round % 5 == 0 ? "\xEF\xBB\xBF" : "";
    for (std::size_t left = random.below(round % 10 == 9 ? 30'000 : 300); left > 0; --left)
      text += random.below(3) == 0 ? "\n" : parts[random.below(random.below(20) == 0 ? parts.size() : 4)];
    const std::string path = folder.write("text", text);
    const TextOptions options{.max_line_bytes = 40,
                              .invalid_utf8 = round % 2 == 0 ? InvalidUtf8::refuse : InvalidUtf8::replace,
                              .keep_tabs = round % 3 == 0};
    CHECK_EQ(read_all(LineBlocks(path, options)), read_all(LineReader(path, options)));
  }
}

TEST_CASE("two pipes of one writer that alternates are read without waiting for each other") {
  const TemporaryFolder folder;
  const std::string first = folder / "first", second = folder / "second";
  REQUIRE_EQ(mkfifo(first.c_str(), 0600), 0);
  REQUIRE_EQ(mkfifo(second.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream one(first), two(second);
    const std::string line(2000, 'a');
    for (int i = 0; i < 300; ++i) {
      one << line << std::endl;
      two << line << std::endl;
    }
  });
  LineBlocks one(first, {}), two(second, {});
  std::string line;
  int lines = 0;
  while (one.next(line) && two.next(line)) ++lines;
  CHECK_EQ(lines, 300);
  writer.join();
}
