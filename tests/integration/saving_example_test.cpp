// docs/examples/saving.cpp: one program trains and saves a model; others continue its training or use it.
#include <doctest/doctest.h>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// Runs the example in a folder.
Outcome example(const TemporaryFolder& folder, Strings arguments) {
  arguments.insert(arguments.begin(), fs::path(GLOSSA_BINARY).parent_path() / "example_saving");
  return run_program({.arguments = std::move(arguments), .input = {}, .folder = folder.path()});
}

}  // namespace

TEST_CASE("a training continued by another program learns on, and a third one uses its model") {
  const TemporaryFolder folder;
  const std::string first = succeeded(example(folder, {"model"})).out,
                    second = succeeded(example(folder, {"model"})).out;
  CHECK(first.starts_with("update 500  loss "));
  CHECK(second.starts_with("update 1000  loss "));
  const auto loss = [](const std::string& line) { return std::stod(line.substr(line.find("loss ") + 5)); };
  CHECK_LT(loss(second), loss(first));
  CHECK_LT(std::abs(std::stod(succeeded(example(folder, {"model", "0.5"})).out) - 0.25), 0.05);
}

TEST_CASE("the example reports a damaged file in one line, with status 1, and keeps the file") {
  const TemporaryFolder folder;
  succeeded(example(folder, {"model"}));
  std::string bytes = read_bytes(folder / "model");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_bytes(folder / "model", bytes);
  for (const Strings& arguments : {Strings{"model"}, Strings{"model", "0.5"}}) {
    const Outcome outcome = example(folder, arguments);
    CHECK_EQ(outcome.status, 1);
    CHECK_MESSAGE(outcome.err.starts_with("[model] expected CRC32C "), outcome.err);
    CHECK_EQ(lines_of(outcome.err).size(), 1);
  }
  CHECK_EQ(read_bytes(folder / "model"), bytes);
  CHECK_EQ(example(folder, {"none", "0.5"}).status, 1);
}
