#include "train/checkpoint/bounded_archive.h"

#include <exception>

namespace glossa {

void BoundedInputArchive::read(void* data, std::size_t size) {
  check(size <= rest_.size(), "state record", "expected {} more bytes; got {}", size, rest_.size());
  if (size > 0) std::memcpy(data, rest_.data(), size);
  rest_.remove_prefix(size);
}

std::uint64_t BoundedInputArchive::read_count() {
  std::uint64_t count = 0;
  read(&count, sizeof count);
  check(count <= rest_.size(), "state record", "expected a count that fits in the {} remaining bytes; got {}",
        rest_.size(), count);
  return count;
}

bool BoundedInputArchive::read_bool() {
  std::uint8_t byte = 0;
  read(&byte, 1);
  check(byte <= 1, "state record", "expected a bool, 0 or 1; got {}", byte);
  return byte == 1;
}

void BoundedInputArchive::finish() const {
  check(rest_.empty(), "state record", "expected the end of the record; got {} more bytes", rest_.size());
}

void rethrow_as_error(std::string_view where) {
  try {
    throw;
  } catch (const std::exception& exception) {
    fail(where, "expected a state record that this version of glossa can read; got {}", exception.what());
  }
}

}  // namespace glossa
