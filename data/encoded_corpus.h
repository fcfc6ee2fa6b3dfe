#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/corpus_encoder.h"
#include "data/pair_store.h"
#include "data/parallel_corpus.h"
#include "data/tokenizers/tokenizer.h"

namespace glossa {

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
