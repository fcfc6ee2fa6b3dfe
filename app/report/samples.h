#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace glossa {

/// A sentence of the validation corpus and a run's translations, validation by validation.
struct WatchedSentence {
  std::string source, reference;
  std::vector<std::int64_t> updates;
  std::vector<std::string> outputs;  ///< one each
};

/// The samples in RUN/samples/ for these updates: at most `max_sentences` sentences, and at most `max_validations`
/// validations spread evenly, including first and last. Long texts are shortened. An unintelligible file adds a
/// sentence to `problems`.
std::vector<WatchedSentence> read_samples(const std::filesystem::path& run, const std::set<std::int64_t>& updates,
                                          std::size_t max_sentences, std::size_t max_validations,
                                          std::vector<std::string>& problems);

}  // namespace glossa
