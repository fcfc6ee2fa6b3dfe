#include "train/scores/chrf.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "data/text/utf8.h"
#include "train/console/version.h"

namespace glossa {
namespace {

constexpr std::size_t chrf_order = 6;
constexpr double recall_weight = 2 * 2;  // beta squared

std::u32string letters(const std::string& line, bool lowercase) {
  std::u32string result;
  utf8::for_each(lowercase ? utf8::full_lower_case(line) : line, [&](std::string_view, utf8::CodePoint c) {
    if (!utf8::is_python_space(c.value)) result += c.value;
  });
  return result;
}

std::vector<std::u32string_view> sorted_ngrams(std::u32string_view text, std::size_t order) {
  std::vector<std::u32string_view> ngrams;
  for (std::size_t i = 0; i + order <= text.size(); ++i) ngrams.push_back(text.substr(i, order));
  std::ranges::sort(ngrams);
  return ngrams;
}

ChrfCounts counts_of(std::u32string_view hypothesis, std::u32string_view reference) {
  ChrfCounts counts;
  for (std::size_t n = 0; n < chrf_order; ++n) {
    const auto proposed = sorted_ngrams(hypothesis, n + 1), wanted = sorted_ngrams(reference, n + 1);
    std::vector<std::u32string_view> common;  // each with the smaller of both counts (clipped)
    std::ranges::set_intersection(proposed, wanted, std::back_inserter(common));
    if (!wanted.empty()) counts.proposed[n] = static_cast<double>(proposed.size());
    counts.wanted[n] = static_cast<double>(wanted.size());
    counts.matches[n] = static_cast<double>(common.size());
  }
  return counts;
}

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& more) {
  for (const auto member : {&ChrfCounts::proposed, &ChrfCounts::wanted, &ChrfCounts::matches})
    for (std::size_t n = 0; n < chrf_order; ++n) (this->*member)[n] += (more.*member)[n];
  return *this;
}

double chrf_of(const ChrfCounts& counts) {
  double precision = 0, recall = 0, orders = 0;
  for (std::size_t n = 0; n < chrf_order; ++n) {
    if (counts.proposed[n] == 0 || counts.wanted[n] == 0) continue;
    precision += counts.matches[n] / counts.proposed[n];
    recall += counts.matches[n] / counts.wanted[n];
    orders += 1;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + recall_weight) * precision * recall / (recall_weight * precision + recall);
}

std::vector<ChrfCounts> chrf_counts(std::span<const std::string> hypotheses, References references, bool lowercase) {
  check_references("chrf", hypotheses.size(), references);
  std::vector<ChrfCounts> of_lines;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::u32string hypothesis = letters(hypotheses[i], lowercase);
    std::vector<ChrfCounts> counts;  // by reference
    for (const std::string& reference : references_of(references, i))
      counts.push_back(counts_of(hypothesis, letters(reference, lowercase)));
    of_lines.push_back(*std::ranges::max_element(counts, {}, chrf_of));  // the first of equal ones
  }
  return of_lines;
}

double corpus_chrf(std::span<const std::string> hypotheses, References references, bool lowercase) {
  return chrf_of(sum_of(chrf_counts(hypotheses, references, lowercase)));
}

double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> reference, bool lowercase) {
  return corpus_chrf(hypotheses, References(&reference, 1), lowercase);
}

std::string chrf_signature(bool lowercase, std::size_t references) {
  return fmt::format("nrefs:{}|case:{}|eff:yes|nc:6|nw:0|space:no|version:glossa-{}", references,
                     lowercase ? "lc" : "mixed", program_version);
}

}  // namespace glossa
