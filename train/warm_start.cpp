#include "train/warm_start.h"

#include <filesystem>

#include "config/auto_options.h"
#include "data/text/languages.h"
#include "data/text/shell_word.h"
#include "train/checkpoint/int8_file.h"
#include "train/model/model_factory.h"
#include "train/run.h"

namespace glossa {

namespace {

/// Returns warnings about options of `config` that differ from `base`, the options of train.warm_start's run. Considers
/// only options on which the weights depend.
std::vector<std::string> doubts_of_warm_start(const Config& base, const Config& config) {
  const auto binds = [](std::string_view key) {
    if (key.starts_with("model."))
      return key.find("dropout") == key.npos && !key.starts_with("model.init") && key != "model.max_positions";
    return key == "data.lowercase" || key == "data.normalization" || key == "data.vocab_size";
  };
  std::vector<std::string> doubts;
  for (const auto& [key, before, now] : differences(base, config))
    if (binds(key) && now != "auto")
      doubts.push_back(fmt::format("{} is {}, but {} was trained with {}", key, now, config.train.warm_start, before));
  const DataConfig &was = base.data, &is = config.data;
  if (was.source != "source" && !(same_language(was.source, is.source) && same_language(was.target, is.target)))
    doubts.push_back(fmt::format("data.source and data.target are {} and {}, but {} translates {} to {}", is.source,
                                 is.target, config.train.warm_start, was.source, was.target));
  return doubts;
}

/// Lists the names and shapes of the parameters; empty if the options contradict each other.
std::string shapes_of(const ModelConfig& model) {
  constexpr Index vocabulary = 100;
  std::string shapes;
  try {
    TransformerOptions options = transformer_options(model, vocabulary, vocabulary);
    if (!options.learned_positions) options.max_positions = 1;  // tables of sinusoids would need memory
    ParameterStore<float> store;
    const Transformer<float> transformer(store, options);
    store.allocate_without_matrices();
    for (const Parameter<float>* parameter : store.parameters())
      shapes += fmt::format("{} {}\n", parameter->name, parameter->value.shape.str());
  } catch (const Error&) {
  }
  return shapes;
}

}  // namespace

std::string differently_shaped(const Config& base, const Config& changed) {
  const std::string wanted = shapes_of(base.model);
  if (shapes_of(changed.model) == wanted) return "";
  Config with = base;
  for (const Option<Config>& option : all_options()) {
    if (!option.key.starts_with("model.")) continue;
    option.set(with, option.text(changed));
    if (shapes_of(with.model) != wanted) return option.key;
  }
  return "";
}

CheckpointReader open_warm_start(Config& config, std::vector<std::string>& warnings) {
  const std::filesystem::path from = config.train.warm_start;
  check(std::filesystem::exists(from), "train.warm_start",
        "expected the run or checkpoint {}; not found. Hint: import a pretrained model with {}", from.string(),
        shell_command({"glossa", "import", "FOLDER", "--run", from}));
  check_is_in_float(RunName(from).folder());
  CheckpointReader reader(RunName(from).files().front());
  const Config base = parse_config(read_training_state(reader).config, reader.path());
  check_agree(
      base, config, [](std::string_view key) { return key == "data.tokenizer" || key == "data.shared_vocabulary"; },
      "as in the run of train.warm_start", "weights are useless without their vocabulary");
  const std::uint64_t vocabulary = load_tokenizers(config.data, RunName(from).folder()).fingerprint();
  check(read_training_state(reader).vocabulary_hash == vocabulary, "train.warm_start",
        "expected a run with the vocabulary that it was trained with; got another in {}", from.string());
  config = decided_as(base, std::move(config), "model");
  const std::string unfit = differently_shaped(base, config);
  check_agree(
      base, config, [&](std::string_view key) { return key == unfit; }, "as in the run of train.warm_start",
      "omit the options of the model, which are then taken from that run");
  for (std::string& doubt : doubts_of_warm_start(base, config)) warnings.push_back(std::move(doubt));
  return reader;
}

Tokenizers warm_start_tokenizers(const Config& config) {
  if (config.train.warm_start.empty()) return {};
  return load_tokenizers(config.data, RunName(config.train.warm_start).folder());
}

}  // namespace glossa
