#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/corpora/datasets.h"
#include "data/prepared/pair_file.h"
#include "data/text_statistics.h"
#include "train/config/auto_options.h"

namespace glossa {

/// A prepared corpus without its pairs.
struct PreparedRecord {
  std::vector<std::string> keys;  // of the options and files that it belongs to (prepared_key)
  PreparedTraining text;
  CorpusSize size;
  TextStatistics statistics;
  EncodeReport report;
  std::vector<int> group_ends;          // PairStore::group_ends
  std::vector<std::string> tokenizers;  // Tokenizer::serialize of both sides; one if they share it
  std::uint64_t fingerprint = 0;        // PairStore::fingerprint
  std::uint64_t text_fingerprint = 0;
  PairFileSizes sizes;
};

/// Training pairs as ids in a folder of the cache, with the tokenizers that made them.
class PreparedCorpus : public PairFile {
 public:
  /// Opens a folder. Throws an Error that names the damaged file.
  explicit PreparedCorpus(const std::filesystem::path& folder);

  /// As above; `record` is the folder's.
  PreparedCorpus(const std::filesystem::path& folder, PreparedRecord record);

  const PreparedRecord& record() const { return record_; }
  const Tokenizers& tokenizers() const { return tokenizers_; }
  std::uint64_t fingerprint() const override { return record_.fingerprint; }

  /// Reads the files and the text again. Throws an Error unless both are what they were.
  void verify_all(const Config& config, const CorpusPlaces& places) const;

 private:
  PreparedRecord record_;
  Tokenizers tokenizers_;
};

/// Reads the record of a folder. Throws an Error that names the damaged file.
PreparedRecord read_prepared_record(const std::filesystem::path& folder);

/// Reads data.train, learns the tokenizers unless they are `given`, and writes the prepared corpus to `folder`, which
/// must exist and be empty. Temporary files are in its parent folder. `key` is that of the given options and
/// tokenizers; the record also has that of the decided options and the tokenizers, which a resumed run asks for.
void write_prepared_corpus(const std::filesystem::path& folder, const Config& config, const CorpusPlaces& places,
                           const Tokenizers& given, const std::string& key);

/// Text that is equal for equal options, files and tokenizers: names of options with their values, and names, sizes,
/// times and numbers (inodes) of the files of data.train. `tokenizers` may be empty: those learned from the text.
std::string prepared_key(const Config& config, const CorpusPlaces& places, const Tokenizers& tokenizers);

/// As train_tokenizers, but announces the learning of subwords, which is slow, and shows its progress.
Tokenizers learn_tokenizers(const DataConfig& config, const ParallelCorpus& corpus);

}  // namespace glossa
