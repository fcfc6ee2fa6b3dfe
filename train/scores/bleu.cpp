#include "train/scores/bleu.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "data/text/utf8.h"
#include "train/console/version.h"

namespace glossa {
namespace {

constexpr std::size_t bleu_order = 4;

using Tokens = std::vector<std::string>;
using Ngrams = std::vector<std::array<std::string_view, bleu_order>>;

/// All n-grams of one order, sorted; unused places are empty.
Ngrams sorted_ngrams(const Tokens& words, std::size_t order) {
  Ngrams ngrams;
  for (std::size_t i = 0; i + order <= words.size(); ++i) {
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i), order, ngrams.emplace_back().begin());
  }
  std::ranges::sort(ngrams);
  return ngrams;
}

/// The n-grams of all references, each with its largest count in any of them.
Ngrams wanted_ngrams(std::span<const Tokens> references, std::size_t order) {
  Ngrams wanted;
  for (const Tokens& reference : references) {
    Ngrams all;
    std::ranges::set_union(wanted, sorted_ngrams(reference, order), std::back_inserter(all));
    wanted = std::move(all);
  }
  return wanted;
}

/// The reference length closest to a hypothesis of `length` words; of two equally close ones, the shorter.
std::size_t closest_length(std::size_t length, std::span<const Tokens> references) {
  const auto key = [length](const Tokens& words) {
    return std::pair(std::max(words.size(), length) - std::min(words.size(), length), words.size());
  };
  return std::ranges::min(references, {}, key).size();
}

double smoothing_value(const BleuOptions& options) {
  if (options.smoothing_value != 0) return options.smoothing_value;
  return options.smoothing == BleuSmoothing::floor ? 0.1 : 1;
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

std::vector<BleuCounts> bleu_counts(std::span<const std::string> hypotheses, References references,
                                    const BleuOptions& options) {
  check_references("bleu", hypotheses.size(), references);
  const auto words_of = [&](const std::string& line) {
    return bleu_tokens(options.tokenizer, options.lowercase ? utf8::full_lower_case(line) : line);
  };
  std::vector<BleuCounts> of_lines;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    BleuCounts& counts = of_lines.emplace_back();
    const Tokens hypothesis = words_of(hypotheses[i]);
    std::vector<Tokens> of_references;
    for (const std::string& reference : references_of(references, i)) of_references.push_back(words_of(reference));
    counts.hypothesis_length = hypothesis.size();
    counts.reference_length = closest_length(hypothesis.size(), of_references);
    for (std::size_t n = 1; n <= bleu_order; ++n) {
      const Ngrams proposed = sorted_ngrams(hypothesis, n), wanted = wanted_ngrams(of_references, n);
      Ngrams common;  // each with the smaller of both counts (clipped)
      std::ranges::set_intersection(proposed, wanted, std::back_inserter(common));
      counts.matches[n - 1] = static_cast<double>(common.size());
      counts.totals[n - 1] = static_cast<double>(proposed.size());
    }
  }
  return of_lines;
}

BleuScore bleu_of(const BleuCounts& counts, const BleuOptions& options) {
  BleuScore result;
  result.hypothesis_length = counts.hypothesis_length;
  result.reference_length = counts.reference_length;
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
  double log_sum = 0;  // minus infinity, for a score of 0, if a precision is 0
  for (std::size_t n = 0; n < orders; ++n) log_sum += std::log(result.precisions[n]);
  result.score = result.brevity_penalty * std::exp(log_sum / static_cast<double>(orders));
  return result;
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, References references, const BleuOptions& options) {
  return bleu_of(sum_of(bleu_counts(hypotheses, references, options)), options);
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> reference,
                      const BleuOptions& options) {
  return corpus_bleu(hypotheses, References(&reference, 1), options);
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
