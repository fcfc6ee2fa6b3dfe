#include "base/saved_tensors.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "base/crc32c.h"
#include "tests/support/damaged_files.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

using Tensors = std::vector<NamedTensor<float>>;

/// Loads a matrix "m" [2, 3] and a scalar "s".
std::vector<float> load(const fs::path& path) {
  std::vector<float> first(6), second(1);
  load_tensors<float>(open_saved_tensors(path), {{"s", {}, second}, {"m", {2, 3}, first}});
  first.push_back(second[0]);
  return first;
}

std::vector<float> matrix{1, -2, 3, 4, 5, 6e-40F}, scalar{0.1F};
const std::vector<float> all{1, -2, 3, 4, 5, 6e-40F, 0.1F};

void save(const fs::path& path) {
  save_tensors<float>(path, {{"s", {}, scalar}, {"m", {2, 3}, matrix}}, {{"note", "text"}});
}

}  // namespace

TEST_CASE("saved tensors are loaded, with a checksum of their content") {
  const TemporaryFolder folder;
  save(folder / "x");
  CHECK_EQ(load(folder / "x"), all);
  const SafetensorsReader file = open_saved_tensors(folder / "x");
  CHECK_EQ(file.metadata().at("note"), "text");
  std::string content = "m F32 [2, 3]\n";
  content.append(reinterpret_cast<const char*>(matrix.data()), 24);
  content.append("s F32 []\n").append(reinterpret_cast<const char*>(scalar.data()), 4).append("note=text\n");
  CHECK_EQ(file.metadata().at("crc32c"), fmt::format("{:08x}", crc32c(std::as_bytes(std::span(content)))));
}

TEST_CASE("the checksum does not depend on the order of the bytes, and a file without one is loaded") {
  const TemporaryFolder folder;
  save(folder / "x");
  const std::string crc = open_saved_tensors(folder / "x").metadata().at("crc32c");
  std::string header = R"({"s": {"dtype":"F32","shape":[],"data_offsets":[0,4]}, "__metadata__": {"note":"text",)"
                       R"("crc32c":")" +
                       crc + R"("}, "m": {"dtype":"F32","shape":[2,3],"data_offsets":[4,28]}})";
  const auto write = [&] {
    std::string bytes(8, '\0');
    bytes[0] = static_cast<char>(header.size());
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(scalar.data()), 4);
    write_bytes(folder / "y", bytes.append(reinterpret_cast<const char*>(matrix.data()), 24));
  };
  REQUIRE_LT(header.size(), 256);
  write();
  CHECK_EQ(load(folder / "y"), all);
  header.replace(header.find(crc), 8, "00000000");
  write();
  CHECK_NE(error_of<Error>([&] { load(folder / "y"); }).find("expected CRC32C 00000000; got " + crc),
           std::string::npos);
  header.replace(header.find("crc32c"), 6, "other!");
  write();
  CHECK_EQ(load(folder / "y"), all);
}

TEST_CASE("every truncation and every flipped bit is refused, or changes nothing that is loaded") {
  const TemporaryFolder folder;
  save(folder / "x");
  const std::string whole = read_bytes(folder / "x");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    write_bytes(folder / "y", whole.substr(0, length));
    CHECK_NE(error_of<Error>([&] { load(folder / "y"); }), "");
  }
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    CAPTURE(bit);
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    write_bytes(folder / "y", flipped);
    std::vector<float> loaded = all;
    const std::string error = error_of<Error>([&] { loaded = load(folder / "y"); });
    CHECK_EQ(loaded, all);
    refused += !error.empty();
  }
  CHECK_GT(refused, 8 * (whole.size() - 10));  // harmless: the name of the checksum, in a file that loses it so
  CHECK_GT(refused_mutations(folder / "x", load), 0.8);
}

TEST_CASE("memory that does not fit the shape is refused") {
  const TemporaryFolder folder;
  save(folder / "x");
  std::vector<float> first(5), second(1);
  CHECK_THROWS_WITH_AS(load_tensors<float>(open_saved_tensors(folder / "x"), {{"s", {}, second}, {"m", {2, 3}, first}}),
                       doctest::Contains("[m] expected memory for shape"), Error);
}

TEST_CASE("differences from the expected tensors are listed, and nothing is filled") {
  const TemporaryFolder folder;
  save(folder / "x");
  const auto error = [&](const std::vector<std::pair<std::string, std::vector<std::uint64_t>>>& wanted,
                         std::string_view ignored = {}) {
    std::vector<float> values(10, 7);
    std::vector<NamedTensor<float>> tensors;
    for (const auto& [name, shape] : wanted) {
      std::uint64_t size = 1;
      for (const std::uint64_t dim : shape) size *= dim;
      tensors.push_back({name, shape, std::span(values).first(size)});
    }
    const std::string text = error_of<Error>([&] { load_tensors(open_saved_tensors(folder / "x"), tensors, ignored); });
    if (!text.empty()) CHECK_EQ(values, std::vector<float>(10, 7));
    return text;
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK_NE(text.find(part), std::string::npos);
  };
  CHECK_EQ(error({{"m", {2, 3}}, {"s", {}}}), "");
  contains(error({{"m", {2, 3}}, {"s", {}}, {"bias", {3}}}), "got missing: 'bias'. Hint");
  contains(error({{"m", {2, 3}}}), "got unexpected: 's'. Hint");
  contains(error({{"m", {3, 2}}, {"s", {}}}), "got other shapes: 'm' [2, 3], not [3, 2]. Hint");
  contains(error({{"m", {3, 2}}, {"t", {}}}), "missing: 't'; unexpected: 's'; other shapes: 'm'");
  contains(error({{"a", {}}, {"b", {}}, {"c", {}}, {"d", {}}, {"e", {}}, {"f", {}}, {"g", {}}}),
           "missing: 'a', 'b', 'c', 'd', 'e' and 2 more; unexpected: 'm', 's'");
  CHECK_EQ(error({{"m", {2, 3}}}, "s"), "");
}

TEST_CASE("a file has tied tensors once, and its metadata the other names") {
  const TemporaryFolder folder;
  save_tensors<float>(folder / "x", {{"s", {}, scalar}, {"m", {2, 3}, matrix}}, {{"tied", "m"}, {"lost", "n"}});
  const SafetensorsReader file = open_saved_tensors(folder / "x");
  std::vector<float> first(6), second(6), third(1);
  load_tensors<float>(file, {{"s", {}, third}, {"tied", {2, 3}, first}});
  CHECK_EQ(first, matrix);
  load_tensors<float>(file, {{"s", {}, third}, {"m", {2, 3}, first}, {"tied", {2, 3}, second}});
  CHECK_EQ(second, matrix);
  CHECK_THROWS_WITH_AS(load_tensors<float>(file, {{"s", {}, third}, {"tied", {3, 2}, first}}),
                       doctest::Contains("other shapes: 'tied' [2, 3], not [3, 2]"), Error);
  CHECK_THROWS_WITH_AS(load_tensors<float>(file, {{"s", {}, third}, {"m", {2, 3}, first}, {"lost", {2, 3}, second}}),
                       doctest::Contains("missing: 'lost'"), Error);
}

TEST_CASE("a file that is replaced while open is read as it was, and a failed save leaves the old file") {
  const TemporaryFolder folder;
  save(folder / "x");
  const SafetensorsReader file = open_saved_tensors(folder / "x");
  std::vector<float> other(6);
  save_tensors<float>(folder / "x", {{"s", {}, scalar}, {"m", {2, 3}, other}});
  CHECK_EQ(file.read<float>("m"), matrix);
  CHECK_EQ(open_saved_tensors(folder / "x").read<float>("m"), other);

  const std::string before = read_bytes(folder / "x");
  const auto error = [&](const Tensors& tensors, const std::map<std::string, std::string>& metadata) {
    return error_of<Error>([&] { save_tensors(folder / "x", tensors, metadata); });
  };
  CHECK_NE(error({{"a", {}, scalar}, {"a", {}, scalar}}, {}).find("'a' twice"), std::string::npos);
  CHECK_NE(error({{"a\n", {}, scalar}}, {}).find("control characters; got \"a\\n\""), std::string::npos);
  CHECK_NE(error({{"\xFF", {}, scalar}}, {}).find("UTF-8"), std::string::npos);
  CHECK_NE(error({}, {{"note", "\xFF"}}).find("UTF-8"), std::string::npos);
  CHECK_EQ(read_bytes(folder / "x"), before);
  CHECK_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}
