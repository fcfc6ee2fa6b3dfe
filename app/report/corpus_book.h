#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "train/config/config.h"

namespace glossa {

/// Figures of the runs' corpora. Each corpus is read once, even if several runs learn from it or one is reported
/// repeatedly.
class CorpusBook {
 public:
  /// Figures of the run's training pairs as JSON: to_json of CorpusFigures, with `"changed": true` if the run was
  /// trained on others. If the corpus or the tokenizers cannot be read, `name` and the reason as `missing`.
  const std::string& figures(const std::string& run, const Config& config);

 private:
  struct Read {
    std::string json;
    std::uint64_t data_hash = 0;
  };

  std::string read(const std::string& run, const Config& config);

  std::map<std::string, Read> corpora_;  // by their inputs
  std::map<std::string, std::string> by_run_;
};

}  // namespace glossa
