#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace glossa {

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4) of `bytes`. `crc` is the result for the
/// preceding bytes. Long data can be read in pieces: crc32c(b, crc32c(a)) == crc32c(ab).
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);

/// As crc32c, but without the processor's CRC instruction, for machines that lack it and for tests.
std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t crc = 0);

}  // namespace glossa
