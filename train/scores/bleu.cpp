#include "train/scores/bleu.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "autograd/check.h"
#include "data/text/utf8.h"
#include "train/console/version.h"

namespace glossa {
namespace {

constexpr std::size_t bleu_order = 4;

/// All n-grams of one order, sorted; unused places are empty.
std::vector<std::array<std::string_view, bleu_order>> sorted_ngrams(const std::vector<std::string>& words,
                                                                    std::size_t order) {
  std::vector<std::array<std::string_view, bleu_order>> ngrams;
  for (std::size_t i = 0; i + order <= words.size(); ++i) {
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i), order, ngrams.emplace_back().begin());
  }
  std::ranges::sort(ngrams);
  return ngrams;
}

double smoothing_value(const BleuOptions& options) {
  if (options.smoothing_value != 0) return options.smoothing_value;
  return options.smoothing == BleuSmoothing::floor ? 0.1 : 1;
}

}  // namespace

BleuScore corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                      const BleuOptions& options) {
  check(hypotheses.size() == references.size(), "bleu", "expected as many hypotheses as references; got {} and {}",
        hypotheses.size(), references.size());
  std::array<double, bleu_order> matches{}, totals{};
  BleuScore result;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const auto words_of = [&](const std::string& line) {
      return bleu_tokens(options.tokenizer, options.lowercase ? utf8::full_lower_case(line) : line);
    };
    const auto hypothesis = words_of(hypotheses[i]), reference = words_of(references[i]);
    result.hypothesis_length += hypothesis.size();
    result.reference_length += reference.size();
    for (std::size_t n = 1; n <= bleu_order; ++n) {
      const auto proposed = sorted_ngrams(hypothesis, n), wanted = sorted_ngrams(reference, n);
      std::vector<std::array<std::string_view, bleu_order>> common;  // each with the smaller of both counts (clipped)
      std::ranges::set_intersection(proposed, wanted, std::back_inserter(common));
      matches[n - 1] += static_cast<double>(common.size());
      totals[n - 1] += static_cast<double>(proposed.size());
    }
  }

  const auto hypothesis_length = static_cast<double>(result.hypothesis_length);
  const auto reference_length = static_cast<double>(result.reference_length);
  if (reference_length > 0) result.ratio = hypothesis_length / reference_length;
  if (hypothesis_length < reference_length) {
    result.brevity_penalty = hypothesis_length > 0 ? std::exp(1 - reference_length / hypothesis_length) : 0;
  }
  if (std::ranges::all_of(matches, [](double m) { return m == 0; })) return result;

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

std::string bleu_signature(const BleuOptions& options) {
  std::string smoothing = "exp";
  if (options.smoothing == BleuSmoothing::none) smoothing = "none";
  if (options.smoothing == BleuSmoothing::floor) smoothing = fmt::format("floor[{:.2f}]", smoothing_value(options));
  if (options.smoothing == BleuSmoothing::add_k) smoothing = fmt::format("add-k[{:.2f}]", smoothing_value(options));
  return fmt::format("nrefs:1|case:{}|eff:{}|tok:{}|smooth:{}|version:glossa-{}", options.lowercase ? "lc" : "mixed",
                     options.effective_order ? "yes" : "no", name(options.tokenizer), smoothing, program_version);
}

}  // namespace glossa
