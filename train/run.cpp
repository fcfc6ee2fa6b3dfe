#include "train/run.h"

#include "data/text_file.h"
#include "train/checkpoint_folder.h"

namespace glossa {

std::filesystem::path config_file(const std::string& run) { return std::filesystem::path(run) / "config.yaml"; }

void check_not_overwriting(const Config& config, const std::string& config_path, const std::string& run) {
  std::error_code missing;
  if (std::filesystem::equivalent(config_path, config_file(run), missing) && read_file(config_path) != dump(config))
    misuse(config_path,
           "expected a run folder that does not hold the configuration itself. Hint: choose another --run");
}

Config load_run_config(const std::string& run, const std::vector<std::string>& sets, std::int64_t beam) {
  const std::string where = run.empty() ? "RUN" : run;
  check(std::filesystem::exists(run), where,
        "expected the folder of a run; there is none. Hint: glossa train CONFIG.yaml --run FOLDER makes one");
  check(std::filesystem::is_regular_file(config_file(run)), where,
        "expected the folder of a run, with its config.yaml; got something else. Hint: it is what train had as --run");
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
  check_agree(
      parse_config(loaded.state.config, reader.path().string()), loaded.config,
      [](std::string_view key) { return key.starts_with("data.") || key.starts_with("model."); },
      "with which the run was trained", "restore " + config_file(run).string());
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
