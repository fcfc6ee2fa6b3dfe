#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/mapped_file.h"
#include "data/pair_store.h"
#include "data/prepared/written_file.h"

namespace glossa {

/// Sizes and checksums of the files of encoded pairs.
struct PairFileSizes {
  std::uint64_t pairs = 0, ids = 0;
  std::uint32_t index_checksum = 0, hashes_checksum = 0;
};

/// Writes encoded pairs to three files in a folder. `ids` contains the ids of all pairs as 32-bit numbers. `index`
/// contains each pair's lengths and the checksum of its ids. `hashes` contains the content hash of each pair's text.
class PairFileWriter {
 public:
  explicit PairFileWriter(const std::filesystem::path& folder);

  /// Appends a pair. Each side has at most PairFile::longest ids.
  void add(const IdPair& pair, std::uint64_t hash);

  /// Makes the files durable.
  PairFileSizes finish();

 private:
  WrittenFile ids_, index_, hashes_;
  PairFileSizes sizes_;
};

/// Encoded pairs in memory-mapped files. Uses 8 bytes of memory per pair, plus memory for some recently read ids.
/// Verifies the checksum of a pair's ids each time the pair is read.
class PairFile : public PairStore {
 public:
  static constexpr std::size_t longest = 65'535;  // maximum number of ids per side

  /// Throws an Error that names the damaged file if a file has another size, or `index` another checksum.
  PairFile(const std::filesystem::path& folder, const PairFileSizes& sizes);

  int size() const override { return static_cast<int>(sizes_.pairs); }
  IdPair pair(int i) const override;
  int source_length(int i) const override { return entries()[static_cast<std::size_t>(i)].source; }
  int target_length(int i) const override { return entries()[static_cast<std::size_t>(i)].target + 1; }

  bool is_in_file() const override { return true; }
  void read_ahead(std::span<const int> pairs) const override;

  const std::filesystem::path& folder() const { return folder_; }

  /// ParallelCorpus::hash of each pair.
  std::span<const std::uint64_t> hashes() const;

  /// Releases the memory of lengths and hashes that were read. They stay readable.
  void release() const;

  /// Reads all data once and verifies the checksums.
  void verify() const;

 private:
  struct Entry {
    std::uint16_t source, target;  // numbers of ids
    std::uint32_t checksum;
  };
  friend class PairFileWriter;
  static constexpr std::size_t run = 64;                // pairs per stored position
  static constexpr std::uint32_t reads_kept = 1 << 11;  // number of reads until the memory of ids is released

  std::span<const Entry> entries() const {
    return {reinterpret_cast<const Entry*>(index_.bytes().data()), sizes_.pairs};
  }
  std::span<const int> ids(std::size_t pair) const;  // ids of both sides
  void check_ids(std::size_t pair, std::span<const int> ids) const;

  std::filesystem::path folder_;
  PairFileSizes sizes_;
  MappedFile ids_, index_, hashes_;
  std::vector<std::uint64_t> positions_;  // position of every 64th pair's ids
  mutable std::atomic<std::uint32_t> reads_ = 0;
};

}  // namespace glossa
