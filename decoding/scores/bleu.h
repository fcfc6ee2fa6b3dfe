#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decoding/scores/bleu_tokenizer.h"
#include "decoding/scores/ngram_counts.h"
#include "decoding/scores/references.h"

namespace glossa {

/// Treatment of n-gram orders without matches; methods 3, 1, 2 and 0 of Chen and Cherry (2014).
enum class BleuSmoothing {
  exponential,  ///< the k-th order without matches counts as 1 / 2^k matches
  floor,        ///< an order without matches counts as `smoothing_value` matches
  add_k,        ///< `smoothing_value` is added to matches and totals of all orders above 1
  none
};

struct BleuOptions {
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  double smoothing_value = 0;    ///< floor value (0 means 0.1) or add_k value (0 means 1)
  bool effective_order = false;  ///< true: skips orders for which the output is too short, for single sentences
  BleuTokenizer tokenizer = BleuTokenizer::mteval_13a;
};

/// A BLEU score and its components.
struct BleuScore {
  double score = 0;                     ///< 0 to 100
  std::array<double, 4> precisions{};   ///< smoothed precisions of 1- to 4-grams, 0 to 100
  double brevity_penalty = 1;           ///< 0 to 1
  double ratio = 0;                     ///< hypothesis length / reference length
  std::uint64_t hypothesis_length = 0;  ///< number of tokens
  std::uint64_t reference_length = 0;   ///< number of tokens
};

/// Counts from which BLEU is computed. The counts of a text are the sums of its lines' counts.
struct BleuCounts {
  std::array<double, 4> matches{}, totals{};  ///< numbers of 1- to 4-grams: those shared with a reference, and all
  std::uint64_t hypothesis_length = 0;        ///< number of tokens
  std::uint64_t reference_length = 0;         ///< number of tokens

  BleuCounts& operator+=(const BleuCounts& more);
};

/// Returns the counts of each line; corpus_bleu describes them. Throws Error if the line counts differ.
std::vector<BleuCounts> bleu_counts(std::span<const std::string> hypotheses, const References& references,
                                    const BleuOptions& options = {});

/// Returns the BLEU score of a text with these counts.
BleuScore bleu_of(const BleuCounts& counts, const BleuOptions& options = {});

/// Returns the corpus BLEU score (Papineni et al. 2002) as sacreBLEU defines it (Post 2018), with counts summed over
/// the corpus. Each line has one hypothesis. The matches of an n-gram are limited by its largest count in any single
/// reference. A line's reference length is the one closest to the length of the hypothesis; ties go to the shorter
/// length. White space is as in Python. Throws Error if the line counts differ.
BleuScore corpus_bleu(std::span<const std::string> hypotheses, const References& references,
                      const BleuOptions& options = {});

/// Sentence BLEU for all pairs of given texts. The n-grams of a text are counted once, which makes many pairs cheap.
class SentenceBleu {
 public:
  explicit SentenceBleu(std::span<const std::string> texts);

  /// Returns the score, from 0 to 100, of the text with index `hypothesis`; the text with index `reference` is the only
  /// reference. Equals sacreBLEU's sentence_bleu with tokenizer 13a, exponential smoothing and effective order.
  double operator()(std::size_t hypothesis, std::size_t reference) const;

 private:
  struct Text {
    std::uint64_t length;  // number of words
    NgramCounts ngrams;
  };
  std::vector<Text> texts_;
};

/// Returns the settings as a sacreBLEU signature, but with glossa's version: `nrefs:1|case:mixed|eff:no|tok:13a|...`.
/// `references` is the number of references.
std::string bleu_signature(const BleuOptions& options = {}, std::size_t references = 1);

}  // namespace glossa
