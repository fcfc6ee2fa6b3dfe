#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "config/config.h"

namespace glossa {

/// Figures of the runs' corpora. Reads each corpus once, even if several runs use it or a run is reported repeatedly.
class CorpusBook {
 public:
  /// Returns figures of a run's training pairs as JSON, in the format of corpus_figures.h. Adds `"changed": true` if
  /// the corpus has changed since training. If the corpus or the tokenizers cannot be read, the JSON has only `name`,
  /// and the reason as `missing`.
  const std::string& figures(const std::string& run, const Config& config);

 private:
  struct Read {
    std::string json;
    std::uint64_t data_hash = 0;
  };

  std::string read(const std::string& run, const Config& config);

  std::map<std::string, Read> corpora_;  // keyed by everything that a run's token ids depend on
  std::map<std::string, std::string> by_run_;
};

}  // namespace glossa
