#include "evaluation/held_out_check.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/console/print.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/prepared/corpus_cache.h"
#include "train/prepared/large_text.h"

namespace glossa {

std::shared_ptr<const PreparedCorpus> prepared_training(Config config, const std::string& folder) {
  const CorpusPlaces places(folder);
  if (!is_large(config.data, places)) return {};
  // The configuration may have been changed to another prefix for translation; the corpus has that of training.
  if (const auto found = newest_valid_checkpoint(folder))
    config.data.encoding.source_prefix =
        parse_config(read_training_state(found->reader).config, folder).data.encoding.source_prefix;
  return CorpusCache(config.data, places).get(config, places, load_tokenizers(config.data, folder));
}

ParallelCorpus read_held_out_test(const Config& config, const std::string& folder) {
  const CorpusPlaces places(folder);
  const auto seed = static_cast<std::uint64_t>(config.train.seed);
  if (!is_large(config.data, places)) return read_test_corpus(config.data, seed, places);
  const std::filesystem::path cache = CorpusCache(config.data, places).folder();
  create_folder(cache);
  const LargeText text(config.data, seed, places, cache);
  return read_test_corpus(config.data, seed, places, &text.held_out());
}

void check_still_held_out(const LoadedRun& run, const std::string& folder) {
  DataConfig data = run.config.data;
  data.encoding.source_prefix = parse_config(run.state.config, "checkpoint").data.encoding.source_prefix;
  const auto prepared = prepared_training(run.config, folder);
  Corpora corpora = read_corpora(data, static_cast<std::uint64_t>(run.config.train.seed), CorpusPlaces(folder),
                                 prepared ? &prepared->record().text : nullptr);
  const EncodedCorpora encoded = encode_all(data, corpora, run.tokenizers);
  const std::uint64_t hash = prepared ? data_hash(*prepared, encoded.validation, encoded.watched) : encoded.hash();
  check(hash == run.state.data_hash, "data.train",
        "expected the text that the run was trained on, from which data.split holds out a test set; got another, as {} "
        "or data.valid has changed. Hint: restore it, or name a test corpus with --test",
        data.train.text());
}

void check_holds_out_the_same(const DataConfig& run, const DataConfig& other, const std::string& folder_of_other) {
  constexpr std::array<std::string_view, 8> keys{"data.train",  "data.valid",         "data.test",
                                                 "data.split",  "data.source_column", "data.target_column",
                                                 "data.source", "data.target"};
  Config a, b;
  a.data = run;
  b.data = other;
  for (const auto& [key, ours, theirs] : differences(a, b))
    if (std::ranges::find(keys, key) != keys.end()) {
      warn(
          "[{}] may have been trained on sentences of this test set: its {} is {}, not {}. Hint: name a test set with "
          "--test",
          folder_of_other, key, theirs, ours);
      return;
    }
}

}  // namespace glossa
