#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "decoding/scores/references.h"

namespace glossa::testing {

/// sacreBLEU's results for many corpora (tests/golden/metrics.py): "cases" have results for every setting, "drawn" are
/// random ones in many scripts, "several" are random ones with several references, "sentences" have the scores of
/// lines, each against each; "tokenizers" gives the order of their entries for each tokenizer.
inline const nlohmann::json& metrics_golden() {
  static const auto golden = nlohmann::json::parse(std::ifstream(GLOSSA_SOURCE_DIR "/tests/golden/metrics.json"));
  return golden;
}

/// The references of a case of "several".
class SeveralReferences {
 public:
  explicit SeveralReferences(std::vector<std::vector<std::string>> texts)
      : texts_(std::move(texts)), spans_(texts_.begin(), texts_.end()) {}
  SeveralReferences(const SeveralReferences&) = delete;
  SeveralReferences& operator=(const SeveralReferences&) = delete;

  References all() const { return spans_; }

 private:
  std::vector<std::vector<std::string>> texts_;
  std::vector<std::span<const std::string>> spans_;
};

}  // namespace glossa::testing
