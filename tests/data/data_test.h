#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "data/encoded_corpus.h"
#include "data/sampler.h"
#include "tests/support/packed_files.h"
#include "tests/support/temporary_folder.h"

namespace glossa::testing {

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

inline ParallelCorpus corpus_of(std::vector<std::string> source, std::vector<std::string> target) {
  ParallelCorpus corpus;
  corpus.name = "corpus";
  corpus.source_name = "corpus.en";
  corpus.target_name = "corpus.de";
  corpus.source = std::move(source);
  corpus.target = std::move(target);
  return corpus;
}

/// A corpus of sentences with these lengths (source and target, without special tokens). Ids count from 4; each source
/// ends with `</s>`.
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

/// Lengths of batches of these pairs.
inline std::vector<Extents> extents_of(const PairStore& pairs, const std::vector<std::vector<int>>& lists) {
  std::vector<Extents> extents(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (const int pair : lists[i]) extents[i].add(pairs.pair(pair));
  return extents;
}

/// Batches as lists of indices.
inline std::vector<std::vector<int>> lists(const Batches& batches) {
  std::vector<std::vector<int>> all;
  for (const std::span<const int> batch : batches) all.emplace_back(batch.begin(), batch.end());
  return all;
}

}  // namespace glossa::testing
