#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glossa {

/// Counts of a corpus: lines + units = pairs + held_out + the counts marked `left out`.
struct CorpusReport {
  std::int64_t lines = 0;             // lines or rows read
  std::int64_t units = 0;             // units read from translation memories
  std::int64_t pairs = 0;             // pairs kept
  std::int64_t empty_source = 0;      // pairs left out: only the source side is empty
  std::int64_t empty_target = 0;      // pairs left out: only the target side is empty
  std::int64_t empty_both = 0;        // pairs left out: both sides are empty
  std::int64_t language = 0;          // pairs left out: one of the languages is missing
  std::int64_t duplicate = 0;         // pairs left out: equal to an earlier pair
  std::int64_t held_out = 0;          // pairs held out for validation and testing
  std::int64_t same_source = 0;       // pairs left out: another pair with the same source is held out
  std::int64_t repeated = 0;          // pairs kept, but equal to an earlier pair
  std::int64_t further_variants = 0;  // unused: further variants of a TMX unit in the same language
  std::int64_t unused_columns = 0;    // unused columns of tables; not counted if the options choose columns
  std::int64_t replaced = 0;          // ill-formed UTF-8 pieces replaced by U+FFFD
};

/// Adds the counts of another corpus.
CorpusReport& operator+=(CorpusReport& all, const CorpusReport& more);

/// Counts of pairs converted to ids.
struct EncodeReport {
  std::int64_t pairs = 0;        // pairs kept
  std::int64_t too_long = 0;     // pairs left out: a side is longer than max_length
  std::string first_too_long;    // position of the first such pair
  std::int64_t unbalanced = 0;   // pairs left out: the ratio of the sides exceeds max_ratio
  std::string first_unbalanced;  // position of the first such pair
  std::int64_t empty = 0;        // pairs left out: a side has no token, for example only invisible characters
  // Totals over the kept pairs, without special tokens:
  std::int64_t source_tokens = 0, target_tokens = 0;
  std::int64_t source_unknown = 0, target_unknown = 0;
};

/// Lines such as `left out: empty 3 (2 sources, 1 target)`: pairs that reading and encoding leave out, by reason.
std::vector<std::string> left_out(const CorpusReport& corpus, const EncodeReport& encoded = {});

/// One-line summary of the lines or units read and the pairs kept, or of the pairs encoded. `with_left_out` adds the
/// pairs left out, by reason.
std::string describe(const CorpusReport& report, bool with_left_out = true);
std::string describe(const EncodeReport& report, bool with_left_out = true);

}  // namespace glossa
