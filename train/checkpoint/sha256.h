#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// SHA-256 (FIPS 180-4) of a sequence of bytes that is appended piece by piece.
class Sha256 {
 public:
  /// Appends bytes.
  Sha256& update(std::span<const std::byte> bytes);
  Sha256& update(std::string_view text) { return update(std::as_bytes(std::span(text))); }

  /// Returns the digest of all bytes appended so far, as 64 lower-case hexadecimal digits. More bytes may be appended.
  std::string hex_digest() const;

 private:
  void compress(const std::byte* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};
  std::size_t pending_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace glossa
