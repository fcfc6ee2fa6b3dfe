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
  std::vector<std::string> outputs;  ///< one per update
};

/// Reads the samples in RUN/samples/ for these updates. Reads at most `max_sentences` sentences of at most
/// `max_validations` validations, spread evenly and including the first and the last. Shortens long texts. Adds a
/// sentence to `problems` for each invalid file.
std::vector<WatchedSentence> read_samples(const std::filesystem::path& run, const std::set<std::int64_t>& updates,
                                          std::size_t max_sentences, std::size_t max_validations,
                                          std::vector<std::string>& problems);

}  // namespace glossa
