#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "data/parallel_corpus.h"
#include "data/prepared/written_file.h"

namespace glossa {

/// Text of sentence pairs that is too large for memory, in files without a name. Memory is an eighth of a byte per
/// pair, and the pages of the last thousands of pairs that were read.
class SpooledText {
 public:
  /// The files are in this folder.
  explicit SpooledText(const std::filesystem::path& folder);

  /// Appends the pairs of a corpus, which is the part of this number.
  void add(const ParallelCorpus& block, std::uint32_t part);

  /// Ends writing; the pairs can be read from now on, by several threads.
  void finish();

  std::size_t size() const { return size_; }

  /// A pair's sides, position (ParallelCorpus::line) and part.
  std::string_view source(std::size_t pair) const;
  std::string_view target(std::size_t pair) const;
  std::int64_t line(std::size_t pair) const { return entries()[pair].line; }
  std::uint32_t part(std::size_t pair) const { return entries()[pair].part; }

 private:
  struct Entry {
    std::uint32_t source_bytes, target_bytes, line, part;
  };
  static constexpr std::size_t run = 64;                // pairs for each known position
  static constexpr std::uint32_t reads_kept = 1 << 11;  // by a thread, until memory is released

  std::span<const Entry> entries() const;
  std::string_view text(std::size_t pair) const;  // both sides

  WrittenFile text_, index_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> positions_;  // of every 64th pair's text
  std::optional<MappedFile> mapped_text_, mapped_index_;
};

}  // namespace glossa
