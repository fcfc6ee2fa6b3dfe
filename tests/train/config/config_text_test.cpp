#include "train/config/config_text.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "autograd/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace std::string_literals;
using glossa::testing::TemporaryFolder;
using glossa::testing::write_bytes;

namespace {

/// The error for a file or folder, without the path at its beginning.
std::string error_of(const std::filesystem::path& path) {
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
    return error_of(folder.path() / "c.yaml");
  };
  const std::string expected = "expected a configuration, which is a text in YAML; got ";
  CHECK(error_of_bytes("data:\n  train: \xE9\n") == "no error");  // a path may have any bytes
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

TEST_CASE("the error for a run's folder names its configuration") {
  const TemporaryFolder folder;
  CHECK(error_of(folder.path()) == "expected a file; got a directory. Hint: name a file in it");
  write_bytes(folder.path() / "config.yaml", "");
  CHECK(error_of(folder.path()) == "expected a configuration file; got the folder of a run. Hint: its options are in " +
                                       (folder.path() / "config.yaml").string());
}
