#include "data/corpora/text_memory.h"

#include <limits>

#include "base/check.h"
#include "base/counted.h"
#include "data/text/stored_text.h"

namespace glossa {
namespace {

/// Size in bytes of a text, which may be packed. 0 for a missing text; its reader reports the error.
double bytes_of(const std::string& path) {
  const auto found = find_text(path);
  return found ? text_bytes(*found) : 0;
}

/// Size in bytes of these corpora.
double bytes_of(const char* key, const CorpusNames& names, const DataConfig& config) {
  double bytes = 0;
  for (const std::string& name : names) {
    if (toy_pairs(key, name)) continue;
    bytes += bytes_of(name);  // size of a table or a translation memory
    for (const std::string& language : {config.source, config.target}) bytes += bytes_of(name + "." + language);
  }
  return bytes;
}

/// Memory in bytes per byte of text for learning a vocabulary and encoding, measured on 8 and 33 MB of short lines.
double memory_bytes_per_byte(const DataConfig& config) {
  switch (config.tokenizer) {
    case DataConfig::Tokenizer::words:
    case DataConfig::Tokenizer::pieces:
      return 5;
    case DataConfig::Tokenizer::characters:
      return 9;
    case DataConfig::Tokenizer::sentencepiece:
      break;
  }
  return config.sentencepiece_model == SubwordModel::bpe ? 8 : 30;
}

}  // namespace

std::size_t max_text_bytes(const DataConfig& config, double left) {
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  const double bytes = left / memory_bytes_per_byte(config);
  return bytes < static_cast<double>(most) ? static_cast<std::size_t>(bytes) : most;
}

double training_bytes(const DataConfig& config) { return bytes_of("data.train", config.train, config); }

void check_text_fits(const DataConfig& config, double left) {
  const double bytes = bytes_of("data.train", config.train, config) + bytes_of("data.valid", config.valid, config);
  const double factor = memory_bytes_per_byte(config);
  check(factor * bytes <= left, "data.train",
        "expected at most {} of text, which needs {} times as much memory, for the {} left; got {}. Hint: use part of "
        "it, or --force",
        in_bytes(left / factor), factor, in_bytes(left), in_bytes(bytes));
}

}  // namespace glossa
