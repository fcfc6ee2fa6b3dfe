#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/corpus_report.h"
#include "data/tokenizers/vocabulary.h"

namespace glossa {

/// A sentence pair as ids. A source is [<s>] ids [</s>]; EncodeOptions decides whether it has <s> and </s>. A target
/// has only the ids y, because a batch needs both `<s> y` and `y </s>`.
struct IdPair {
  std::span<const int> source, target;

  /// Numbers of rows that the source and the target occupy in a batch.
  int source_length() const { return static_cast<int>(source.size()); }
  int target_length() const { return static_cast<int>(target.size()) + 1; }
};

/// Sentence pairs as ids, in memory or in a file.
class PairStore {
 public:
  EncodeReport report;
  SpecialIds specials;              // special ids of the target; for learned vocabularies, also of the source
  std::optional<int> source_pad{};  // pad id of the source, if it differs from the target's
  std::vector<int> group_ends;      // end of each group's pairs (CorpusPart::group); empty: a single group

  virtual ~PairStore() = default;

  /// Sets the special ids from the tokenizers.
  void use_specials(const SpecialIds& source, const SpecialIds& target);

  virtual int size() const = 0;

  /// Pair `i`, in {0, ..., size()-1}. The ids stay in place until the store is changed or destroyed.
  virtual IdPair pair(int i) const = 0;

  /// IdPair::source_length and IdPair::target_length of pair `i`, without reading the pair.
  virtual int source_length(int i) const = 0;
  virtual int target_length(int i) const = 0;

  /// True if reading a pair may have to wait for a disk.
  virtual bool is_in_file() const { return false; }

  /// Requests that these pairs be read from the disk, without waiting for them.
  virtual void read_ahead(std::span<const int> /*pairs*/) const {}

  /// Content hash of all ids of both sides; equal on every machine.
  virtual std::uint64_t fingerprint() const;

 protected:
  PairStore() = default;
  PairStore(const PairStore&) = default;
  PairStore(PairStore&&) = default;
  PairStore& operator=(const PairStore&) = default;
  PairStore& operator=(PairStore&&) = default;
};

}  // namespace glossa
