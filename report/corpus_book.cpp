#include "report/corpus_book.h"

#include <fmt/core.h>

#include "base/check.h"
#include "base/json_line.h"
#include "report/corpus_figures.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/prepared/corpus_cache.h"

namespace glossa {

namespace {

/// Returns a key for everything that a run's pairs and their ids depend on.
std::string key_of(const Config& config, const Tokenizers& tokenizers, const CorpusPlaces& places) {
  std::string key =
      fmt::format("{} {} {}", tokenizers.fingerprint(), config.train.seed, places.working_folder().string());
  for (const Option<Config>& option : all_options())
    if (option.key.starts_with("data.")) key += "\n" + option.text(config);
  return key;
}

/// True if a checkpoint exists and the newest one was trained on other data.
bool is_other_data(const std::string& run, std::uint64_t data_hash) {
  try {
    const auto found = newest_valid_checkpoint(run);
    return found && read_training_state(found->reader).data_hash != data_hash;
  } catch (const Error&) {
    return false;
  }
}

/// Figures of a corpus, and a content hash of all training and validation pairs.
struct Known {
  std::uint64_t data_hash;
  std::string json;
};

Known of_text(const Config& config, const Tokenizers& tokenizers, const CorpusPlaces& places) {
  const Corpora corpora = read_corpora(config.data, static_cast<std::uint64_t>(config.train.seed), places);
  const EncodedCorpora encoded = encode_all(config.data, corpora, tokenizers);
  return {encoded.hash(), corpus_figures(config, tokenizers, encoded.training)};
}

/// Returns the figures of a corpus that is too large for memory. Throws if the corpus is not prepared yet.
Known of_prepared(const Config& config, const Tokenizers& tokenizers, const CorpusPlaces& places) {
  const auto prepared = CorpusCache(config.data, places).existing(config, places, tokenizers);
  check(prepared != nullptr, config.data.train.text(),
        "expected a prepared corpus in data.cache; not found. Hint: resume the run, which prepares it");
  Corpora corpora =
      read_corpora(config.data, static_cast<std::uint64_t>(config.train.seed), places, &prepared->record().text);
  const EncodedCorpora encoded = encode_all(config.data, corpora, tokenizers);
  return {data_hash(*prepared, encoded.validation, encoded.watched), corpus_figures(config, tokenizers, *prepared)};
}

}  // namespace

std::string CorpusBook::read(const std::string& run, const Config& config) {
  JsonLine missing;
  missing.add("name", config.data.train.text());
  try {
    const Tokenizers tokenizers = load_tokenizers(config.data, run);
    const CorpusPlaces places(run);
    const auto [place, is_new] = corpora_.try_emplace(key_of(config, tokenizers, places));
    Read& known = place->second;
    if (is_new) {
      const Known read =
          is_large(config.data, places) ? of_prepared(config, tokenizers, places) : of_text(config, tokenizers, places);
      known.data_hash = read.data_hash;
      known.json = read.json;
    }
    if (known.json.empty()) return missing.add("missing", "reading it failed for another run as well").text();
    if (!is_other_data(run, known.data_hash)) return known.json;
    return known.json.substr(0, known.json.size() - 1) + ",\"changed\":true}";
  } catch (const Error& error) {
    return missing.add("missing", error.what()).text();
  }
}

const std::string& CorpusBook::figures(const std::string& run, const Config& config) {
  const auto [place, is_new] = by_run_.try_emplace(run);
  if (is_new) place->second = read(run, config);
  return place->second;
}

}  // namespace glossa
