#pragma once

#include <regex>
#include <string>

namespace glossa::testing {

/// The figures in the text of a metrics.jsonl, line by line, without its events and without time-dependent values.
inline std::string figures_in(const std::string& metrics) {
  static const std::regex event("\\{\"event\"[^\n]*\n"), time("\"(tokens_per_s|seconds|waited)\":[^,}]*");
  return std::regex_replace(std::regex_replace(metrics, event, ""), time, "\"$1\":0");
}

}  // namespace glossa::testing
