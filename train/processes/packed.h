#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace glossa {

/// Serializes numbers and lists of numbers for another process of the same program.
class Packed {
 public:
  template <class T>
  Packed& put(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  template <class T>
  Packed& put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads the numbers and lists from the bytes of a Packed, in the order in which they were put.
class Unpacked {
 public:
  explicit Unpacked(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  Unpacked& take(T& value) {
    static_assert(std::is_arithmetic_v<T>);
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return *this;
  }
  template <class T>
  Unpacked& take(std::vector<T>& values) {
    std::size_t size = 0;
    take(size);
    values.resize(size);
    for (T& value : values) take(value);
    return *this;
  }

  bool is_empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace glossa
