#include "train/checkpoint/bounded_archive.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <limits>
#include <optional>

#include "tests/support/temporary_folder.h"

using glossa::Error;
using glossa::from_bytes;
using glossa::to_bytes;
using glossa::testing::error_of;

namespace {

struct Inner {
  std::string name;
  std::vector<double> scores;
  bool operator==(const Inner&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, scores);
  }
};

struct Record {
  std::uint64_t update = 0;
  std::int32_t stalled = 0;
  double best = 0;
  bool done = false;
  std::vector<bool> flags;
  std::vector<Inner> inner;
  bool operator==(const Record&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(update, stalled, best, done, flags, inner);
  }
};

const Record sample{0x0123456789ABCDEF,
                    -2,
                    -std::numeric_limits<double>::infinity(),
                    true,
                    {true, false, true},
                    {{"a", {1.5, -0.0}}, {"", {}}, {"नमस्ते", {1e300}}}};

}  // namespace

TEST_CASE("a record is read back equal and gives the same bytes again") {
  const std::string bytes = to_bytes(sample);
  CHECK(bytes.substr(0, 8) == "\xEF\xCD\xAB\x89\x67\x45\x23\x01");  // little-endian
  CHECK(from_bytes<Record>(bytes, "test") == sample);
  CHECK(to_bytes(from_bytes<Record>(bytes, "test")) == bytes);
}

TEST_CASE("a record that is cut anywhere or followed by bytes is an Error naming the file") {
  const std::string bytes = to_bytes(sample);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    REQUIRE_THROWS_AS(from_bytes<Record>(std::string_view(bytes).substr(0, length), "file"), Error);
  }
  const std::string text = error_of<Error>([&] { from_bytes<Record>(bytes + '\0', "some.ckpt"); });
  CHECK(text.find("[some.ckpt]") == 0);
  CHECK(text.find("1 more bytes") != std::string::npos);
}

TEST_CASE("counts beyond the remaining bytes are refused before memory is taken") {
  for (const std::uint64_t count : {std::uint64_t{9}, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                    std::uint64_t{1} << 48, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const std::string bytes = to_bytes(count) + "12345678";
    CAPTURE(count);
    CHECK_THROWS_AS(from_bytes<std::string>(bytes, "file"), Error);
    CHECK_THROWS_AS(from_bytes<std::vector<double>>(bytes, "file"), Error);
    CHECK_THROWS_AS(from_bytes<std::vector<std::string>>(bytes, "file"), Error);
    CHECK_THROWS_AS(from_bytes<std::vector<bool>>(bytes, "file"), Error);
  }
  // Eight bytes remain: one double fits, two do not.
  CHECK(from_bytes<std::vector<double>>(to_bytes(std::uint64_t{1}) + std::string(8, '\0'), "file").size() == 1);
  CHECK_THROWS_AS(from_bytes<std::vector<double>>(to_bytes(std::uint64_t{2}) + std::string(8, '\0'), "file"), Error);
}

TEST_CASE("a bool is 0 or 1") {
  CHECK(from_bytes<bool>(std::string_view("\0", 1), "file") == false);
  CHECK(from_bytes<bool>("\1", "file") == true);
  for (int byte = 2; byte < 256; ++byte) {
    REQUIRE_THROWS_AS(from_bytes<bool>(std::string(1, static_cast<char>(byte)), "file"), Error);
  }
}

TEST_CASE("any flipped bit gives an Error or a record, never anything else") {
  const std::string bytes = to_bytes(sample);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    std::optional<Record> record;
    try {
      record = from_bytes<Record>(flipped, "file");
    } catch (const Error&) {
    }
    if (record) REQUIRE(to_bytes(*record) == flipped);
  }
}

TEST_CASE("cereal's headers for pointers and hashes are not included anywhere") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GLOSSA_SOURCE_DIR "/train")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string text = glossa::testing::read_bytes(entry.path());
    for (const char* header : {"memory", "polymorphic", "functional", "unordered_map", "unordered_set"}) {
      CAPTURE(entry.path().string());
      CHECK(text.find(std::string("cereal/types/") + header + ".hpp") == std::string::npos);
    }
  }
  CHECK(files > 10);
}
