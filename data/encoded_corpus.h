#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/parallel_corpus.h"
#include "data/tokenizers/tokenizer.h"

namespace glossa {

struct EncodeOptions {
  bool source_bos = false;
  bool source_eos = true;
  std::string source_prefix = {};  // what every source begins with, parted from it by a space; empty: nothing
  int max_length = 512;  // tokens of a side with its special ones; longer pairs are left out and counted; 0: no limit
  double max_ratio = 0;  // tokens of the longer side / of the shorter one, prefix and special ones not; 0: no limit
  bool may_be_empty = false;  // whether a corpus without a pair left is none to complain of
};

struct EncodeReport {
  std::int64_t pairs = 0;        // kept
  std::int64_t too_long = 0;     // left out: a side is longer than max_length
  std::string first_too_long;    // where the first of them stands
  std::int64_t unbalanced = 0;   // left out: one side is too long for the other
  std::string first_unbalanced;  // where the first of them stands
  std::int64_t empty = 0;        // left out: a side has no token (only invisible characters, for instance)
  // Of the kept pairs, special tokens left out.
  std::int64_t source_tokens = 0, target_tokens = 0;
  std::int64_t source_unknown = 0, target_unknown = 0;
};

/// Sentence pairs as ids. A source is [<s>] ids [</s>] as the options say; a target is the ids alone, because a batch
/// makes both `<s> y` and `y </s>` of it.
struct EncodedCorpus {
  std::vector<std::vector<int>> source, target;  // equal lengths
  std::vector<std::size_t> origin;               // index of each pair in the ParallelCorpus
  SpecialIds specials;                           // of the target; where the vocabularies are learnt, of both sides
  std::optional<int> source_pad{};               // of a source that has another
  EncodeReport report;

  int size() const { return static_cast<int>(source.size()); }

  /// Rows that sentence `i` takes in a batch.
  int source_length(int i) const { return static_cast<int>(source[static_cast<std::size_t>(i)].size()); }
  int target_length(int i) const { return static_cast<int>(target[static_cast<std::size_t>(i)].size()) + 1; }

  /// Content hash over all ids of both sides, equal on every machine.
  std::uint64_t fingerprint() const;
};

/// Encodes all pairs, each side with the special ids of its own. Errors: an unknown token where there is no `<unk>`
/// (names the side's file and line); no pair left, unless that may be.
EncodedCorpus encode_corpus(const ParallelCorpus& corpus, const Tokenizer& source_tokenizer,
                            const Tokenizer& target_tokenizer, const EncodeOptions& options = {});

/// Content hash of what a run learns from and validates with.
std::uint64_t data_hash(const EncodedCorpus& training, const EncodedCorpus& validation,
                        std::span<const EncodedCorpus> further = {});

/// A source as a model reads it: [<s>] ids of prefix and line [</s>]; no id for a line without a token. The one way
/// from a line to what an encoder reads, in training and after it. LineError at `name`:`line` as
/// Tokenizer::encode_line.
std::vector<int> encode_source(const Tokenizer& tokenizer, std::string_view text, std::string_view name,
                               std::int64_t line, const EncodeOptions& options);

/// What a source begins with, and the source.
std::string with_prefix(std::string_view prefix, std::string_view text);

/// Why pairs were left out.
LeftOut left_out(const EncodeReport& report);

/// One line of text: what was encoded. Without what was left out, for whom that stands elsewhere.
std::string describe(const EncodeReport& report, bool with_left_out = true);

}  // namespace glossa
