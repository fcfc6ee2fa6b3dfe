#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace glossa {

/// A sentence of the validation corpus, and the run's translation of it at each validation.
struct WatchedSentence {
  std::string source, reference;
  std::vector<std::int64_t> updates;
  std::vector<std::string> outputs;  ///< one translation per update
};

/// Reads the run's samples at these updates from RUN/samples/, one file per validation. Reads at most `max_validations`
/// files, spread evenly and including the first and the last. Reads at most `max_sentences` sentences of each file.
/// Shortens long texts. For each invalid file, adds a sentence to `problems`.
std::vector<WatchedSentence> read_samples(const std::filesystem::path& run, const std::set<std::int64_t>& updates,
                                          std::size_t max_sentences, std::size_t max_validations,
                                          std::vector<std::string>& problems);

}  // namespace glossa
