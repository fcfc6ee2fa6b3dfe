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

/// Text of sentence pairs that may exceed memory, stored in files without a name. Uses an eighth of a byte of memory
/// per pair, plus the pages of a few thousand recently read pairs.
class SpooledText {
 public:
  /// Creates the files in this folder.
  explicit SpooledText(const std::filesystem::path& folder);

  /// Appends pairs of the corpus with index `part` in ParallelCorpus::parts.
  void add(const ParallelCorpus& block, std::uint32_t part);

  /// Ends writing. Only afterwards can pairs be read; several threads may do so at once.
  void finish();

  std::size_t size() const { return size_; }

  /// The pair's sides, position (ParallelCorpus::line) and part.
  std::string_view source(std::size_t pair) const;
  std::string_view target(std::size_t pair) const;
  std::int64_t line(std::size_t pair) const { return entries()[pair].line; }
  std::uint32_t part(std::size_t pair) const { return entries()[pair].part; }

 private:
  struct Entry {
    std::uint32_t source_bytes, target_bytes, line, part;
  };
  static constexpr std::size_t run = 64;                // pairs per stored position
  static constexpr std::uint32_t reads_kept = 1 << 11;  // number of reads by a thread until memory is released

  std::span<const Entry> entries() const;
  std::string_view text(std::size_t pair) const;  // text of both sides

  WrittenFile text_, index_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> positions_;  // position of every 64th pair's text
  std::optional<MappedFile> mapped_text_, mapped_index_;
};

}  // namespace glossa
