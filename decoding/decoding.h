#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "data/tokenizers/vocabulary.h"
#include "decoding/decode_options.h"
#include "decoding/ensemble.h"

namespace glossa {

/// A translation as token ids, without <s> and </s>.
struct Hypothesis {
  std::vector<int> tokens = {};
  double score = 0;            ///< log_probability divided by the length penalty: the search's objective
  double log_probability = 0;  ///< natural logarithm, including </s>
  bool finished = false;       ///< true if ended by </s>; false if cut off at the length limit

  /// Log-probability of each token, and of </s> if finished. Their sum is `log_probability`.
  std::vector<double> token_log_probabilities = {};
};

/// Returns `log_probability` divided by the length penalty of `options`.
double penalized(double log_probability, Index length, const DecodeOptions& options);

/// The tokens that a search never chooses: <pad>, <s>, DecodeOptions::forbidden and, below the minimum length, </s>.
class ExcludedTokens {
 public:
  ExcludedTokens() = default;

  /// Throws if a token is not in the vocabulary.
  ExcludedTokens(const DecodeOptions& options, const SpecialIds& specials, Index vocabulary);

  /// Returns the sorted ids that are excluded for token number `position` of a translation, counted from 1.
  std::span<const int> at(Index position) const { return position <= min_length_ ? early_ : late_; }

 private:
  Index min_length_ = 0;
  std::vector<int> early_, late_;
};

/// One searcher's share of the batches that several searchers divide among themselves. All searchers must search for
/// the same sources with the same options.
struct SearchDivision {
  int index = 0, count = 1;  ///< this searcher handles the batches index, index + count, ...

  /// Completes the lists of hypotheses, one list per source. Before the call, lists are empty for sources that other
  /// searchers have searched.
  std::function<void(std::vector<std::vector<Hypothesis>>& found)> complete = [](auto&) {};
};

template <class T>
class BatchSearch;

/// Beam search with a key-value cache; a beam of 1 is greedy search. Each step extends every live hypothesis of a
/// sentence by one token. It considers the best 2 * beam of the results (with a beam of 1, only the best). Results with
/// </s> have ended; the best `beam` of the other results stay live. A sentence is done when none of its live hypotheses
/// can become better than its best ended one, at any length up to the limit. Once `beam` hypotheses have ended, this
/// comparison assumes that live ones end with the next token. At the limit the best ended hypothesis is returned. If
/// none has ended, the best live hypothesis is cut off. <pad> and <s> are never chosen. Ties go to the earlier
/// hypothesis, then to the smaller id.
///
/// To find the n best, the search continues until n hypotheses have ended and no live one can become better than the
/// n-th best. If the beam is at least the number of all hypotheses up to the limit, the result is the n best of all.
///
/// The first of the n best must be the hypothesis that a search for n = 1 returns. That search may end earlier (see
/// above). After the step at which it would end, the first hypothesis must not change. The search for n therefore ends
/// as soon as a live hypothesis could become better than the first with its next token.
///
/// With Search::huggingface the search ends as in `generate` of transformers with `early_stopping` false and </s> as
/// the forced last token. An ended hypothesis counts only if it is among the best `beam` results of its step. A
/// sentence is done when `beam` hypotheses have ended and the best live one could not replace any of them if it ended
/// now. At the limit, all live hypotheses count as ended, but Hypothesis::finished is false. The forced </s> does not
/// change their log-probabilities.
///
/// With `sample` each sentence has a single hypothesis, and each of its tokens is drawn at random. The random numbers
/// are functions of (seed, sentence number, position), which makes the translation independent of the batch.
///
/// Sentences of similar length are searched together in a batch. If there are enough batches for all threads, several
/// are searched in parallel. Memory is reused from batch to batch. Once it is large enough, no token costs a heap
/// allocation.
template <class T>
class Searcher {
 public:
  Searcher();
  ~Searcher();

  /// Finds the best translation of each source, in order of the sources. A source has ids as in training, including
  /// </s>. The options and model.max_positions limit a translation's length. `numbers` identifies the sentences for
  /// sampling, one number per source; empty means 0, 1, ... Throws if a source is empty or longer than
  /// model.max_positions, or if the model yields NaN.
  std::vector<Hypothesis> decode(const Ensemble<T>& models, std::span<const std::vector<int>> sources,
                                 const SpecialIds& specials, const DecodeOptions& options,
                                 std::span<const std::int64_t> numbers = {});

  /// Finds the n best translations of each source; n is at most the beam. Ended translations come first, then those cut
  /// off at the length limit; each group is sorted, best first. (With Search::huggingface, all are in one group.) The
  /// first translation is the result of `decode`. Returns fewer than n if the vocabulary or the limit does not allow
  /// more.
  std::vector<std::vector<Hypothesis>> n_best(const Ensemble<T>& models, std::span<const std::vector<int>> sources,
                                              const SpecialIds& specials, const DecodeOptions& options, Index n,
                                              std::span<const std::int64_t> numbers = {}) {
    return search(models, sources, specials, options, n, 1, numbers);
  }

  /// Draws `count` translations, called samples, of each source. Sample k, the k-th result, is a function of (seed,
  /// sentence number, k). Sample 0 is the translation that `decode` draws with options.sample. Ignores options.sample
  /// and the beam.
  std::vector<std::vector<Hypothesis>> sample(const Ensemble<T>& models, std::span<const std::vector<int>> sources,
                                              const SpecialIds& specials, DecodeOptions options, Index count,
                                              std::span<const std::int64_t> numbers = {});

  /// Makes later searches call `watch` whenever a batch is done, with its number of sentences or samples. In a divided
  /// search, the searchers take one batch each per turn. The number is then the total over all batches of that turn,
  /// including those of other searchers. Only one thread at a time calls `watch`.
  void watch(std::function<void(Index)> watch) { watch_ = std::move(watch); }

  /// Divides later searches among several searchers.
  void divide(SearchDivision division) { division_ = std::move(division); }

 private:
  /// Searches all batches. Returns the n best hypotheses of each source or, with options.sample, of each of its
  /// `samples` samples.
  std::vector<std::vector<Hypothesis>> search(const Ensemble<T>& models, std::span<const std::vector<int>> sources,
                                              const SpecialIds& specials, const DecodeOptions& options, Index n,
                                              Index samples, std::span<const std::int64_t> numbers);

  std::deque<Context<T>> contexts_;  // one per thread
  std::deque<BatchSearch<T>> searches_;
  std::function<void(Index)> watch_;
  SearchDivision division_;
};

}  // namespace glossa
