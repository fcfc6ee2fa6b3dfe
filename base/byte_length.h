#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace glossa {

/// Size of an array in bytes: the product of all `dims`, times `element`, the size of one element. Empty if the product
/// exceeds 64 bits.
inline std::optional<std::uint64_t> byte_length(std::uint64_t element, std::span<const std::uint64_t> dims) {
  for (const std::uint64_t dim : dims)
    if (__builtin_mul_overflow(element, dim, &element)) return std::nullopt;
  return element;
}

}  // namespace glossa
