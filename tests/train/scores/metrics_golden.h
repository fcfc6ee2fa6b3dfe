#pragma once

#include <fstream>
#include <nlohmann/json.hpp>

namespace glossa::testing {

/// sacreBLEU's results for many corpora (tests/golden/metrics.py): "cases" have results for every setting, "drawn" are
/// random ones in many scripts; "tokenizers" gives the order of their entries for each tokenizer.
inline const nlohmann::json& metrics_golden() {
  static const auto golden = nlohmann::json::parse(std::ifstream(GLOSSA_SOURCE_DIR "/tests/golden/metrics.json"));
  return golden;
}

}  // namespace glossa::testing
