#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace glossa {

static_assert(std::endian::native == std::endian::little, "files of glossa are little-endian, written without swaps");

/// Appends a number's bytes, little-endian.
template <class T>
void append_number(std::string& bytes, T number) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Appends numbers, each as a T.
template <class T, class... Numbers>
void append_numbers(std::string& bytes, Numbers... numbers) {
  (append_number(bytes, static_cast<T>(numbers)), ...);
}

/// Takes values from the front of possibly damaged bytes. If a value exceeds the remaining bytes, this value and all
/// later ones are 0 or empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T take() {
    static_assert(std::is_arithmetic_v<T>);
    T number{};
    const std::string_view bytes = text(sizeof number);
    if (is_ok()) std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }

  std::string_view text(std::uint64_t length) {
    if (is_ok() && length > rest_.size()) missing_ = length;
    if (!is_ok()) return {};
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  bool is_ok() const { return missing_ == 0; }

  /// Size in bytes of the first value that exceeded the remaining bytes; 0 if every value fitted.
  std::uint64_t missing() const { return missing_; }

  std::size_t remaining() const { return rest_.size(); }

 private:
  std::string_view rest_;
  std::uint64_t missing_ = 0;
};

}  // namespace glossa
