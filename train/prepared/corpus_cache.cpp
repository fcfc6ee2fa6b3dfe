#include "train/prepared/corpus_cache.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/atomic_file.h"
#include "base/available_memory.h"
#include "base/check.h"
#include "base/console/print.h"
#include "base/counted.h"
#include "base/file_lock.h"
#include "base/folder.h"
#include "data/corpora/text_memory.h"
#include "data/text/fingerprint.h"

namespace glossa {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinished = ".new-", locks = ".lock-", spooled = ".text.";  // WrittenFile uses the last

constexpr const char* lock_hint = "set data.cache to a folder on a local disk";

/// Returns the disk space needed per byte of text to prepare a corpus: for the text, positions, and 4-byte ids.
double disk_bytes_per_byte(const DataConfig& config) {
  return config.tokenizer == DataConfig::Tokenizer::characters ? 6 : 2.5;
}

fs::path folder_of(const DataConfig& config, const CorpusPlaces& places) {
  if (!config.cache.empty())
    return (places.is_recorded() ? places.working_folder() : fs::path()) / config.cache / "corpora";
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  // The XDG Base Directory Specification requires that a relative path be ignored.
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "glossa" / "corpora";
  const fs::path home = variable("HOME");
  check(!home.empty(), "data.cache",
        "expected a folder for prepared corpora; got none, as HOME is not set. Hint: set data.cache");
  return home / ".cache" / "glossa" / "corpora";
}

/// Takes the lock of a corpus. If another program is preparing it, waits for that program first.
FileLock locked(const fs::path& path) {
  for (;;) {
    FileLock lock(path, lock_hint);
    if (!lock.take()) {
      print_note("waiting for another program that prepares this corpus ...\n");
      lock.wait();
    }
    if (lock.is_in_place()) return lock;  // CorpusCache::clear may have removed the file before it was locked
  }
}

std::string name_of(const std::string& key) { return fmt::format("{:016x}", Fingerprint().add(key).value()); }

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code none;
  for (const std::string& name : names_in(folder))
    if (const std::uintmax_t size = fs::file_size(folder / name, none); !none) bytes += size;
  return bytes;
}

void check_space(const fs::path& folder, const DataConfig& config, const CorpusPlaces& places) {
  const double bytes = disk_bytes_per_byte(config) * training_bytes(located(config, places));
  const auto available = static_cast<double>(fs::space(folder).available);
  check(bytes <= available, folder.string(),
        "expected {} of disk space to prepare data.train; got {}. Hint: free some space, set data.cache to a folder on "
        "another disk, or raise data.prepare_above to keep the text in memory",
        in_bytes(bytes), in_bytes(available));
}

}  // namespace

CorpusCache::CorpusCache(const DataConfig& config, const CorpusPlaces& places) : folder_(folder_of(config, places)) {}

/// A corpus is in a folder whose name is the hash of its first key. Links to that folder have the hashes of its other
/// keys.
std::shared_ptr<const PreparedCorpus> CorpusCache::find(const std::string& key) const {
  const fs::path folder = folder_ / name_of(key);
  if (!fs::exists(folder)) return {};
  try {
    PreparedRecord record = read_prepared_record(folder);
    if (std::ranges::find(record.keys, key) == record.keys.end()) return {};
    return std::make_shared<PreparedCorpus>(fs::canonical(folder), std::move(record));
  } catch (const Error&) {  // the corpus is damaged, of another version, or just removed
  } catch (const fs::filesystem_error&) {
  }
  return {};
}

/// Makes the links for a corpus's other keys. Without a link, the corpus would be prepared again for that key.
void CorpusCache::link(const PreparedCorpus& corpus) const {
  for (const std::string& key : corpus.record().keys) try {
      if (const fs::path name = folder_ / name_of(key); !fs::exists(fs::symlink_status(name)))
        replace_link(name, corpus.folder().filename().string());
    } catch (const Error&) {  // another program links or clears at the same time
    }
}

std::shared_ptr<const PreparedCorpus> CorpusCache::get(const Config& config, const CorpusPlaces& places,
                                                       const Tokenizers& given) {
  create_folder(folder_);
  const std::string key = prepared_key(config, places, given);
  if (auto found = find(key)) {
    link(*found);
    return found;
  }
  const std::string name = name_of(key);
  const FileLock lock = locked(folder_ / (std::string(locks) + name));
  if (auto found = find(key)) return found;  // another program has made it meanwhile
  check_space(folder_, config.data, places);
  print_note("preparing {} in {} ...\n", config.data.train.text(), folder_.string());
  write_folder_atomically(folder_ / name, folder_ / (std::string(unfinished) + name), [&](const fs::path& folder) {
    write_prepared_corpus(folder, config, places, given, key);
    return_free_memory();
    fs::remove_all(folder_ / name);  // removes a damaged folder
  });
  auto corpus = std::make_shared<PreparedCorpus>(folder_ / name);
  link(*corpus);
  return corpus;
}

std::shared_ptr<const PreparedCorpus> CorpusCache::existing(const Config& config, const CorpusPlaces& places,
                                                            const Tokenizers& given) const {
  return find(prepared_key(config, places, given));
}

std::vector<CachedCorpus> CorpusCache::list() const {
  std::vector<CachedCorpus> corpora;
  for (const std::string& name : names_in(folder_)) {
    if (name.starts_with(".") || fs::is_symlink(folder_ / name)) continue;
    CachedCorpus& corpus = corpora.emplace_back(CachedCorpus{.folder = folder_ / name, .record = {}});
    corpus.bytes = bytes_in(corpus.folder);
    try {
      corpus.record = read_prepared_record(corpus.folder);
    } catch (const Error&) {  // the corpus is damaged, of another version, or just removed
    }
  }
  return corpora;
}

std::uint64_t CorpusCache::clear() {
  std::uint64_t freed = 0;
  const auto remove = [&](const fs::path& folder) {
    if (!fs::is_symlink(folder)) freed += bytes_in(folder);
    fs::remove_all(folder);  // removes a link but not its target
  };
  for (const std::string& name : names_in(folder_)) {
    if (name.starts_with(locks)) {
      FileLock lock(folder_ / name, lock_hint);
      if (!lock.take() || !lock.is_in_place()) continue;  // a program is preparing the corpus, or has just removed it
      remove(folder_ / (std::string(unfinished) + name.substr(locks.size())));
      fs::remove(folder_ / name);
    } else if (!name.starts_with(".") || name.starts_with(spooled) || is_temporary_name(name)) {
      remove(folder_ / name);
    }
  }
  return freed;
}

bool is_large(const DataConfig& config, const CorpusPlaces& places) {
  constexpr double mebibyte = 1 << 20;
  if (toy_pairs_alone("data.train", config.train)) return false;
  return training_bytes(located(config, places)) > mebibyte * static_cast<double>(config.prepare_above);
}

}  // namespace glossa
