#pragma once

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/check.h"
#include "data/encoded_corpus.h"

namespace glossa::test {

/// A fresh folder, removed with all it holds at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "glossa-data-XXXXXX").string();
    if (!::mkdtemp(name.data())) fail(name, "expected to create a folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string path(std::string_view name) const { return (path_ / name).string(); }

  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

/// Text of the Error that `action` throws; empty if it throws none.
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

inline ParallelCorpus corpus_of(std::vector<std::string> source, std::vector<std::string> target) {
  ParallelCorpus corpus;
  corpus.name = "corpus";
  corpus.source = std::move(source);
  corpus.target = std::move(target);
  return corpus;
}

/// Sentences of `lengths` (source, target without special tokens), ids counted from 4; the source ends with `</s>`.
inline EncodedCorpus encoded_of(const std::vector<std::pair<int, int>>& lengths) {
  EncodedCorpus corpus;
  int id = 4;
  for (const auto& [source, target] : lengths) {
    std::vector<int> x, y;
    for (int i = 0; i < source; ++i) x.push_back(id++);
    for (int i = 0; i < target; ++i) y.push_back(id++);
    x.push_back(corpus.specials.eos);
    corpus.source.push_back(x);
    corpus.target.push_back(y);
    corpus.origin.push_back(corpus.origin.size());
  }
  return corpus;
}

}  // namespace glossa::test
