#include "app/report/corpus_book.h"

#include <fmt/core.h>

#include "app/report/corpus_figures.h"
#include "base/check.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/console/json_line.h"

namespace glossa {

namespace {

/// Key of everything that a run's pairs and their ids depend on.
std::string key_of(const Config& config, const Tokenizers& tokenizers, const CorpusPlaces& places) {
  std::string key =
      fmt::format("{} {} {}", tokenizers.fingerprint(), config.train.seed, places.working_folder().string());
  for (const Option<Config>& option : all_options())
    if (option.key.starts_with("data.")) key += "\n" + option.text(config);
  return key;
}

/// True if there is a checkpoint and the newest one was trained on other data.
bool is_other_data(const std::string& run, std::uint64_t data_hash) {
  try {
    const auto found = newest_valid_checkpoint(run);
    return found && read_training_state(found->reader).data_hash != data_hash;
  } catch (const Error&) {
    return false;
  }
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
      const Corpora corpora = read_corpora(config.data, static_cast<std::uint64_t>(config.train.seed), places);
      const EncodedCorpora encoded = encode_all(config.data, corpora, tokenizers);
      known.data_hash = encoded.hash();
      known.json = corpus_figures(config, tokenizers, encoded.training);
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
