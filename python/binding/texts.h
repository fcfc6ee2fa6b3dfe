#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "decoding/scores/bleu_tokenizer.h"

namespace glossa::python {

/// A text as a list of lines, or several texts with equal numbers of lines.
using OneOrMoreTexts = std::variant<std::vector<std::string>, std::vector<std::vector<std::string>>>;

inline std::vector<std::span<const std::string>> spans_of(const OneOrMoreTexts& texts) {
  if (const auto* one = std::get_if<std::vector<std::string>>(&texts)) return {*one};
  const auto& several = std::get<std::vector<std::vector<std::string>>>(texts);
  return {several.begin(), several.end()};
}

/// Returns the BLEU tokenizer with this name. Throws a misuse error for other names.
BleuTokenizer tokenizer_named(const std::string& name);

}  // namespace glossa::python
