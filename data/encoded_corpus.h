#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/parallel_corpus.h"
#include "data/tokenizers/line_encoder.h"
#include "data/tokenizers/tokenizer.h"

namespace glossa {

struct EncodeOptions {
  bool source_bos = false;
  bool source_eos = true;
  std::string source_prefix = {};  // prepended to every source, with a space between; empty: no prefix
  int max_length = 512;       // maximum tokens per side, with special tokens; longer pairs are left out; 0: no limit
  double max_ratio = 0;       // maximum ratio of longer to shorter side, without prefix and special tokens; 0: no limit
  bool may_be_empty = false;  // true: no error if no pair is left
};

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

/// Sentence pairs as ids. A source is [<s>] ids [</s>]; EncodeOptions decides whether it has <s> and </s>. A target is
/// only the ids y, because a batch needs both `<s> y` and `y </s>`.
struct EncodedCorpus {
  std::vector<std::vector<int>> source, target;  // equal lengths
  std::vector<std::size_t> origin;               // index of each pair in the ParallelCorpus
  SpecialIds specials;                           // of the target; if the vocabularies were learned, also of the source
  std::optional<int> source_pad{};               // pad id of the source, if it differs from the target's
  EncodeReport report;

  int size() const { return static_cast<int>(source.size()); }

  /// Numbers of rows that source `i` and target `i` take in a batch.
  int source_length(int i) const { return static_cast<int>(source[static_cast<std::size_t>(i)].size()); }
  int target_length(int i) const { return static_cast<int>(target[static_cast<std::size_t>(i)].size()) + 1; }

  /// Content hash of all ids of both sides; equal on every machine.
  std::uint64_t fingerprint() const;
};

/// Encodes all pairs, each side with its own special ids. If a token is unknown and the tokenizer has no `<unk>`,
/// throws an error that names file and line. Also throws if no pair is left, unless `may_be_empty` is set.
EncodedCorpus encode_corpus(const ParallelCorpus& corpus, const Tokenizer& source_tokenizer,
                            const Tokenizer& target_tokenizer, const EncodeOptions& options = {});

/// Content hash of a run's training and validation data.
std::uint64_t data_hash(const EncodedCorpus& training, const EncodedCorpus& validation,
                        std::span<const EncodedCorpus> further = {});

/// Encodes a line as a model's source: [<s>] ids of prefix and line [</s>], or no ids for a line without a token. All
/// encoder input comes from this function, in training and afterwards. Like Tokenizer::encode_line, throws LineError at
/// `name`:`line`.
std::vector<int> encode_source(const Tokenizer& tokenizer, std::string_view text, std::string_view name,
                               std::int64_t line, const EncodeOptions& options);

/// Number of ids of a source before its own text: of <s> and the prefix.
std::size_t ids_before_text(const Tokenizer& tokenizer, const EncodeOptions& options);

/// Returns the prefix, a space and the text; only the text if the prefix is empty.
std::string with_prefix(std::string_view prefix, std::string_view text);

/// Returns the counts of pairs left out, by reason.
LeftOut left_out(const EncodeReport& report);

/// One-line summary of the encoding. `with_left_out` adds the pairs left out, by reason.
std::string describe(const EncodeReport& report, bool with_left_out = true);

}  // namespace glossa
