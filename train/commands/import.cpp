#include <cstdio>
#include <filesystem>

#include "autograd/check.h"
#include "data/atomic_file.h"
#include "data/fingerprint.h"
#include "train/checkpoint_folder.h"
#include "train/commands/commands.h"
#include "train/exchange.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

/// What a try that failed left may be written over, checkpoints never.
void check_is_new(const std::string& run) {
  if (newest_valid_checkpoint(run))
    misuse(run, "expected no run in this folder yet; it holds one. Hint: choose another --run");
}

}  // namespace

/// The run is what `glossa train` makes before its first update, with other weights: it translates, `--resume` trains
/// it on, and train.warm_start takes it.
int run(const Import& arguments) {
  const Config config = load_config(arguments.config, arguments.sets);
  check(config);
  if (!config.train.warm_start.empty())
    misuse("train.warm_start", "expected none: the weights come from {}; got {}", arguments.file,
           config.train.warm_start);
  check_is_new(arguments.run);
  check_not_overwriting(config, arguments.config, arguments.run);
  const SafetensorsReader file(arguments.file);

  const auto seed = static_cast<std::uint64_t>(config.train.seed);
  const auto [training, validation] = read_corpora(config.data, seed);
  const Tokenizers tokenizers = train_tokenizers(config.data, training);
  const std::unique_ptr<Model> model =
      make_model(config.model, tokenizers.source->vocabulary_size(), tokenizers.target->vocabulary_size(), seed);
  import_parameters(file, model->parameters);
  const std::unique_ptr<Optimizer<float>> optimizer = make_optimizer(config.optim, model->parameters);
  EncodedCorpus encoded_validation;
  if (!validation.source.empty()) encoded_validation = encode(config.data, validation, tokenizers);
  TrainingState state;
  state.config = dump(config);
  state.vocabulary_hash = tokenizers.fingerprint();
  state.data_hash = Fingerprint()
                        .add(encode(config.data, training, tokenizers).fingerprint())
                        .add(encoded_validation.fingerprint())
                        .value();
  state.build = build_fingerprint();

  CheckpointFolder checkpoints(arguments.run, static_cast<std::size_t>(config.train.keep_checkpoints));
  check_is_new(arguments.run);  // a trainer may have come meanwhile
  write_file_atomically(config_file(arguments.run), state.config);
  save_tokenizers(tokenizers, config.data, arguments.run);
  CheckpointWriter writer;
  std::string state_bytes;
  add_to_checkpoint(writer, model->parameters, *optimizer, state, state_bytes);
  const std::filesystem::path written = checkpoints.save(0, writer, false);
  fmt::print("wrote {} tensors, {} parameters, to {}\n", model->parameters.parameters().size(),
             model->parameters.count(), written.string());
  return 0;
}

}  // namespace glossa::commands
