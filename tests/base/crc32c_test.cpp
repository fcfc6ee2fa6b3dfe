#include "base/crc32c.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using glossa::crc32c;
using glossa::crc32c_by_table;

namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST_CASE("crc32c gives the published values") {
  std::string rising(32, '\0'), falling(32, '\0');
  for (int i = 0; i < 32; ++i) rising[i] = static_cast<char>(i), falling[i] = static_cast<char>(31 - i);
  for (const auto crc : {&crc32c, &crc32c_by_table}) {
    CHECK(crc(bytes(""), 0) == 0);
    CHECK(crc(bytes("123456789"), 0) == 0xE3069283u);
    // RFC 3720, appendix B.4.
    CHECK(crc(bytes(std::string(32, '\0')), 0) == 0x8A9136AAu);
    CHECK(crc(bytes(std::string(32, '\xFF')), 0) == 0x62A8AB43u);
    CHECK(crc(bytes(rising), 0) == 0x46DD794Eu);
    CHECK(crc(bytes(falling), 0) == 0x113FDB5Cu);
  }
}

TEST_CASE("crc32c in pieces and at any alignment equals that of the whole by table") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>(i * 37 + 11);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t length = 0; begin + length <= text.size(); ++length) {
      const auto piece = bytes(text).subspan(begin, length);
      const auto whole = crc32c_by_table(piece);
      REQUIRE(crc32c(piece) == whole);
      REQUIRE(crc32c(piece.subspan(length / 3), crc32c(piece.first(length / 3))) == whole);
    }
  }
}
