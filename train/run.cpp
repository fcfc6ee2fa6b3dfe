#include "train/run.h"

#include "train/checkpoint_folder.h"

namespace glossa {

std::filesystem::path config_file(const std::string& run) { return std::filesystem::path(run) / "config.yaml"; }

Config load_run_config(const std::string& run, const std::vector<std::string>& sets, std::int64_t beam) {
  check(std::filesystem::is_directory(run), run,
        "expected the folder of a run; there is none. Hint: train one with glossa train CONFIG.yaml --run {}", run);
  for (const std::string& set : sets)
    if (!set.starts_with("decode.") && !set.starts_with("runtime."))
      misuse("--set " + set, "expected an option of decode or runtime; a trained run keeps the others");
  Config config = load_config(config_file(run), sets);
  if (beam > 0) config.decode.beam = beam;
  return config;
}

LoadedRun load_run(const std::string& run, Config config) {
  LoadedRun loaded;
  loaded.config = std::move(config);
  const CheckpointReader reader(best_checkpoint(run));
  loaded.state = read_training_state(reader);
  loaded.tokenizers = load_tokenizers(loaded.config.data, run);
  check(loaded.tokenizers.fingerprint() == loaded.state.vocabulary_hash, run,
        "expected the vocabulary that {} was trained with; got another one. Hint: restore the run's own vocabulary or "
        "sentencepiece model",
        reader.path().string());
  loaded.model = make_model(loaded.config.model, loaded.tokenizers.source->vocabulary_size(),
                            loaded.tokenizers.target->vocabulary_size(), 0);
  read_parameters(reader, loaded.model->parameters);
  return loaded;
}

}  // namespace glossa
