#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "train/config/config.h"

namespace glossa {

/// The figures of the corpora of some runs: each is read once, also where several runs learn from it, or one is
/// reported again and again.
class CorpusBook {
 public:
  /// Those of the run's training pairs as JSON: to_json of CorpusFigures, with `"changed": true` where the run was
  /// trained with others. Where the corpus or the tokenizers cannot be read, `name` and `missing`, which says why.
  const std::string& figures(const std::string& run, const Config& config);

 private:
  struct Read {
    std::string json;
    std::uint64_t data_hash = 0;
  };

  std::string read(const std::string& run, const Config& config);

  std::map<std::string, Read> corpora_;  // by what makes them
  std::map<std::string, std::string> by_run_;
};

}  // namespace glossa
