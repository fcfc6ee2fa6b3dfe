#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/byte_reader.h"
#include "base/check.h"

namespace glossa {

/// Serializes numbers, texts, errors and lists of numbers for another process of the same program.
class Packed {
 public:
  template <class T>
  Packed& put(const T& value) {
    append_number(bytes_, value);
    return *this;
  }
  Packed& put(const std::string& text) {
    put(text.size());
    bytes_ += text;
    return *this;
  }
  Packed& put(const Error& error) {
    const Error::Parts& p = error.parts();
    put(error.kind() == Error::Kind::misuse).put(p.where).put(p.key).put(p.expected);
    return put(p.got.has_value()).put(p.got.value_or("")).put(p.problem).put(p.hint);
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

/// Reads the values from the bytes of a Packed, in the order in which they were put.
class Unpacked {
 public:
  explicit Unpacked(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  Unpacked& take(T& value) {
    value = rest_.take<T>();
    return *this;
  }
  Unpacked& take(std::string& text) {
    text = rest_.text(rest_.take<std::size_t>());
    return *this;
  }
  template <class T>
  Unpacked& take(std::vector<T>& values) {
    values.resize(rest_.take<std::size_t>());
    for (T& value : values) take(value);
    return *this;
  }
  Error take_error() {
    bool is_misuse = false, has_got = false;
    Error::Parts p;
    take(is_misuse).take(p.where).take(p.key).take(p.expected);
    take(has_got).take(p.got.emplace()).take(p.problem).take(p.hint);
    if (!has_got) p.got.reset();
    return {is_misuse ? Error::Kind::misuse : Error::Kind::failure, std::move(p)};
  }

  bool is_empty() const { return rest_.remaining() == 0; }

 private:
  ByteReader rest_;
};

}  // namespace glossa
