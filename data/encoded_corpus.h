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
  std::string source_prefix = {};  // prepended to every source, with a space between; empty: no prefix
  int max_length = 512;       // maximum tokens per side, with special tokens; longer pairs are left out; 0: no limit
  double max_ratio = 0;       // maximum ratio of longer to shorter side, without prefix and special tokens; 0: no limit
  bool may_be_empty = false;  // true: no error if no pair is left
};

/// Encodes a line as a model's source: [<s>] ids of prefix and line [</s>], or no ids for a line without a token. All
/// encoder input comes from this function, in training and afterwards. Like Tokenizer::encode_line, throws LineError at
/// `name`:`line`.
std::vector<int> encode_source(const Tokenizer& tokenizer, std::string_view text, std::string_view name,
                               std::int64_t line, const EncodeOptions& options);

/// Number of ids of a source before its own text: of <s> and the prefix.
std::size_t ids_before_text(const Tokenizer& tokenizer, const EncodeOptions& options);

/// Returns the prefix, a space and the text; only the text if the prefix is empty.
std::string with_prefix(std::string_view prefix, std::string_view text);

/// Throws unless at least one of `pairs` pairs of the corpus `name` was kept, or none may be.
void check_any_pair(const std::string& name, std::size_t pairs, const EncodeReport& report,
                    const EncodeOptions& options);

/// Encodes pairs, in several calls if they are not in memory at once.
class CorpusEncoder {
 public:
  /// Keeps references to the tokenizers.
  CorpusEncoder(const Tokenizer& source, const Tokenizer& target, EncodeOptions options);

  /// Encodes the pairs of a corpus in order, with all threads, and calls `use(pair, source, target)` for those that are
  /// not left out: the index in `corpus`, and ids as in IdPair. Throws as encode_corpus, except that no pair may be
  /// left.
  template <class Use>
  void encode(const ParallelCorpus& corpus, const Use& use) {
    for (std::size_t begin = 0; begin < corpus.source.size(); begin += block) {
      encode_block(corpus, begin);
      for (std::size_t i = 0; i < pairs_.size(); ++i)
        if (counts(corpus, begin + i, pairs_[i]))
          use(begin + i, std::move(pairs_[i].source), std::move(pairs_[i].target));
    }
  }

  /// Counts of all calls.
  const EncodeReport& report() const { return report_; }

  /// PairStore::group_ends of the pairs of all calls.
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
  std::size_t added_, prefix_;      // special tokens of a source, and ids of its prefix
  std::vector<Encoders> encoders_;  // one for each thread
  std::vector<Pair> pairs_;         // of the current block
  EncodeReport report_;
  std::vector<int> group_sizes_;  // numbers of pairs that are not left out
};

/// Encoded sentence pairs in memory.
struct EncodedCorpus : PairStore {
  std::vector<std::vector<int>> source, target;  // equal lengths
  std::vector<std::size_t> origin;               // index of each pair in the ParallelCorpus

  int size() const override { return static_cast<int>(source.size()); }
  IdPair pair(int i) const override {
    return {source[static_cast<std::size_t>(i)], target[static_cast<std::size_t>(i)]};
  }
  int source_length(int i) const override { return pair(i).source_length(); }
  int target_length(int i) const override { return pair(i).target_length(); }
};

/// Encodes all pairs, each side with its own special ids. If a token is unknown and the tokenizer has no `<unk>`,
/// throws an error that names file and line. Also throws if no pair is left, unless `may_be_empty` is set.
EncodedCorpus encode_corpus(const ParallelCorpus& corpus, const Tokenizer& source_tokenizer,
                            const Tokenizer& target_tokenizer, const EncodeOptions& options = {});

/// Content hash of a run's data, made of the fingerprints of its pairs: for training, for validation, further ones.
std::uint64_t data_hash(std::span<const std::uint64_t> fingerprints);

/// As above, of these pairs.
std::uint64_t data_hash(const PairStore& training, const PairStore& validation,
                        std::span<const EncodedCorpus> further = {});

}  // namespace glossa
