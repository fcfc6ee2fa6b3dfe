#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "data/tokenizers/tokenizer.h"

namespace glossa {

struct EncodeOptions {
  bool source_bos = false;
  bool source_eos = true;
  int max_length = 512;  // tokens of a side with its special ones; longer pairs are skipped and counted; 0: no limit
  bool may_be_empty = false;  // whether a corpus without a pair left is none to complain of
};

struct EncodeReport {
  std::int64_t pairs = 0;           // kept
  std::int64_t too_long = 0;        // skipped: a side is longer than max_length
  std::int64_t first_too_long = 0;  // line of the first of them
  std::int64_t empty = 0;           // skipped: a side has no token (only invisible characters, for instance)
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
std::uint64_t data_hash(const EncodedCorpus& training, const EncodedCorpus& validation);

/// One line of text for the log.
std::string describe(const EncodeReport& report);

}  // namespace glossa
