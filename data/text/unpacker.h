#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace glossa {

/// Name endings of packed texts: gzip (RFC 1952) and Zstandard (RFC 8878).
inline constexpr std::array<std::string_view, 2> packed_endings{".gz", ".zst"};

/// Returns the name without the ending of a packed text. Other names stay unchanged.
std::string_view unpacked_name(std::string_view name);

inline bool is_packed(std::string_view name) { return unpacked_name(name).size() < name.size(); }

/// Name of the program that unpacks a text with this name: `-dc` writes to standard output, `-dk` to a file. Empty if
/// the text is not packed.
std::string_view unpacking_program(std::string_view name);

/// Unpacks a text as it is read.
class Unpacker {
 public:
  /// Reads at most `size` packed bytes and returns their number; returns 0 only at the end.
  using Read = std::function<std::size_t(char* bytes, std::size_t size)>;

  virtual ~Unpacker() = default;

  /// Reads 1 to `size` unpacked bytes and returns their number; returns 0 only at the end. Throws an Error that names
  /// the text if the packed data is damaged, truncated or followed by other bytes.
  virtual std::size_t read(char* bytes, std::size_t size) = 0;
};

/// Makes the unpacker for a text with this name; returns null if the text is not packed.
std::unique_ptr<Unpacker> make_unpacker(const std::string& name, Unpacker::Read read);

}  // namespace glossa
