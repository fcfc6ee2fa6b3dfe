#pragma once

#include <bit>
#include <cereal/cereal.hpp>
#include <cereal/types/string.hpp>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"

/// Archives for a checkpoint's small state record, built on the cereal library. They are safe against arbitrary bytes:
/// counts are compared with the remaining bytes before use, and a bool must be 0 or 1. Nothing may follow the record.
/// The format excludes class names, pointers and polymorphism, so never include cereal's headers memory, polymorphic,
/// functional or unordered. A record may contain fixed-width integers, float, double, bool, std::string, and
/// std::vector of these types or of records. Store an enum as a checked integer or as a name, because cereal would
/// accept any value.

namespace glossa {

static_assert(std::endian::native == std::endian::little, "files of glossa are little-endian, written without swaps");

/// Appends a record's bytes to a string.
class BoundedOutputArchive : public cereal::OutputArchive<BoundedOutputArchive, cereal::AllowEmptyClassElision> {
 public:
  explicit BoundedOutputArchive(std::string& bytes) : OutputArchive(this), bytes_(bytes) {}

  void write(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

 private:
  std::string& bytes_;
};

/// Reads a record from untrusted bytes.
class BoundedInputArchive : public cereal::InputArchive<BoundedInputArchive, cereal::AllowEmptyClassElision> {
 public:
  explicit BoundedInputArchive(std::string_view bytes) : InputArchive(this), rest_(bytes) {}

  /// Copies the next `size` bytes to `data`. Throws if fewer bytes remain.
  void read(void* data, std::size_t size) {
    check(size <= rest_.size(), "state record", "expected {} more bytes; got {}", size, rest_.size());
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }

  /// Reads the number of elements in a container. Throws if it exceeds the number of remaining bytes.
  std::uint64_t read_count() {
    std::uint64_t count = 0;
    read(&count, sizeof count);
    check(count <= rest_.size(), "state record", "expected a count that fits in the {} remaining bytes; got {}",
          rest_.size(), count);
    return count;
  }

  /// Reads a bool; throws for any byte except 0 and 1.
  bool read_bool() {
    std::uint8_t byte = 0;
    read(&byte, 1);
    check(byte <= 1, "state record", "expected a bool, 0 or 1; got {}", byte);
    return byte == 1;
  }

  /// Throws if unread bytes remain.
  void finish() const {
    check(rest_.empty(), "state record", "expected the end of the record; got {} more bytes", rest_.size());
  }

 private:
  std::string_view rest_;
};

template <class T>
concept StoredNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, long double>;

template <StoredNumber T>
void save(BoundedOutputArchive& archive, const T& value) {
  archive.write(&value, sizeof(T));
}

template <StoredNumber T>
void load(BoundedInputArchive& archive, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = archive.read_bool();
  } else {
    archive.read(&value, sizeof(T));
  }
}

template <class T>
void save(BoundedOutputArchive& archive, const cereal::SizeTag<T>& tag) {
  save(archive, static_cast<std::uint64_t>(tag.size));
}

template <class T>
void load(BoundedInputArchive& archive, cereal::SizeTag<T>& tag) {
  tag.size = archive.read_count();
}

template <class T>
void save(BoundedOutputArchive& archive, const cereal::BinaryData<T>& data) {
  archive.write(data.data, data.size);
}

template <class T>
void load(BoundedInputArchive& archive, cereal::BinaryData<T>& data) {
  archive.read(data.data, data.size);
}

template <class T>
void save(BoundedOutputArchive& archive, const std::vector<T>& values) {
  save(archive, static_cast<std::uint64_t>(values.size()));
  for (const T& value : values) archive(value);
}

/// Replaces cereal's version, which first allocates memory for the full count. Here, memory grows only as bytes are
/// read.
template <class T>
void load(BoundedInputArchive& archive, std::vector<T>& values) {
  values.clear();
  for (std::uint64_t left = archive.read_count(); left > 0; --left) {
    T value{};
    archive(value);
    values.push_back(std::move(value));
  }
}

/// Serializes a record. Equal records give equal bytes.
template <class Record>
std::string to_bytes(const Record& record) {
  std::string bytes;
  BoundedOutputArchive archive(bytes);
  archive(record);
  return bytes;
}

/// Parses a record from `bytes`, which may be damaged in any way. Throws only Error; `where` names the file in the
/// error.
template <class Record>
Record from_bytes(std::string_view bytes, std::string_view where) {
  try {
    Record record{};
    BoundedInputArchive archive(bytes);
    archive(record);
    archive.finish();
    return record;
  } catch (const std::exception& exception) {  // an exception of cereal, std::bad_alloc or an Error
    fail(where, "expected a state record that this version of glossa can read; got {}", exception.what());
  }
}

}  // namespace glossa

CEREAL_SETUP_ARCHIVE_TRAITS(glossa::BoundedInputArchive, glossa::BoundedOutputArchive)
