#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace glossa {

/// Endings of the names of packed texts: gzip (RFC 1952) and Zstandard (RFC 8878).
inline constexpr std::array<std::string_view, 2> packed_endings{".gz", ".zst"};

/// Returns the name without the ending of a packed text; other names as they are.
std::string_view unpacked_name(std::string_view name);

inline bool is_packed(std::string_view name) { return unpacked_name(name).size() < name.size(); }

/// The program that unpacks a text of this name: `-dc` writes it to standard output, `-dk` to a file. Empty for a text
/// that is not packed.
std::string_view unpacking_program(std::string_view name);

/// Unpacks a text while it is read.
class Unpacker {
 public:
  /// Reads at most `size` packed bytes and returns their number; returns 0 only at the end.
  using Read = std::function<std::size_t(char* bytes, std::size_t size)>;

  virtual ~Unpacker() = default;

  /// Reads 1 to `size` unpacked bytes and returns their number; returns 0 only at the end. Throws an Error that names
  /// the text if the packed data is damaged, truncated or followed by other bytes.
  virtual std::size_t read(char* bytes, std::size_t size) = 0;
};

/// Makes the unpacker for a text of this name; null if the text is not packed.
std::unique_ptr<Unpacker> make_unpacker(const std::string& name, Unpacker::Read read);

}  // namespace glossa
