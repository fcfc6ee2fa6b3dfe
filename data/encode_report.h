#pragma once

#include <cstdint>
#include <string>

#include "data/left_out.h"

namespace glossa {

/// Counts of pairs turned into ids.
struct EncodeReport {
  std::int64_t pairs = 0;        // kept
  std::int64_t too_long = 0;     // left out: a side is longer than max_length
  std::string first_too_long;    // position of the first such pair
  std::int64_t unbalanced = 0;   // left out: the ratio of the sides exceeds max_ratio
  std::string first_unbalanced;  // position of the first such pair
  std::int64_t empty = 0;        // left out: a side has no token, for example only invisible characters
  // Totals over the kept pairs, without special tokens:
  std::int64_t source_tokens = 0, target_tokens = 0;
  std::int64_t source_unknown = 0, target_unknown = 0;
};

/// Returns the counts of pairs left out, by reason.
LeftOut left_out(const EncodeReport& report);

/// One-line summary of the encoding. `with_left_out` adds the pairs left out, by reason.
std::string describe(const EncodeReport& report, bool with_left_out = true);

}  // namespace glossa
