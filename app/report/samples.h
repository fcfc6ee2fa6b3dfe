#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace glossa {

/// A sentence of the validation corpus and what a run made of it, validation by validation.
struct WatchedSentence {
  std::string source, reference;
  std::vector<std::int64_t> updates;
  std::vector<std::string> outputs;  ///< as many
};

/// What RUN/samples/ has of these updates: of at most `most_sentences` sentences, and of at most `most_validations`
/// validations spread evenly, first and last among them. Long texts are shortened. A file that cannot be understood is
/// a sentence in `problems`.
std::vector<WatchedSentence> read_samples(const std::filesystem::path& run, const std::set<std::int64_t>& updates,
                                          std::size_t most_sentences, std::size_t most_validations,
                                          std::vector<std::string>& problems);

}  // namespace glossa
