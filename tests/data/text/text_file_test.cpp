#include "data/text/text_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "data/text/byte_source.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using namespace std::string_literals;
using Lines = std::vector<std::string>;

TEST_CASE("only LF ends a line; other separators become spaces") {
  const TemporaryFolder folder;
  const std::string path = folder.write("odd.en",
                                        "\xEF\xBB\xBF"
                                        "one\r\n"
                                        "a\rb\vc\fd\n"
                                        "e\xC2\x85"
                                        "f\xE2\x80\xA8g\xE2\x80\xA9h\xC2\xA0i\tj\n"
                                        "\n"
                                        "\xEF\xBB\xBFkept\r\r\n"
                                        "last without LF");
  CHECK(read_lines(path) == Lines{"one", "a b c d", "e f g h i j", "", "\xEF\xBB\xBFkept ", "last without LF"});
}

TEST_CASE("a file has as many lines as LFs, whatever its other bytes") {
  const TemporaryFolder folder;
  CHECK(read_lines(folder.write("empty", "")).empty());
  CHECK(read_lines(folder.write("one", "\n")) == Lines{""});
  CHECK(read_lines(folder.write("bom", "\xEF\xBB\xBF")) == Lines{""});
  CHECK(read_lines(folder.write("two", "a\n\n")) == Lines{"a", ""});
}

TEST_CASE("lines around the edges of the read buffer stay whole") {
  const TemporaryFolder folder;
  for (const std::size_t length : {65533u, 65534u, 65535u, 65536u, 65537u, 200000u}) {
    const std::string line(length, 'x');
    const std::string end = "ä end";  // its first letter falls across the edge
    CHECK(read_lines(folder.write("edge", line + end + "\n" + end + "\n")) == Lines{line + end, end});
  }
}

TEST_CASE("NUL bytes are refused with file, line and byte") {
  const TemporaryFolder folder;
  const std::string path = folder.write("nul.en", "fine\nab\0c\n"s);
  const std::string message = error_of<Error>([&] { read_lines(path); });
  CHECK(contains(message, fmt::format("[{}:2:3] expected text; got a NUL byte", path)));
}

TEST_CASE("invalid UTF-8 is refused with file, line and byte, or replaced and counted") {
  const TemporaryFolder folder;
  const std::string path = folder.write("bad.de", "gut\nsch\xF6n\n\xFF\n");
  const std::string message = error_of<Error>([&] { read_lines(path); });
  CHECK(contains(message, fmt::format("[{}:2:4] expected valid UTF-8; got 0xf6", path)));
  CHECK(contains(message, "InvalidUtf8::replace"));
  std::int64_t replaced = 0;
  CHECK(read_lines(path, {.invalid_utf8 = InvalidUtf8::replace}, &replaced) ==
        Lines{"gut", "sch\xEF\xBF\xBDn", "\xEF\xBF\xBD"});
  CHECK(replaced == 2);
  read_lines(path, {.invalid_utf8 = InvalidUtf8::replace}, &replaced);
  CHECK(replaced == 4);  // added to what was there
}

TEST_CASE("a line beyond the cap is refused with its length; one at the cap is read") {
  const TemporaryFolder folder;
  const std::size_t cap = std::size_t{1} << 20;
  CHECK(read_lines(folder.write("cap", std::string(cap, 'a') + "\n")).at(0).size() == cap);
  const std::string path = folder.write("long", "ok\n" + std::string(10'000'000, 'a') + "\nok\n");
  const std::string message = error_of<Error>([&] { read_lines(path); });
  CHECK(contains(message, fmt::format("[{}:2] expected at most 1048576 bytes in a line; got 10000000", path)));
  CHECK(contains(error_of<Error>([&] { read_lines(path, {.max_line_bytes = 1}); }), path + ":1]"));
}

TEST_CASE("after a bad line the next one can be read") {
  const TemporaryFolder folder;
  LineReader reader(folder.write("some.en", "one\n\xFF\ntwo\n" + std::string(9, 'a') + "\nab\0\nthree"s),
                    {.max_line_bytes = 8});
  Lines read;
  std::vector<std::int64_t> bad;
  std::string line;
  for (bool more = true; more;) try {
      more = reader.next(line);
      if (more) read.push_back(line);
    } catch (const LineError&) {
      bad.push_back(reader.line_number());
    }
  CHECK(read == Lines{"one", "two", "three"});
  CHECK(bad == std::vector<std::int64_t>{2, 4, 5});
}

TEST_CASE("an error of the file is not an error of a line") {
  const TemporaryFolder folder;
  LineReader reader(folder.write("false.en.gz", "no gzip\n"), {});
  std::string line;
  bool is_of_line = true;
  try {
    reader.next(line);
  } catch (const LineError&) {
  } catch (const Error&) {
    is_of_line = false;
  }
  CHECK_FALSE(is_of_line);
}

TEST_CASE("a hyphen is a file name; the error says how to name standard input") {
  CHECK(error_of<Error>([] { read_lines("-"); }) ==
        "[-] cannot open the file: No such file or directory. Hint: standard input is the file /dev/stdin");
}

TEST_CASE("missing files, folders and unreadable files are named") {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing.en";
  CHECK(error_of<Error>([&] { read_lines(missing); }) ==
        fmt::format("[{}] cannot open the file: No such file or directory. Hint: check the path and its permissions",
                    missing));
  const std::string directory = folder.path() / "";
  CHECK(contains(error_of<Error>([&] { read_lines(directory); }), directory + "] expected a file; got a directory"));
  CHECK(contains(error_of<Error>([&] { read_file(directory); }), "got a directory"));
  if (::geteuid() != 0) {  // root may read anything
    const std::string secret = folder.write("secret", "x\n");
    REQUIRE(::chmod(secret.c_str(), 0) == 0);
    CHECK(contains(error_of<Error>([&] { read_lines(secret); }), "Permission denied"));
  }
}

TEST_CASE("devices are refused, except one without bytes; so is text without end") {
  for (const char* device : {"/dev/zero", "/dev/urandom", "/dev/full"}) {
    const std::string refusal = fmt::format("[{}] expected a file or a pipe; got a device", device);
    CHECK(contains(error_of<Error>([&] { read_lines(device); }), refusal));
    CHECK(contains(error_of<Error>([&] { read_file(device); }), "expected a regular file"));
  }
  CHECK(read_lines("/dev/null").empty());
  const int zeros = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  LineReader reader(zeros, "standard input", {});
  std::string line;
  CHECK(contains(error_of<Error>([&] { reader.next(line); }), "[standard input:1] expected text in lines that end"));
  ::close(zeros);
}

TEST_CASE("a whole file is read only if it is regular and small enough") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe", large = folder.write("large", "");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(contains(error_of<Error>([&] { read_file(pipe); }), "[" + pipe + "] expected a regular file; got a pipe"));
  std::filesystem::resize_file(large, std::uintmax_t{1} << 40);  // sparse: reading it takes minutes
  CHECK(contains(error_of<Error>([&] { read_file(large); }), "expected at most 1073741824 bytes; got 1099511627776"));
}

TEST_CASE("a text that unpacks to more than the limit is refused") {
  const TemporaryFolder folder;
  write_gzip(folder / "text.gz", std::string(1000, '\n'));
  CHECK(read_lines(folder / "text.gz", {.max_bytes = 1000}).size() == 1000);
  CHECK(contains(error_of<Error>([&] { read_lines(folder / "text.gz", {.max_bytes = 999}); }),
                 "text.gz] expected at most 999 bytes of text; got more"));
}

TEST_CASE("a pipe is read line by line") {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(path) << "one\ntwo"; });
  CHECK(read_lines(path) == Lines{"one", "two"});
  writer.join();

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  LineReader reader(ends[0], "standard input", {});
  std::string line;
  REQUIRE(::write(ends[1], "first\nsec", 9) == 9);
  REQUIRE(reader.next(line));  // although the writer has not finished
  CHECK(line == "first");
  CHECK(reader.where() == "standard input:1");
  CHECK(reader.would_wait());  // half a line does not count
  REQUIRE(::write(ends[1], "ond\nthird\n", 10) == 10);
  CHECK_FALSE(reader.would_wait());
  REQUIRE(reader.next(line));
  CHECK(line == "second");
  CHECK_FALSE(reader.would_wait());
  REQUIRE(reader.next(line));
  CHECK(reader.would_wait());
  ::close(ends[1]);
  CHECK_FALSE(reader.would_wait());  // the end can be read
  CHECK_FALSE(reader.next(line));
  ::close(ends[0]);
}

TEST_CASE("gzip files are read; truncated, damaged and false ones are refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "corpus.en.gz";
  std::string text;
  for (int i = 0; i < 20000; ++i) text += fmt::format("line {}\n", i);
  write_gzip(path, text);
  const Lines lines = read_lines(path);
  CHECK(lines.size() == 20000);
  CHECK(lines.back() == "line 19999");

  const std::string bytes = read_file(path);
  for (const std::size_t size :
       {bytes.size() - 1, bytes.size() - 8, bytes.size() / 2, std::size_t{12}, std::size_t{3}}) {
    CAPTURE(size);
    const std::string cut = folder.write("cut.en.gz", bytes.substr(0, size));
    CHECK(contains(error_of<Error>([&] { read_lines(cut); }), fmt::format("[{}] cannot unpack the gzip file", cut)));
  }
  std::string flipped = bytes;
  flipped[flipped.size() - 6] ^= 1;  // in the checksum
  CHECK(
      contains(error_of<Error>([&] { read_lines(folder.write("flip.gz", flipped)); }), "cannot unpack the gzip file"));
  CHECK(contains(error_of<Error>([&] { read_lines(folder.write("plain.gz", "no gzip\n")); }), "expected gzip data"));
  CHECK(contains(error_of<Error>([&] { read_lines(folder.write("empty.gz", "")); }), "expected"));
}

TEST_CASE("gzip members are read one after another; other bytes after them are refused") {
  const TemporaryFolder folder;
  write_gzip(folder / "first.gz", "one\ntw");
  write_gzip(folder / "second.gz", "o\nthree\n");
  write_gzip(folder / "nothing.gz", "");
  const std::string members = read_file(folder / "first.gz") + read_file(folder / "nothing.gz") +
                              read_file(folder / "second.gz") + read_file(folder / "nothing.gz");
  CHECK(read_lines(folder.write("members.gz", members)) == Lines{"one", "two", "three"});
  for (const std::string& more : {"x"s, "garbage"s, "\0"s, std::string(512, '\0'), "\x1F"s, "\x1F\x8Cx"s}) {
    CAPTURE(more.size());
    const std::string path = folder.write("more.gz", members + more);
    CHECK(contains(error_of<Error>([&] { read_lines(path); }),
                   fmt::format("[{}] expected only gzip data; got other bytes after it", path)));
  }
  const std::string cut = folder.write("cut.gz", members.substr(0, members.size() - 1));
  CHECK(contains(error_of<Error>([&] { read_lines(cut); }), "unexpected end of file"));
}

TEST_CASE("gzip data that unpacks to far more than it is fills every read") {
  const TemporaryFolder folder;
  const std::string path = folder / "zeros.gz", text(300000, 'x');
  write_gzip(path, text);
  for (const std::size_t size : {1u, 7u, 4096u, 300000u, 400000u}) {
    CAPTURE(size);
    ByteSource source(path);
    std::string read, piece(size, '\0');
    while (const std::size_t got = source.read(piece.data(), size)) read += piece.substr(0, got);
    CHECK(read == text);
    CHECK(source.read(piece.data(), size) == 0);
  }
}

TEST_CASE("no file stays open, however its reading ends") {
  const TemporaryFolder folder;
  const std::string plain = folder.write("plain.en", "a\n"), bad = folder.write("bad.en", "\xFF\n");
  write_gzip(folder / "packed.gz", "a\n");
  const auto open_files = [] { return names_in("/proc/self/fd").size(); };
  const std::size_t before = open_files();
  CHECK(read_lines(plain) == Lines{"a"});
  CHECK(open_files() == before);
  CHECK(read_lines(folder / "packed.gz") == Lines{"a"});
  CHECK(open_files() == before);
  CHECK(read_file(plain) == "a\n");
  CHECK(open_files() == before);
  CHECK(error_of<Error>([&] { read_lines(bad); }) != "");
  CHECK(open_files() == before);
  CHECK(error_of<Error>([&] { read_lines(folder.path()); }) != "");
  CHECK(open_files() == before);
}

TEST_CASE("a plain corpus side is preferred to a compressed one; if there is neither, both names are reported") {
  const TemporaryFolder folder;
  const std::string prefix = folder / "train";
  const std::string message = error_of<Error>([&] { resolve(prefix + ".en"); });
  CHECK(contains(message, "expected " + prefix + ".en, " + prefix + ".en.gz or " + prefix + ".en.zst; not found"));
  write_gzip(prefix + ".en.gz", "a\n");
  CHECK(resolve(prefix + ".en") == prefix + ".en.gz");
  folder.write("train.en", "a\n");
  CHECK(resolve(prefix + ".en") == prefix + ".en");
}

TEST_CASE("a file is read whole, up to a limit") {
  const TemporaryFolder folder;
  folder.write("file", "new"s + '\0' + "bytes");
  CHECK(read_file(folder / "file") == "new"s + '\0' + "bytes");
  CHECK(read_file(folder / "file", 9) == "new"s + '\0' + "bytes");
  CHECK(contains(error_of<Error>([&] { read_file(folder / "file", 3); }), "expected at most 3 bytes"));
}
