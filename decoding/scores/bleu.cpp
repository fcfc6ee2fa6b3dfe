#include "decoding/scores/bleu.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/version.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::size_t bleu_order = 4;

/// Assigns numbers to the words of texts.
class WordNumbers {
 public:
  std::vector<std::uint32_t> of(const std::string& line, const BleuOptions& options) {
    std::vector<std::uint32_t> words;
    for (std::string& word : bleu_tokens(options.tokenizer, options.lowercase ? utf8::full_lower_case(line) : line))
      words.push_back(numbers_.try_emplace(std::move(word), static_cast<std::uint32_t>(numbers_.size())).first->second);
    return words;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Returns the reference length closest to a hypothesis of `length` words. Ties go to the shorter one.
std::uint64_t closest_length(std::uint64_t length, std::span<const std::uint64_t> references) {
  return std::ranges::min(references, {}, [length](std::uint64_t other) {
    return std::pair(std::max(other, length) - std::min(other, length), other);
  });
}

double smoothing_value(const BleuOptions& options) {
  if (options.smoothing_value != 0) return options.smoothing_value;
  return options.smoothing == BleuSmoothing::floor ? 0.1 : 1;
}

/// Adds the n-grams of a line.
void add_ngrams(BleuCounts& counts, const NgramCounts& hypothesis, const NgramCounts& wanted) {
  for (std::size_t n = 0; n < bleu_order; ++n) {
    counts.matches[n] += static_cast<double>(common_ngrams(hypothesis[n], wanted[n]));
    counts.totals[n] += static_cast<double>(total_ngrams(hypothesis[n]));
  }
}

}  // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& more) {
  for (std::size_t n = 0; n < bleu_order; ++n) {
    matches[n] += more.matches[n];
    totals[n] += more.totals[n];
  }
  hypothesis_length += more.hypothesis_length;
  reference_length += more.reference_length;
  return *this;
}

std::vector<BleuCounts> bleu_counts(std::span<const std::string> hypotheses, const References& references,
                                    const BleuOptions& options) {
  check_references("bleu", hypotheses.size(), references);
  std::vector<BleuCounts> of_lines;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    BleuCounts& counts = of_lines.emplace_back();
    WordNumbers numbers;
    NgramIndex index;
    const std::vector<std::uint32_t> hypothesis = numbers.of(hypotheses[i], options);
    std::vector<std::uint64_t> lengths;  // lengths of the references
    NgramCounts wanted(bleu_order);      // n-grams of all references, each with its largest count in any reference
    for (const std::span<const std::string> reference : references) {
      const std::vector<std::uint32_t> words = numbers.of(reference[i], options);
      const NgramCounts ngrams = index.count(words, bleu_order);
      for (std::size_t n = 0; n < bleu_order; ++n) wanted[n] = united_ngrams(wanted[n], ngrams[n]);
      lengths.push_back(words.size());
    }
    add_ngrams(counts, index.count(hypothesis, bleu_order), wanted);
    counts.hypothesis_length = hypothesis.size();
    counts.reference_length = closest_length(hypothesis.size(), lengths);
  }
  return of_lines;
}

BleuScore bleu_of(const BleuCounts& counts, const BleuOptions& options) {
  BleuScore result{.hypothesis_length = counts.hypothesis_length, .reference_length = counts.reference_length};
  const auto hypothesis_length = static_cast<double>(result.hypothesis_length);
  const auto reference_length = static_cast<double>(result.reference_length);
  if (reference_length > 0) result.ratio = hypothesis_length / reference_length;
  if (hypothesis_length < reference_length) {
    result.brevity_penalty = hypothesis_length > 0 ? std::exp(1 - reference_length / hypothesis_length) : 0;
  }
  if (std::ranges::all_of(counts.matches, [](double m) { return m == 0; })) return result;

  std::array<double, bleu_order> matches = counts.matches, totals = counts.totals;
  double halvings = 1;
  std::size_t orders = bleu_order;
  for (std::size_t n = 0; n < bleu_order; ++n) {
    if (options.smoothing == BleuSmoothing::add_k && n > 0) {
      matches[n] += smoothing_value(options);
      totals[n] += smoothing_value(options);
    }
    if (totals[n] == 0) break;
    if (options.effective_order) orders = n + 1;
    if (matches[n] > 0) {
      result.precisions[n] = 100 * matches[n] / totals[n];
    } else if (options.smoothing == BleuSmoothing::exponential) {
      result.precisions[n] = 100 / ((halvings *= 2) * totals[n]);
    } else if (options.smoothing == BleuSmoothing::floor) {
      result.precisions[n] = 100 * smoothing_value(options) / totals[n];
    }
  }
  double log_sum = 0;  // becomes minus infinity if a precision is 0, which makes the score 0
  for (std::size_t n = 0; n < orders; ++n) log_sum += std::log(result.precisions[n]);
  result.score = result.brevity_penalty * std::exp(log_sum / static_cast<double>(orders));
  return result;
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, const References& references,
                      const BleuOptions& options) {
  return bleu_of(sum_of(bleu_counts(hypotheses, references, options)), options);
}

SentenceBleu::SentenceBleu(std::span<const std::string> texts) {
  WordNumbers numbers;
  NgramIndex index;
  for (const std::string& text : texts) {
    const std::vector<std::uint32_t> words = numbers.of(text, {});
    texts_.push_back({words.size(), index.count(words, bleu_order)});
  }
}

double SentenceBleu::operator()(std::size_t hypothesis, std::size_t reference) const {
  BleuCounts counts{.hypothesis_length = texts_[hypothesis].length, .reference_length = texts_[reference].length};
  add_ngrams(counts, texts_[hypothesis].ngrams, texts_[reference].ngrams);
  return bleu_of(counts, {.effective_order = true}).score;
}

std::string bleu_signature(const BleuOptions& options, std::size_t references) {
  std::string smoothing = "exp";
  if (options.smoothing == BleuSmoothing::none) smoothing = "none";
  if (options.smoothing == BleuSmoothing::floor) smoothing = fmt::format("floor[{:.2f}]", smoothing_value(options));
  if (options.smoothing == BleuSmoothing::add_k) smoothing = fmt::format("add-k[{:.2f}]", smoothing_value(options));
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|version:glossa-{}", references,
                     options.lowercase ? "lc" : "mixed", options.effective_order ? "yes" : "no",
                     name(options.tokenizer), smoothing, program_version);
}

}  // namespace glossa
