#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/auto_options.h"
#include "data/corpora/datasets.h"
#include "data/prepared/pair_file.h"
#include "data/text_statistics.h"

namespace glossa {

/// Description of a prepared corpus, without its pairs.
struct PreparedRecord {
  std::vector<std::string> keys;  // keys of its options and files (prepared_key)
  PreparedTraining text;
  CorpusSize size;
  TextStatistics statistics;
  EncodeReport report;
  std::vector<int> group_ends;          // value of PairStore::group_ends
  std::vector<std::string> tokenizers;  // Tokenizer::serialize of both sides, or a single one if they share it
  std::uint64_t fingerprint = 0;        // value of PairStore::fingerprint
  std::uint64_t text_fingerprint = 0;
  PairFileSizes sizes;
};

/// Training pairs as ids in a folder of the cache, with the tokenizers that made them.
class PreparedCorpus : public PairFile {
 public:
  /// Opens a folder. Throws an Error that names the file if one is damaged.
  explicit PreparedCorpus(const std::filesystem::path& folder);

  /// As above, with the folder's `record` already read.
  PreparedCorpus(const std::filesystem::path& folder, PreparedRecord record);

  const PreparedRecord& record() const { return record_; }
  const Tokenizers& tokenizers() const { return tokenizers_; }
  std::uint64_t fingerprint() const override { return record_.fingerprint; }

  /// Reads the files and the text again. Throws an Error unless both are unchanged.
  void verify_all(const Config& config, const CorpusPlaces& places) const;

 private:
  PreparedRecord record_;
  Tokenizers tokenizers_;
};

/// Reads the record of a folder. Throws an Error that names the file if it is damaged.
PreparedRecord read_prepared_record(const std::filesystem::path& folder);

/// Reads data.train, learns the tokenizers unless they are `given`, and writes the prepared corpus to `folder`, which
/// must exist and be empty. Temporary files are in its parent folder. `key` is the prepared_key of the arguments. The
/// record also gets the prepared_key of the decided options and the learned tokenizers, which a resumed run looks up.
void write_prepared_corpus(const std::filesystem::path& folder, const Config& config, const CorpusPlaces& places,
                           const Tokenizers& given, const std::string& key);

/// Returns text that is equal for equal options, files and tokenizers. It has the options with their values, and the
/// names, sizes, times and numbers (inodes) of the files of data.train. Empty `tokenizers` stand for those that will be
/// learned from the text.
std::string prepared_key(const Config& config, const CorpusPlaces& places, const Tokenizers& tokenizers);

/// As train_tokenizers, but announces the slow learning of subwords and shows its progress.
Tokenizers learn_tokenizers(const DataConfig& config, const ParallelCorpus& corpus);

}  // namespace glossa
