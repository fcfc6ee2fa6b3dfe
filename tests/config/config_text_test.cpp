#include "config/config_text.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>

#include "base/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace std::string_literals;
using glossa::testing::TemporaryFolder;
using glossa::testing::write_bytes;

namespace {

/// The error for a file or folder, without the path at its beginning.
std::string error_at(const std::filesystem::path& path) {
  try {
    read_config_text(path.string());
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(text.starts_with("[" + path.string() + "] "));
    return text.substr(path.string().size() + 3);
  }
  return "no error";
}

}  // namespace

TEST_CASE("a configuration that is not a text is named") {
  const TemporaryFolder folder;
  const auto error_of_bytes = [&](const std::string& bytes) {
    write_bytes(folder.path() / "c.yaml", bytes);
    return error_at(folder.path() / "c.yaml");
  };
  const std::string expected = "expected a configuration, which is a text in YAML; got ";
  CHECK(error_of_bytes("data:\n  train: \xC3\xA9\n") == "no error");
  CHECK(error_of_bytes("\x89GLS\r\n\x1A\n\1\0"s) ==
        expected + "a checkpoint. Hint: the options of its run are in the file config.yaml of the run's folder");
  CHECK(error_of_bytes("\x28\0\0\0\0\0\0\0{\"a\":1}"s) == expected + "a safetensors file. Hint: recipes/ has examples");
  CHECK(error_of_bytes("PK\x03\x04\x14\0"s).starts_with(expected + "a ZIP archive"));
  CHECK(error_of_bytes("\x1F\x8B\x08\x01").starts_with(expected + "a gzip file"));
  CHECK(error_of_bytes("\n\x0E\n\x05<unk>\x15\0\0"s).starts_with(expected + "a binary file"));
  CHECK(error_of_bytes("\xFF\xFE"
                       "d\0a\0"s)
            .starts_with("expected UTF-8 text; got UTF-16. Hint: "));
}

TEST_CASE("the first byte that a text cannot have is found with its line") {
  CHECK_FALSE(find_fault("a\n\xC3\xA9\n"));
  for (const auto& [text, line, what] : {std::tuple{"a\0\xFF"s, 1, "a NUL byte"},
                                         {"a\n\xFF\0"s, 2, "invalid UTF-8"},
                                         {"\xC3\xA9\n\n\xC3"s, 3, "invalid UTF-8"},
                                         {"\xED\xA0\x80"s, 1, "invalid UTF-8"}}) {
    REQUIRE(find_fault(text));
    CHECK(find_fault(text)->line == line);
    CHECK(find_fault(text)->what == what);
  }
}

TEST_CASE("a configuration may come from a pipe, but not without end") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(path) << "data:\n"; });
  CHECK(read_config_text(path) == "data:\n");
  writer.join();
  std::thread endless([&] { std::ofstream(path) << std::string((1 << 20) + 1, ' '); });
  CHECK(error_at(path) == "expected at most 1048576 bytes; got more");
  endless.join();
  CHECK(error_at("/dev/zero") == "expected a file or a pipe; got a device. Hint: name a file");
}

TEST_CASE("the error for a run's folder names its configuration") {
  const TemporaryFolder folder;
  CHECK(error_at(folder.path()) == "expected a file; got a directory. Hint: name a file in it");
  write_bytes(folder.path() / "config.yaml", "");
  CHECK(error_at(folder.path()) == "expected a configuration file; got the folder of a run. Hint: its options are in " +
                                       (folder.path() / "config.yaml").string());
}
