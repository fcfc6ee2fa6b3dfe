#pragma once

#include <cstdint>
#include <string_view>

#include "base/random.h"

namespace glossa {

/// 64-bit content hash of a sequence of numbers and strings; equal on every machine. Detects accidental changes, not
/// attacks.
class Fingerprint {
 public:
  Fingerprint& add(std::uint64_t value) {
    state_ = mix64(state_ ^ value);
    return *this;
  }
  Fingerprint& add(std::string_view bytes) { return add(bytes.size()).add(hash_name(bytes)); }

  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace glossa
