#include "train/prepared/prepared_corpus.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include "base/atomic_file.h"
#include "base/available_memory.h"
#include "base/byte_reader.h"
#include "base/check.h"
#include "base/console/print.h"
#include "base/console/progress_bar.h"
#include "base/counted.h"
#include "base/crc32c.h"
#include "base/parallel.h"
#include "base/version.h"
#include "config/config.h"
#include "data/text/stored_text.h"
#include "data/text/word_count.h"
#include "train/checkpoint/bounded_archive.h"
#include "train/prepared/large_text.h"

namespace glossa {

template <class A>
void serialize(A& a, CorpusReport& r) {
  a(r.lines, r.units, r.pairs, r.empty_source, r.empty_target, r.empty_both, r.language, r.duplicate, r.held_out,
    r.same_source, r.repeated, r.further_variants, r.unused_columns, r.replaced);
}

template <class A>
void serialize(A& a, CorpusPart& p) {
  a(p.name, p.source_name, p.target_name, p.report, p.group);
}

template <class A>
void serialize(A& a, ParallelCorpus& c) {
  a(c.name, c.source_name, c.target_name, c.source, c.target, c.lines, c.report, c.parts, c.part);
}

template <class A>
void serialize(A& a, EncodeReport& r) {
  a(r.pairs, r.too_long, r.first_too_long, r.unbalanced, r.first_unbalanced, r.empty, r.source_tokens, r.target_tokens,
    r.source_unknown, r.target_unknown);
}

template <class A>
void serialize(A& a, PreparedRecord& r) {
  a(r.keys, r.group_ends, r.text.sample, r.text.split.valid, r.text.split.test, r.text.validation, r.text.test,
    r.size.pairs, r.size.alphabet, r.statistics.usual_words, r.statistics.several_percent, r.report, r.tokenizers,
    r.fingerprint, r.text_fingerprint, r.sizes.pairs, r.sizes.ids, r.sizes.index_checksum, r.sizes.hashes_checksum);
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view format = "glossa prepared corpus 2\n";
constexpr std::size_t sample_pairs_kept = 20'000, longest_record = std::size_t{1} << 30;

fs::path record_file(const fs::path& folder) { return folder / "corpus"; }

std::uint32_t checksum(std::string_view bytes) { return crc32c(std::as_bytes(std::span(bytes))); }

Tokenizers parse_tokenizers(const std::vector<std::string>& serialized, const std::string& where) {
  check(serialized.size() == 1 || serialized.size() == 2, where, "expected one or two tokenizers; got {}",
        serialized.size());
  const std::shared_ptr<const Tokenizer> source = parse_tokenizer(serialized.front(), where);
  return {source, serialized.size() == 1 ? source : parse_tokenizer(serialized.back(), where)};
}

/// True for options of data that change neither the pairs nor their ids.
bool concerns_later(std::string_view name) {
  constexpr std::array later{"test",          "bpe_dropout", "unigram_sampling", "max_tokens", "batch_rule",
                             "prepare_above", "cache",       "weights"};
  return std::ranges::find(later, name) != later.end();
}

std::string identity(const std::string& text) {
  const std::string path = file_of_text(text);
  struct stat s {};
  check(::stat(path.c_str(), &s) == 0, path, "cannot read the file's properties: {}", std::strerror(errno));
  check(S_ISREG(s.st_mode), path,
        "expected a regular file to prepare; got a pipe or a device. Hint: write it to a file, or raise "
        "data.prepare_above to keep the text in memory");
  return fmt::format("{} {} bytes, modified {}.{:09}, changed {}.{:09}, inode {}\n",
                     fs::canonical(path).string() + text.substr(path.size()), s.st_size, s.st_mtim.tv_sec,
                     s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec, s.st_ino);
}

/// Writes the pairs of the text and completes the record.
void write_pairs(const fs::path& folder, const Config& config, const LargeText& text, const Tokenizers& tokenizers,
                 PreparedRecord& record) {
  PairFileWriter writer(folder);
  const EncodeOptions options = config.data.encoding;
  CorpusEncoder encoder(*tokenizers.source, *tokenizers.target, options);
  LineLengths lengths;
  ProgressBar bar;
  CountProgress progress(bar, "pair", static_cast<std::int64_t>(text.size()));
  text.for_each_block([&](const ParallelCorpus& block, std::size_t first) {
    const std::vector<std::int64_t> words =
        parallel_map(block.source.size(), 1024, [&](std::size_t i) { return count_words(block.source[i]); });
    encoder.encode(block, [&](std::size_t pair, const std::vector<int>& source, const std::vector<int>& target) {
      writer.add({source, target}, text.hashes()[first + pair]);
      lengths.add_words(words[pair]);
    });
    progress.add(std::ssize(block.source));
  });
  record.report = encoder.report();
  record.group_ends = encoder.group_ends();
  check_any_pair(record.text.sample.name, text.size(), record.report, options);
  record.sizes = writer.finish();
  record.statistics.usual_words = lengths.quantile(0.95);
  record.fingerprint = PairFile(folder, record.sizes).PairStore::fingerprint();
}

void write_record(const fs::path& folder, const PreparedRecord& record) {
  std::string bytes(format);
  bytes += to_bytes(record);
  append_number(bytes, checksum(bytes));
  write_file_atomically(record_file(folder), bytes);
}

}  // namespace

PreparedRecord read_prepared_record(const fs::path& folder) {
  const std::string file = record_file(folder).string(), all = read_file(file, longest_record);
  const std::string_view bytes = all;
  constexpr std::string_view expected =
      "expected a prepared corpus of this version; got {}. Hint: remove it with `glossa prepare --clear`";
  std::uint32_t sum = 0;
  if (!bytes.starts_with(format) || bytes.size() < format.size() + sizeof sum) fail(file, expected, "something else");
  const std::string_view content = bytes.substr(0, bytes.size() - sizeof sum);
  std::memcpy(&sum, content.data() + content.size(), sizeof sum);
  if (sum != checksum(content)) fail(file, expected, "another checksum");
  return from_bytes<PreparedRecord>(content.substr(format.size()), file);
}

PreparedCorpus::PreparedCorpus(const fs::path& folder) : PreparedCorpus(folder, read_prepared_record(folder)) {}

PreparedCorpus::PreparedCorpus(const fs::path& folder, PreparedRecord record)
    : PairFile(folder, record.sizes),
      record_(std::move(record)),
      tokenizers_(parse_tokenizers(record_.tokenizers, record_file(folder).string())) {
  report = record_.report;
  group_ends = record_.group_ends;
  use_specials(tokenizers_.source->specials(), tokenizers_.target->specials());
}

void PreparedCorpus::verify_all(const Config& config, const CorpusPlaces& places) const {
  verify();
  check(
      text_fingerprint(config.data, static_cast<std::uint64_t>(config.train.seed), places) == record_.text_fingerprint,
      config.data.train.text(),
      "expected the text that was prepared; got other text, in files of the same size and times. Hint: remove what "
      "was prepared with `glossa prepare --clear`");
}

std::string prepared_key(const Config& config, const CorpusPlaces& places, const Tokenizers& tokenizers) {
  std::string key(format);
  for (const OptionSection& section : option_sections())
    if (section.name == "data")
      for (const Option<Config>& option : section.options)
        if (!concerns_later(option.name)) key += fmt::format("{} {}\n", option.name, option.text(config));
  for (const std::string& place : located(config.data, places).train) {
    if (toy_pairs("data.train", place)) {
      key += fmt::format("{} of seed {}\n", place, config.train.seed);
    } else if (is_one_file(place)) {
      key += identity(resolve(place));
    } else {
      for (const std::string& language : {config.data.source, config.data.target})
        key += identity(side_of(place, language));
    }
  }
  // With data.split: auto, test pairs are held out unless there is a test corpus.
  key += config.data.test.empty() ? "no test corpus\n" : "a test corpus\n";
  return key + (tokenizers.source ? fmt::format("tokenizers {:016x}", tokenizers.fingerprint())
                                  : fmt::format("tokenizers learned by version {}", program_version));
}

Tokenizers learn_tokenizers(const DataConfig& config, const ParallelCorpus& corpus) {
  if (config.tokenizer != DataConfig::Tokenizer::sentencepiece) return train_tokenizers(config, corpus);
  const std::int64_t used = std::min(config.vocab_sentences, std::ssize(corpus.source)), all = corpus.report.pairs;
  print_note("learning {} of at most {} subwords from {} ...\n",
             config.shared_vocabulary ? "a vocabulary" : "two vocabularies", config.vocab_size,
             used < all ? fmt::format("{} of {}", used, counted(all, "pair")) : counted(used, "pair"));
  ProgressBar bar;
  const ElapsedProgress progress(bar, "learning subwords:");
  return train_tokenizers(config, corpus);
}

void write_prepared_corpus(const fs::path& folder, const Config& config, const CorpusPlaces& places,
                           const Tokenizers& given, const std::string& key) {
  PreparedRecord record;
  record.keys.push_back(key);
  const LargeText text(config.data, static_cast<std::uint64_t>(config.train.seed), places, folder.parent_path());
  record.text_fingerprint = text.fingerprint();
  record.text = text.held_out();
  record.text.sample = text.sample(sample_pairs_kept, /*with_first=*/true);
  record.size =
      config.undecided.contains("data.vocab_size") ? text.measured() : CorpusSize{.pairs = std::ssize(text.hashes())};
  std::vector<std::size_t> all(record.text.sample.source.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  record.statistics.several_percent = several_percent(record.text.sample, all, config.data.source);

  Config decided = config;
  decide_auto_options(decided, record.size, record.text.split);
  const auto vocabulary_pairs = static_cast<std::size_t>(decided.data.vocab_sentences);
  const Tokenizers tokenizers = given.source ? given : learn_tokenizers(decided.data, text.sample(vocabulary_pairs));
  return_free_memory();  // learning the tokenizers used much memory
  record.keys.push_back(prepared_key(decided, places, tokenizers));
  record.tokenizers.push_back(tokenizers.source->serialize());
  if (tokenizers.source != tokenizers.target) record.tokenizers.push_back(tokenizers.target->serialize());
  write_pairs(folder, decided, text, tokenizers, record);
  check(prepared_key(config, places, given) == key, "data.train",
        "expected files that do not change while they are read; got other properties at the end. Hint: start again");
  write_record(folder, record);
}

}  // namespace glossa
