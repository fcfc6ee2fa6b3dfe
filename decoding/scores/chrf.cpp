#include "decoding/scores/chrf.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/version.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::size_t chrf_order = 6;
constexpr double recall_weight = 2 * 2;  // beta squared

/// Returns the code points of a text, without white space.
std::vector<std::uint32_t> letters(const std::string& line, bool lowercase) {
  std::vector<std::uint32_t> result;
  utf8::for_each(lowercase ? utf8::full_lower_case(line) : line, [&](std::string_view, utf8::CodePoint c) {
    if (!utf8::is_python_space(c.value)) result.push_back(c.value);
  });
  return result;
}

ChrfCounts counts_of(const NgramCounts& hypothesis, const NgramCounts& reference) {
  ChrfCounts counts;
  for (std::size_t n = 0; n < chrf_order; ++n) {
    if (!reference[n].empty()) counts.proposed[n] = static_cast<double>(total_ngrams(hypothesis[n]));
    counts.wanted[n] = static_cast<double>(total_ngrams(reference[n]));
    counts.matches[n] = static_cast<double>(common_ngrams(hypothesis[n], reference[n]));
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

std::vector<ChrfCounts> chrf_counts(std::span<const std::string> hypotheses, const References& references,
                                    bool lowercase) {
  check_references("chrf", hypotheses.size(), references);
  std::vector<ChrfCounts> of_lines;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    NgramIndex index;
    const NgramCounts hypothesis = index.count(letters(hypotheses[i], lowercase), chrf_order);
    std::vector<ChrfCounts> counts;  // counts for each reference
    for (const std::span<const std::string> reference : references)
      counts.push_back(counts_of(hypothesis, index.count(letters(reference[i], lowercase), chrf_order)));
    of_lines.push_back(*std::ranges::max_element(counts, {}, chrf_of));  // ties go to the first reference
  }
  return of_lines;
}

double corpus_chrf(std::span<const std::string> hypotheses, const References& references, bool lowercase) {
  return chrf_of(sum_of(chrf_counts(hypotheses, references, lowercase)));
}

SentenceChrf::SentenceChrf(std::span<const std::string> texts) {
  NgramIndex index;
  for (const std::string& text : texts) texts_.push_back(index.count(letters(text, /*lowercase=*/false), chrf_order));
}

double SentenceChrf::operator()(std::size_t hypothesis, std::size_t reference) const {
  return chrf_of(counts_of(texts_[hypothesis], texts_[reference]));
}

std::string chrf_signature(bool lowercase, std::size_t references) {
  return fmt::format("nrefs:{}|case:{}|eff:yes|nc:6|nw:0|space:no|version:glossa-{}", references,
                     lowercase ? "lc" : "mixed", program_version);
}

}  // namespace glossa
