#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace glossa {

/// Reference translations of a text: one or more texts, each with one line per hypothesis. A blank line is a reference
/// without words, as in sacreBLEU's command. The caller owns the texts.
struct References : std::vector<std::span<const std::string>> {
  References() = default;

  /// Makes references from a single text, or from several.
  template <std::convertible_to<std::span<const std::string>> Text>
  References(const Text& text) : vector{text} {}
  template <std::convertible_to<std::span<const std::span<const std::string>>> Texts>
  References(const Texts& texts) : vector(std::begin(texts), std::end(texts)) {}
};

/// Throws Error at `where` if there is no reference, or if one of them does not have `hypotheses` lines.
inline void check_references(std::string_view where, std::size_t hypotheses, const References& references) {
  check(!references.empty(), where, "expected at least one reference; got none");
  for (const std::span<const std::string> reference : references)
    check(reference.size() == hypotheses, where, "expected as many hypotheses as references; got {} and {}", hypotheses,
          reference.size());
}

/// Returns the sum of the counts of a text's lines, in their order.
template <class Counts>
Counts sum_of(const std::vector<Counts>& of_lines) {
  Counts all;
  for (const Counts& line : of_lines) all += line;
  return all;
}

}  // namespace glossa
