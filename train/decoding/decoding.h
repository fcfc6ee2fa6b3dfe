#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "data/tokenizers/vocabulary.h"
#include "layers/transformer.h"

namespace glossa {

/// What a log-probability is divided by so that hypotheses of different lengths compare; lengths count </s>.
enum class LengthPenalty {
  none,   ///< 1
  power,  ///< length^alpha
  gnmt,   ///< ((5 + length) / 6)^alpha (Wu et al. 2016, section 7)
};

/// When the search for a sentence ends, and what is found then.
enum class Search { glossa, huggingface };

struct DecodeOptions {
  Index beam = 1;  ///< hypotheses kept a sentence; 1 is greedy
  LengthPenalty length_penalty = LengthPenalty::power;
  double alpha = 1;
  double max_length_factor = 2;  ///< a translation has at most factor * source ids + extra tokens, </s> included
  Index max_length_extra = 10;
  Index min_length = 0;  ///< tokens that a translation has at least, </s> not counted
  Search search = Search::glossa;
  std::vector<int> forbidden{};    ///< tokens that are never chosen, beside <pad> and <s>
  bool renormalise = false;        ///< what is never chosen has no share in the softmax
  std::int64_t max_tokens = 2048;  ///< hypotheses x longest source of a batch
  bool sample = false;             ///< draw each token from the softmax; needs a beam of 1
  double temperature = 1;          ///< of the softmax that is drawn from
  std::uint64_t seed = 1;          ///< of the draws
};

/// A translation as token ids, without <s> and </s>.
struct Hypothesis {
  std::vector<int> tokens;
  double score = 0;            ///< log_probability under the length penalty: what the search makes largest
  double log_probability = 0;  ///< natural logarithm, </s> included
  bool finished = false;       ///< ended by </s>; false: cut off at the length limit
};

/// log_probability under the length penalty of `options`.
double penalised(double log_probability, Index length, const DecodeOptions& options);

template <class T>
class BatchSearch;

/// Beam search with a key-value cache; a beam of 1 is greedy search. In each step every live hypothesis of a sentence
/// is continued, the best 2 * beam continuations are looked at, those with </s> have ended, and the best `beam` others
/// live on. A sentence is done when its best ended hypothesis is at least as good as any live one could become: at any
/// length up to the limit or, once `beam` hypotheses have ended, if it ended next. At the limit an ended hypothesis is
/// preferred; where there is none the best live one is cut off. <pad> and <s> are never chosen. Equal candidates: the
/// earlier hypothesis, then the smaller id. Who wants the n best gets them from the same search, which goes on until n
/// have ended.
///
/// With Search::huggingface the search ends as that of `generate` in transformers does with `early_stopping` false and
/// </s> as the forced last token: an ended hypothesis counts if it is among the best `beam` continuations, a sentence
/// is done when `beam` have ended and the worst of them is at least as good as the best live one would be if it ended
/// now, and at the limit </s> takes the last place, at no cost, of all live ones.
///
/// With `sample` the one hypothesis of a sentence goes on with a token drawn by (seed, number of the sentence,
/// position), so that it is the same in any batch.
///
/// Sentences are searched in batches of similar length, several batches side by side where there are enough of them for
/// all threads. Memory is kept from batch to batch, so no token costs a heap allocation. The processes of a job share
/// out the batches: all call it with the same sources, and all get all that was found.
template <class T>
class Searcher {
 public:
  Searcher();
  ~Searcher();

  /// The best translation of each source (ids as in training, </s> and all), in the order of the sources. A translation
  /// is no longer than the options say and than model.max_positions. `numbers` (one a source, or none: 0, 1, ...) are
  /// what sampling knows the sentences by. Throws on an empty source or one longer than that, and where the model gives
  /// NaN.
  std::vector<Hypothesis> decode(const Transformer<T>& model, std::span<const std::vector<int>> sources,
                                 const SpecialIds& specials, const DecodeOptions& options,
                                 std::span<const std::int64_t> numbers = {});

  /// The n best translations of each source, at most as many as the beam: those that ended, best first, then those that
  /// the limit of length cut off. The first is that of `decode`. Fewer where the vocabulary or the limit allow no more.
  std::vector<std::vector<Hypothesis>> n_best(const Transformer<T>& model, std::span<const std::vector<int>> sources,
                                              const SpecialIds& specials, const DecodeOptions& options, Index n,
                                              std::span<const std::int64_t> numbers = {});

  /// From now on `watch` gets the number of sentences of each batch whose search is done, from one thread at a time.
  void watch(std::function<void(Index)> watch) { watch_ = std::move(watch); }

 private:
  /// Calls `use(batch, search)` when a search has gone through a batch, for several at once.
  template <class Use>
  void search(const Transformer<T>& model, std::span<const std::vector<int>> sources, const SpecialIds& specials,
              const DecodeOptions& options, Index n, std::span<const std::int64_t> numbers, Use use);

  std::deque<BatchSearch<T>> searches_;  // one a thread
  std::function<void(Index)> watch_;
};

}  // namespace glossa
