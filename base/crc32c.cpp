#include "base/crc32c.h"

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

#include <array>
#include <cstring>

namespace glossa {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0x82F63B78u : 0u);
    table[i] = value;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> table = make_table();

}  // namespace

std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t crc) {
  crc = ~crc;
  for (const std::byte b : bytes) crc = (crc >> 8) ^ table[(crc ^ static_cast<std::uint32_t>(b)) & 0xFFu];
  return ~crc;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc) {
#ifdef __SSE4_2__
  std::uint64_t state = ~crc;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    state = _mm_crc32_u64(state, word);
  }
  return crc32c_by_table(bytes, ~static_cast<std::uint32_t>(state));
#else
  return crc32c_by_table(bytes, crc);
#endif
}

}  // namespace glossa
