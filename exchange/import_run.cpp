#include "exchange/import_run.h"

#include "base/check.h"
#include "base/console/print.h"
#include "base/formats/open_tensors.h"
#include "config/auto_options.h"
#include "data/tokenizers/piece_tokenizer.h"
#include "exchange/exchange.h"
#include "exchange/pretrained.h"
#include "train/model/memory_check.h"
#include "train/prepared/prepared_corpus.h"
#include "train/run.h"

namespace glossa {

namespace {

std::shared_ptr<const Tokenizer> tokenizer_of(Pretrained::Side side) {
  return std::make_shared<PieceTokenizer>(std::move(side.pieces), std::move(side.tokens), side.specials,
                                          side.pieces_file.string());
}

/// Sets the languages. Throws if another option is given.
void set_languages(Config& config, const Settings& languages) {
  for (const Setting& setting : languages)
    if (setting.key() != "data.source" && setting.key() != "data.target")
      setting.refuse("expected data.source or data.target; got an option that the model's folder sets");
  config = config_from(languages, std::move(config));
  if (config.data.source == "source" || config.data.target == "target")
    print_note(
        "note: the folder does not name its languages, which corpus files are found by. Hint: set data.source and "
        "data.target in the run's config.yaml, or remove the run and add --set data.source=XX --set data.target=YY\n");
}

/// Makes the configuration's model. Throws if training would not fit in memory.
std::unique_ptr<Model> model_for(const Config& config, const Tokenizers& tokenizers, std::uint64_t seed) {
  const Index source_vocabulary = tokenizers.source->vocabulary_size(),
              target_vocabulary = tokenizers.target->vocabulary_size();
  check_training_fits(config, source_vocabulary, target_vocabulary);
  return make_model(config.model, source_vocabulary, target_vocabulary, seed, tokenizers.target->specials());
}

ImportedRun imported(const Config& config, const Model& model, std::filesystem::path checkpoint) {
  return {.checkpoint = std::move(checkpoint),
          .tensors = model.parameters.parameters().size(),
          .parameters = model.parameters.count(),
          .source = config.data.source,
          .target = config.data.target};
}

}  // namespace

ImportedRun import_folder(const std::string& folder, const std::string& run, const Settings& languages) {
  check_holds_no_run(run);
  Pretrained pretrained = read_pretrained(folder);
  Config& config = pretrained.config;
  set_languages(config, languages);
  const Tokenizers tokenizers{tokenizer_of(std::move(pretrained.source)), tokenizer_of(std::move(pretrained.target))};
  const std::unique_ptr<Model> model = model_for(config, tokenizers, 0);
  read_parameters(*pretrained.tensors, pretrained.sources, model->parameters);
  for (const std::string& note : pretrained.notes) print_note("note: {}\n", note);
  return imported(config, *model, write_new_run(run, config, tokenizers, *model, /*data_hash=*/0));
}

ImportedRun import_file(const std::string& weights, const std::string& config_path, const std::string& run,
                        const Settings& settings) {
  Config config = load_config(config_path, settings);
  validate(config);
  if (!config.train.warm_start.empty())
    misuse("train.warm_start", "expected none, as the weights come from {}; got {}", weights, config.train.warm_start);
  check_holds_no_run(run);  // throws before the slow work
  check_not_overwriting(config, config_path, run);
  const std::unique_ptr<TensorFile> file = open_tensors(weights);

  const auto seed = static_cast<std::uint64_t>(config.train.seed);
  const Corpora corpora = read_corpora(config.data, seed);
  const ParallelCorpus& training = corpora.training;
  decide_auto_options(config, size_of(training), corpora.split);
  validate(config);
  const Tokenizers tokenizers = learn_tokenizers(config.data, training);
  const std::unique_ptr<Model> model = model_for(config, tokenizers, seed);
  import_parameters(*file, model->parameters);
  const std::uint64_t hash = encode_all(config.data, corpora, tokenizers).hash();
  std::filesystem::path written = write_new_run(run, config, tokenizers, *model, hash);
  record_origin(run, CorpusPlaces().working_folder());
  return imported(config, *model, std::move(written));
}

}  // namespace glossa
