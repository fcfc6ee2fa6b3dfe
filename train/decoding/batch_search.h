#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "train/decoding/decoding.h"
#include "train/decoding/sample_tokens.h"

namespace glossa {

/// The search over one batch of sentences, by one model, as `Searcher` describes it. Memory (step arena, cache, lists)
/// is kept from batch to batch.
template <class T>
class BatchSearch {
 public:
  /// Searches the `n` best of `sources[i]` for each i of `batch`; `numbers` as for `Searcher`; `weights` or null: where
  /// to keep the model's weights turned over.
  void run(const Transformer<T>& model, const SpecialIds& specials, const DecodeOptions& options,
           TransposedWeights<T>* weights, Index n, std::span<const Index> batch,
           std::span<const std::vector<int>> sources, std::span<const std::int64_t> numbers);

  /// What `run` found for the sentence at a place of the batch: how many, and the one of a rank, the best at 0.
  Index found(Index place) const { return std::min(sentences_[place].found, wanted_); }
  Hypothesis hypothesis(Index place, Index rank) const;

 private:
  /// Last token of a hypothesis and the node of what stands before it. Node 0 is <s>.
  struct Node {
    int token;
    Index before;
  };

  /// A hypothesis that goes on: a row of the decoder. The rows of a sentence stand together.
  struct Live {
    Index sentence, node;
    double log_probability;
  };

  struct Candidate {
    double log_probability;
    Index row;
    int token;
  };

  struct Sentence {
    Index limit;          // most tokens
    std::int64_t number;  // see decode
    Index ended = 0;      // hypotheses that came to </s>
    Index found = 0;      // the best of them, at most n_
  };

  /// One of the best of a sentence, by its last node.
  struct Found {
    Index node;
    double score, log_probability;
    bool finished;
  };

  /// How many continuations of a sentence are looked at in a step.
  Index choices() const { return options_.beam == 1 ? 1 : 2 * options_.beam; }

  void start(std::span<const Index> batch, std::span<const std::vector<int>> sources,
             std::span<const std::int64_t> numbers);
  void step();
  void choose(const Tensor<const T>& logits);
  void advance(Index place, Index begin, Index end);
  void force_end(Index place, Index begin, Index end);
  void keep(Index place, const Found& ended);

  // Of the call in progress:
  const Transformer<T>* model_ = nullptr;
  SpecialIds specials_;
  DecodeOptions options_;
  Index n_ = 1, wanted_ = 1;              // hypotheses to keep of a sentence, and to tell of
  std::vector<int> never_, never_early_;  // tokens that are not chosen, and before the least length; in order

  Context<T> context_;
  DecoderCache<T> cache_;

  std::vector<int> source_ids_, tokens_;
  std::vector<RowSpan> source_spans_;
  std::vector<Sentence> sentences_;
  std::vector<Found> found_;  // n_ places for each sentence, best first
  std::vector<Node> nodes_;
  std::vector<Live> live_, next_;
  std::vector<Index> survivors_;  // beside next_: the row each goes on from
  std::vector<TokenScore> top_;   // what each hypothesis may go on with, as many of each
  std::vector<double> uniforms_;
  std::vector<Candidate> candidates_;
};

}  // namespace glossa
