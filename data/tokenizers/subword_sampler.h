#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// Subword regularization: draws segmentations of tokenized text, which shows a model different pieces for the same
/// word. The rule depends on the kind of vocabulary:
///
/// - BPE-dropout (Provilkov et al. 2020): BPE begins with single characters. In each step, every possible merge is left
///   out with probability p. Of the remaining ones, the merge learned first is applied. A word is done when no merge is
///   left.
/// - Sampling from a unigram model (Kudo 2018): the probability of a segmentation x_1 ... x_n of a word is proportional
///   to (P(x_1) ... P(x_n))^alpha. All segmentations of the word are candidates.
///
/// Text is cut into words before U+2581. If the vocabulary has pieces with several words, a sentence counts as a word.
/// Special and unknown tokens stay unchanged. The object is constant after construction, so several threads may use it.
class SubwordSampler {
 public:
  enum class Rule { bpe_dropout, unigram };

  /// True if the scores are ranks of merges: integers, as in sentencepiece's BPE.
  static bool is_bpe(std::span<const ScoredPiece> pieces);

  /// `strength` is p, in [0, 1], or alpha, at least 0. With p = 0, all merges are applied; with alpha = 0, all
  /// segmentations have the same probability.
  SubwordSampler(std::vector<ScoredPiece> pieces, Rule rule, double strength);
  SubwordSampler(const SubwordSampler&) = delete;
  SubwordSampler& operator=(const SubwordSampler&) = delete;
  SubwordSampler(SubwordSampler&&) = default;
  SubwordSampler& operator=(SubwordSampler&&) = default;

  /// Draws a segmentation of the text of `ids`, which may be any segmentation of that text.
  std::vector<int> draw(std::span<const int> ids, RandomStream& random) const { return segmented(ids, &random); }

  /// Returns the tokenizer's segmentation of the text of `ids`: with all merges, or with the highest probability.
  std::vector<int> best(std::span<const int> ids) const { return segmented(ids, nullptr); }

 private:
  std::vector<int> segmented(std::span<const int> ids, RandomStream* random) const;
  void add_text(std::string_view text, RandomStream* random, std::vector<int>& ids) const;
  void add_word(std::string_view word, RandomStream* random, std::vector<int>& ids) const;
  bool add_merged(std::string_view word, RandomStream* random, std::vector<int>& ids) const;
  bool add_path(std::string_view word, RandomStream* random, std::vector<int>& ids) const;
  int find(std::string_view text) const;

  std::vector<ScoredPiece> pieces_;
  Rule rule_;
  double strength_;
  std::unordered_map<std::string_view, int> ids_;  // ids of the pieces that are text
  std::size_t longest_ = 0;                        // size of the longest piece in bytes
  bool has_words_ = true;                          // true if no piece continues into another word
};

}  // namespace glossa
