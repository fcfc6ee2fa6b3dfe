#pragma once

#include <limits>
#include <span>
#include <vector>

#include "train/decoding.h"
#include "train/sample_tokens.h"

namespace glossa {

/// The search over one batch of sentences, by one model, as `Searcher` describes it. Memory (step arena, cache, lists)
/// is kept from batch to batch.
template <class T>
class BatchSearch {
 public:
  /// Searches `sources[i]` for each i of `batch` and writes what it finds to `results[i]`; `numbers` as for `Searcher`;
  /// `weights` or null: where to keep the model's weights turned over.
  void run(const Transformer<T>& model, const SpecialIds& specials, const DecodeOptions& options,
           TransposedWeights<T>* weights, std::span<const Index> batch, std::span<const std::vector<int>> sources,
           std::span<const std::int64_t> numbers, std::span<Hypothesis> results);

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
    Index input, limit;   // place among the sources; most tokens
    std::int64_t number;  // see decode
    Index ended = 0;      // hypotheses that came to </s>
    // The best one so far:
    Index node = 0;
    double score = -std::numeric_limits<double>::infinity(), log_probability = score;
    bool finished = false;
  };

  /// How many continuations of a sentence are looked at in a step.
  Index choices() const { return options_.beam == 1 ? 1 : 2 * options_.beam; }

  void start(std::span<const Index> batch, std::span<const std::vector<int>> sources,
             std::span<const std::int64_t> numbers);
  void step();
  void choose(const Tensor<const T>& logits);
  void advance(Sentence& sentence, Index begin, Index end);
  void keep_rows_in_place(Index first, Index parents);
  Hypothesis hypothesis(const Sentence& sentence) const;

  // Of the call in progress:
  const Transformer<T>* model_ = nullptr;
  SpecialIds specials_;
  DecodeOptions options_;

  Context<T> context_;
  DecoderCache<T> cache_;

  std::vector<int> source_ids_, tokens_;
  std::vector<RowSpan> source_spans_;
  std::vector<Sentence> sentences_;
  std::vector<Node> nodes_;
  std::vector<Live> live_, next_;
  std::vector<Index> survivors_;  // beside next_: the row each goes on from
  std::vector<TokenScore> top_;   // what each hypothesis may go on with, as many of each
  std::vector<double> uniforms_;
  std::vector<Candidate> candidates_;
};

}  // namespace glossa
