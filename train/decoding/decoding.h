#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "data/tokenizers/vocabulary.h"
#include "layers/transformer.h"

namespace glossa {

/// Divisor of a log-probability that makes hypotheses of different lengths comparable; lengths count </s>.
enum class LengthPenalty {
  none,   ///< 1
  power,  ///< length^alpha
  gnmt,   ///< ((5 + length) / 6)^alpha (Wu et al. 2016, section 7)
};

/// Decides when a sentence's search ends and what it returns.
enum class Search { glossa, huggingface };

struct DecodeOptions {
  Index beam = 1;  ///< hypotheses kept per sentence; 1 is greedy
  LengthPenalty length_penalty = LengthPenalty::power;
  double alpha = 1;
  double max_length_factor = 2;  ///< a translation's maximum is factor * source ids + extra tokens, </s> included
  Index max_length_extra = 10;
  Index min_length = 0;  ///< minimum tokens of a translation, without </s>
  Search search = Search::glossa;
  std::vector<int> forbidden{};    ///< tokens never chosen, besides <pad> and <s>
  bool renormalize = false;        ///< exclude tokens never chosen from the softmax
  std::int64_t max_tokens = 2048;  ///< hypotheses x longest source of a batch
  bool sample = false;             ///< draw each token from the softmax; needs a beam of 1
  double temperature = 1;          ///< of the softmax to draw from
  std::uint64_t seed = 1;          ///< of the draws
};

/// A translation as token ids, without <s> and </s>.
struct Hypothesis {
  std::vector<int> tokens;
  double score = 0;            ///< log_probability under the length penalty: the search's objective
  double log_probability = 0;  ///< natural logarithm, </s> included
  bool finished = false;       ///< ended by </s>; false: cut off at the length limit
};

/// log_probability under the length penalty of `options`.
double penalized(double log_probability, Index length, const DecodeOptions& options);

template <class T>
class BatchSearch;

/// Beam search with a key-value cache; a beam of 1 is greedy search. Each step continues every live hypothesis of a
/// sentence and considers the best 2 * beam continuations: those with </s> have ended, and the best `beam` others live
/// on. A sentence is done when its best ended hypothesis is at least as good as any live one could become: at any
/// length up to the limit or, once `beam` hypotheses have ended, if it ended next. At the limit an ended hypothesis is
/// preferred; otherwise the best live one is cut off. <pad> and <s> are never chosen. Ties go to the earlier
/// hypothesis, then the smaller id. The n best come from the same search, which runs on until n have ended.
///
/// With Search::huggingface the search ends like that of `generate` in transformers with `early_stopping` false and
/// </s> as the forced last token. An ended hypothesis counts if it is among the best `beam` continuations. A sentence
/// is done when `beam` have ended and the worst is at least as good as the best live one if it ended now. At the limit
/// </s> takes the last place of all live ones, at no cost.
///
/// With `sample` a sentence's only hypothesis is continued with a token drawn by (seed, number of the sentence,
/// position), so it is the same in any batch.
///
/// Sentences are searched in batches of similar length, several batches in parallel if there are enough for all
/// threads. Memory is reused from batch to batch, so no token costs a heap allocation. The processes of a job share the
/// batches: all call it with the same sources, and all get all results.
template <class T>
class Searcher {
 public:
  Searcher();
  ~Searcher();

  /// Finds the best translation of each source (ids as in training, including </s>), in order of the sources. Its
  /// length is bounded by the options and by model.max_positions. `numbers` (one per source, or none: 0, 1, ...)
  /// identify the sentences for sampling. Throws on an empty source or one longer than that, and if the model yields
  /// NaN.
  std::vector<Hypothesis> decode(const Transformer<T>& model, std::span<const std::vector<int>> sources,
                                 const SpecialIds& specials, const DecodeOptions& options,
                                 std::span<const std::int64_t> numbers = {});

  /// Finds the n best translations of each source, at most the beam: ended ones, best first, then those cut off by the
  /// length limit. The first is that of `decode`. Fewer if the vocabulary or the limit allows no more.
  std::vector<std::vector<Hypothesis>> n_best(const Transformer<T>& model, std::span<const std::vector<int>> sources,
                                              const SpecialIds& specials, const DecodeOptions& options, Index n,
                                              std::span<const std::int64_t> numbers = {});

  /// From now on calls `watch` with the size of each batch whose search is done, from one thread at a time.
  void watch(std::function<void(Index)> watch) { watch_ = std::move(watch); }

 private:
  /// Calls `use(batch, search)` after each batch's search, for several concurrently.
  template <class Use>
  void search(const Transformer<T>& model, std::span<const std::vector<int>> sources, const SpecialIds& specials,
              const DecodeOptions& options, Index n, std::span<const std::int64_t> numbers, Use use);

  std::deque<BatchSearch<T>> searches_;  // one per thread
  std::function<void(Index)> watch_;
};

}  // namespace glossa
