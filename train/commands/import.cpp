#include <cstdio>
#include <filesystem>

#include "autograd/check.h"
#include "train/commands/commands.h"
#include "train/config/auto_options.h"
#include "train/exchange/exchange.h"
#include "train/model/memory_check.h"
#include "train/run.h"

namespace glossa::commands {

int run(const Import& arguments) {
  Config config = load_config(arguments.config, arguments.sets);
  check(config);
  if (!config.train.warm_start.empty())
    misuse("train.warm_start", "expected none: the weights come from {}; got {}", arguments.file,
           config.train.warm_start);
  check_holds_no_run(arguments.run);  // before the work
  check_not_overwriting(config, arguments.config, arguments.run);
  const SafetensorsReader file(arguments.file);

  const auto seed = static_cast<std::uint64_t>(config.train.seed);
  const Corpora corpora = read_corpora(config.data, seed);
  const ParallelCorpus& training = corpora.training;
  decide_auto_options(config, training, corpora.split);
  check(config);
  const Tokenizers tokenizers = train_tokenizers(config.data, training);
  const Index source_vocabulary = tokenizers.source->vocabulary_size(),
              target_vocabulary = tokenizers.target->vocabulary_size();
  check_training_fits(config, source_vocabulary, target_vocabulary);
  const std::unique_ptr<Model> model = make_model(config.model, source_vocabulary, target_vocabulary, seed);
  import_parameters(file, model->parameters);
  const std::uint64_t hash = encode_all(config.data, corpora, tokenizers).hash();
  const std::filesystem::path written = write_new_run(arguments.run, config, tokenizers, *model, hash);
  fmt::print("wrote {} tensors, {} parameters, to {}\n", model->parameters.parameters().size(),
             model->parameters.count(), written.string());
  return 0;
}

}  // namespace glossa::commands
