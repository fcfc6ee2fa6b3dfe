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
  double max_length_factor = 2;  ///< maximum tokens, with </s>, are factor * source ids + extra
  Index max_length_extra = 10;
  Index min_length = 0;  ///< minimum tokens, without </s>
  Search search = Search::glossa;
  std::vector<int> forbidden{};    ///< tokens never chosen, besides <pad> and <s>
  bool renormalize = false;        ///< exclude the tokens that are never chosen from the softmax
  std::int64_t max_tokens = 2048;  ///< maximum of hypotheses x longest source, per batch
  bool sample = false;             ///< draw each token from the softmax; needs a beam of 1
  double temperature = 1;          ///< of the softmax when drawing
  std::uint64_t seed = 1;          ///< of the draws
};

/// A translation as token ids, without <s> and </s>.
struct Hypothesis {
  std::vector<int> tokens;
  double score = 0;            ///< log_probability divided by the length penalty: the search's objective
  double log_probability = 0;  ///< natural logarithm, </s> included
  bool finished = false;       ///< true if ended by </s>, false if cut off at the length limit
};

/// `log_probability` divided by the length penalty of `options`.
double penalized(double log_probability, Index length, const DecodeOptions& options);

template <class T>
class BatchSearch;

/// Beam search with a key-value cache; a beam of 1 is greedy search. Each step continues every live hypothesis of a
/// sentence and considers the best 2 * beam continuations: those with </s> have ended, and the best `beam` of the
/// others stay live. A sentence is done when none of its live hypotheses can become better than its best ended one, at
/// any length up to the limit. Once `beam` hypotheses have ended, this comparison assumes that live ones end with the
/// next token. At the limit an ended hypothesis is preferred; without one, the best live hypothesis is cut off. <pad>
/// and <s> are never chosen. Ties go to the earlier hypothesis, then to the smaller id.
///
/// The n best come from the same search, which continues until n hypotheses have ended and no live one can become
/// better than the n-th best. So a beam at least as large as the number of all hypotheses up to the limit gives the n
/// best of all. Once `beam` hypotheses have ended and the single best is found, the search also ends if the next token
/// might make another hypothesis the single best.
///
/// With Search::huggingface the search ends as in `generate` of transformers with `early_stopping` false and </s> as
/// the forced last token. An ended hypothesis counts only if it is among the best `beam` continuations. A sentence is
/// done when `beam` hypotheses have ended and the best live one, if it ended now, would not be better than the worst
/// ended one. At the limit </s> becomes the last token of all live hypotheses, at no cost.
///
/// With `sample` a sentence's only hypothesis is continued with a token drawn at random. The random numbers are
/// functions of (seed, sentence number, position), so the translation does not depend on the batch.
///
/// Sentences are searched in batches of similar length, several batches in parallel if there are enough for all
/// threads. Memory is reused from batch to batch, so no token costs a heap allocation. The processes of a job split the
/// batches: all must pass the same sources, and all get all results.
template <class T>
class Searcher {
 public:
  Searcher();
  ~Searcher();

  /// Finds the best translation of each source (ids as in training, including </s>), in order of the sources. The
  /// options and model.max_positions limit a translation's length. `numbers` identifies the sentences for sampling, one
  /// number per source; empty means 0, 1, ... Throws if a source is empty or longer than model.max_positions, and if
  /// the model yields NaN.
  std::vector<Hypothesis> decode(const Transformer<T>& model, std::span<const std::vector<int>> sources,
                                 const SpecialIds& specials, const DecodeOptions& options,
                                 std::span<const std::int64_t> numbers = {});

  /// Finds the n best translations of each source; n is at most the beam. Ended translations come first, best first,
  /// then those cut off by the length limit. The first one is the result of `decode`. Returns fewer than n if the
  /// vocabulary or the limit does not allow more.
  std::vector<std::vector<Hypothesis>> n_best(const Transformer<T>& model, std::span<const std::vector<int>> sources,
                                              const SpecialIds& specials, const DecodeOptions& options, Index n,
                                              std::span<const std::int64_t> numbers = {});

  /// From now on calls `watch` with each batch's size when the batch's search is done. Only one thread at a time calls
  /// `watch`.
  void watch(std::function<void(Index)> watch) { watch_ = std::move(watch); }

 private:
  /// Calls `use(batch, search)` after each batch's search, from several threads concurrently.
  template <class Use>
  void search(const Transformer<T>& model, std::span<const std::vector<int>> sources, const SpecialIds& specials,
              const DecodeOptions& options, Index n, std::span<const std::int64_t> numbers, Use use);

  std::deque<Context<T>> contexts_;  // one per thread
  std::deque<BatchSearch<T>> searches_;
  std::function<void(Index)> watch_;
};

}  // namespace glossa
