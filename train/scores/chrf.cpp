#include "train/scores/chrf.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "autograd/check.h"
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

}  // namespace

double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references, bool lowercase) {
  check(hypotheses.size() == references.size(), "chrf", "expected as many hypotheses as references; got {} and {}",
        hypotheses.size(), references.size());
  std::array<double, chrf_order> proposed_count{}, wanted_count{}, matches{};
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const auto hypothesis = letters(hypotheses[i], lowercase), reference = letters(references[i], lowercase);
    for (std::size_t n = 0; n < chrf_order; ++n) {
      const auto proposed = sorted_ngrams(hypothesis, n + 1), wanted = sorted_ngrams(reference, n + 1);
      std::vector<std::u32string_view> common;  // each with the smaller of both counts (clipped)
      std::ranges::set_intersection(proposed, wanted, std::back_inserter(common));
      if (!wanted.empty()) proposed_count[n] += static_cast<double>(proposed.size());
      wanted_count[n] += static_cast<double>(wanted.size());
      matches[n] += static_cast<double>(common.size());
    }
  }
  double precision = 0, recall = 0, orders = 0;
  for (std::size_t n = 0; n < chrf_order; ++n) {
    if (proposed_count[n] == 0 || wanted_count[n] == 0) continue;
    precision += matches[n] / proposed_count[n];
    recall += matches[n] / wanted_count[n];
    orders += 1;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + recall_weight) * precision * recall / (recall_weight * precision + recall);
}

std::string chrf_signature(bool lowercase) {
  return fmt::format("nrefs:1|case:{}|eff:yes|nc:6|nw:0|space:no|version:glossa-{}", lowercase ? "lc" : "mixed",
                     program_version);
}

}  // namespace glossa
