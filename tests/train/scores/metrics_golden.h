#pragma once

#include <fstream>
#include <nlohmann/json.hpp>

namespace glossa::testing {

/// What sacreBLEU says of many corpora (tests/golden/metrics.py): "cases" have every setting, "drawn" are random ones
/// of many scripts; "tokenizers" gives the order of what they hold for each tokenizer.
inline const nlohmann::json& metrics_golden() {
  static const auto golden = nlohmann::json::parse(std::ifstream(GLOSSA_SOURCE_DIR "/tests/golden/metrics.json"));
  return golden;
}

}  // namespace glossa::testing
