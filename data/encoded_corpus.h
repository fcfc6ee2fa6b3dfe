#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/corpus_report.h"
#include "data/pair_store.h"
#include "data/parallel_corpus.h"
#include "data/tokenizers/line_encoder.h"
#include "data/tokenizers/tokenizer.h"

namespace glossa {

struct EncodeOptions {
  bool source_bos = false;
  bool source_eos = true;
  std::string source_prefix = {};  // prepended to every source with a space; empty: no prefix
  int max_length = 512;       // maximum tokens per side, with special tokens; longer pairs are dropped; 0: no limit
  double max_ratio = 0;       // maximum ratio of longer to shorter side, without prefix and special tokens; 0: no limit
  bool may_be_empty = false;  // true: an empty result is not an error
};

/// Encodes a line as a model's source: [<s>] ids of prefix and line [</s>]. A line without tokens gives no ids. All
/// encoder input comes from this function, in training and later. Throws LineError at `name`:`line`, like
/// Tokenizer::encode_line.
std::vector<int> encode_source(const Tokenizer& tokenizer, std::string_view text, std::string_view name,
                               std::int64_t line, const EncodeOptions& options);

/// Number of ids before a source's text, for <s> and the prefix.
std::size_t ids_before_text(const Tokenizer& tokenizer, const EncodeOptions& options);

/// Returns the prefix, a space and the text; with an empty prefix, only the text.
std::string with_prefix(std::string_view prefix, std::string_view text);

/// Throws if none of the `pairs` pairs of the corpus `name` was kept, unless options.may_be_empty is set.
void check_any_pair(const std::string& name, std::size_t pairs, const EncodeReport& report,
                    const EncodeOptions& options);

/// Encodes the pairs of a corpus; several calls of `encode` can pass them in blocks if they exceed memory.
class CorpusEncoder {
 public:
  /// Keeps references to the tokenizers.
  CorpusEncoder(const Tokenizer& source, const Tokenizer& target, EncodeOptions options);

  /// Encodes the pairs of a corpus in order, with all threads. Calls `use(pair, source, target)` for each pair that is
  /// kept, with its index in `corpus` and its ids as in IdPair. Throws like encode_corpus, but accepts an empty result.
  template <class Use>
  void encode(const ParallelCorpus& corpus, const Use& use) {
    for (std::size_t begin = 0; begin < corpus.source.size(); begin += block) {
      encode_block(corpus, begin);
      for (std::size_t i = 0; i < pairs_.size(); ++i)
        if (counts(corpus, begin + i, pairs_[i]))
          use(begin + i, std::move(pairs_[i].source), std::move(pairs_[i].target));
    }
  }

  /// Counts over all calls of `encode`.
  const EncodeReport& report() const { return report_; }

  /// PairStore::group_ends for the pairs of all calls of `encode`.
  std::vector<int> group_ends() const;

 private:
  struct Pair {
    std::vector<int> source, target;
  };
  struct Encoders {
    LineEncoder source, target;
  };

  static constexpr std::size_t block = 1 << 15;

  void encode_block(const ParallelCorpus& corpus, std::size_t begin);
  bool counts(const ParallelCorpus& corpus, std::size_t index, const Pair& pair);

  EncodeOptions options_;
  SpecialIds source_specials_, target_specials_;
  std::size_t added_, prefix_;      // numbers of special tokens and of prefix ids in a source
  std::vector<Encoders> encoders_;  // encoders of each thread
  std::vector<Pair> pairs_;         // pairs of the current block
  EncodeReport report_;
  std::vector<int> group_sizes_;  // number of kept pairs of each group
};

/// Encoded sentence pairs in memory.
struct EncodedCorpus : PairStore {
  std::vector<std::vector<int>> source, target;  // token ids of each pair
  std::vector<std::size_t> origin;               // each pair's index in the ParallelCorpus

  int size() const override { return static_cast<int>(source.size()); }
  IdPair pair(int i) const override {
    return {source[static_cast<std::size_t>(i)], target[static_cast<std::size_t>(i)]};
  }
  int source_length(int i) const override { return pair(i).source_length(); }
  int target_length(int i) const override { return pair(i).target_length(); }
};

/// Encodes all pairs, each side with its own special ids. If a token is unknown and the tokenizer has no `<unk>`,
/// throws an error that names file and line. Also throws if no pair is kept, unless `may_be_empty` is set.
EncodedCorpus encode_corpus(const ParallelCorpus& corpus, const Tokenizer& source_tokenizer,
                            const Tokenizer& target_tokenizer, const EncodeOptions& options = {});

/// Content hash of a run's data, from the fingerprints of its corpora: training, validation, then further ones.
std::uint64_t data_hash(std::span<const std::uint64_t> fingerprints);

/// As the other data_hash, computed from the pairs.
std::uint64_t data_hash(const PairStore& training, const PairStore& validation,
                        std::span<const EncodedCorpus> further = {});

}  // namespace glossa
