#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "decoding/decoding.h"
#include "decoding/ensemble.h"
#include "decoding/sample_tokens.h"
#include "decoding/top_tokens.h"

namespace glossa {

/// Consecutive samples, by index, of each sentence of a batch; see Searcher::sample.
struct SampleRange {
  Index first = 0, count = 1;
};

/// Search over one batch of sentences with one or more models. The caller advances it token by token; `Searcher`
/// describes the algorithm. Memory is reused from batch to batch.
template <class T>
class BatchSearch {
 public:
  /// `context` must outlive the search. It is used only during calls, so all searches of one thread can share it.
  explicit BatchSearch(Context<T>& context) : context_(context) {}

  /// Begins the search for the `n` best translations of `sources[i]`, for each i in `batch`. `numbers` is as in
  /// Searcher::decode. With DecodeOptions::sample, draws `samples` of each source. The search treats each sample as a
  /// sentence, but encodes the source once. Sample k of source i has place i * samples.count + k - samples.first. The
  /// models must outlive the search.
  void begin(const Ensemble<T>& models, const SpecialIds& specials, const DecodeOptions& options, Index n,
             std::span<const Index> batch, std::span<const std::vector<int>> sources,
             std::span<const std::int64_t> numbers, SampleRange samples = {});

  /// Extends every live hypothesis by one token.
  void step();

  /// True if all sentences are done.
  bool is_done() const { return live_.empty(); }

  /// Places (indices in the batch) of the sentences that the last step finished.
  std::span<const Index> finished() const { return finished_; }

  /// Abandons the sentence at `place`. The next step removes it and does not report it as finished.
  void drop(Index place) { sentences_[place].is_dropped = true; }

  /// Return the results of the finished sentence at `place`: `found` returns their number, and `hypothesis` the one at
  /// `rank`, where rank 0 is the best.
  Index found(Index place) const { return std::min(sentences_[place].found, wanted_); }
  Hypothesis hypothesis(Index place, Index rank) const;

 private:
  /// Last token of a hypothesis, the node of the token before it, and the log-probability of all tokens so far. Node 0
  /// is <s>.
  struct Node {
    int token;
    Index before;
    double log_probability;
  };

  /// A live hypothesis, which is a row of the decoder. A sentence's rows are adjacent.
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
    Index limit;                  // maximum length, in tokens
    std::int64_t number;          // sentence number; see Searcher::decode
    Index sample;                 // index of the sample
    Index ended = 0;              // number of hypotheses that reached </s>
    Index found = 0;              // number of the sentence's entries in found_, at most n_
    bool is_first_final = false;  // true after the step at which the search for the single best would have ended
    bool is_dropped = false;
  };

  /// One of a sentence's best hypotheses, identified by its last node.
  struct Found {
    Index node;
    double score, log_probability;
    bool finished;
  };

  /// Returns the number of continuations considered per sentence and step.
  Index choices() const { return options_.beam == 1 ? 1 : 2 * options_.beam; }

  void choose(const typename Ensemble<T>::States& states);
  void advance(Index place, Index begin, Index end);
  Found scored(Index node, double log_probability, bool finished) const;
  bool settle(Index place, double log_probability);
  void keep(Index place, const Found& ended);

  Context<T>& context_;

  // Set by `begin`:
  std::optional<Ensemble<T>> models_;
  SpecialIds specials_;
  DecodeOptions options_;
  StepOptions step_options_;
  Index n_ = 1, wanted_ = 1;  // number of hypotheses to keep per sentence, and to return
  ExcludedTokens excluded_;

  typename Ensemble<T>::Caches caches_;

  std::vector<int> source_ids_, tokens_;
  std::vector<RowSpan> source_spans_;
  std::vector<Sentence> sentences_;
  std::vector<Found> found_;  // n_ entries for each sentence, best first
  std::vector<Node> nodes_;
  std::vector<Live> live_, next_;
  std::vector<Index> survivors_;  // row of live_ that each hypothesis of next_ continues
  std::vector<Index> finished_;
  TopTokens<T> top_tokens_;
  std::vector<TokenScore> top_;  // candidate continuations, the same number for each hypothesis
  std::vector<double> uniforms_;
  SamplingMemory sampling_;
  std::vector<Candidate> candidates_;
};

}  // namespace glossa
