#include <cstdio>
#include <filesystem>

#include "app/commands/arguments.h"
#include "app/commands/command_table.h"
#include "app/commands/commands.h"
#include "app/exchange/exchange.h"
#include "app/exchange/pretrained.h"
#include "autograd/check.h"
#include "data/tokenizers/piece_tokenizer.h"
#include "train/config/auto_options.h"
#include "train/console/print.h"
#include "train/model/memory_check.h"
#include "train/run.h"
#include "train/tensor_files/open_tensors.h"

namespace glossa::commands {

namespace {

struct ImportArguments {
  std::string path, config, run;
  std::vector<std::string> sets;
};

void report(const Model& model, const std::filesystem::path& written) {
  fmt::print("wrote {} tensors, {} parameters, to {}\n", model.parameters.parameters().size(), model.parameters.count(),
             written.string());
}

std::shared_ptr<const Tokenizer> tokenizer_of(Pretrained::Side side) {
  return std::make_shared<PieceTokenizer>(std::move(side.pieces), std::move(side.tokens), side.specials,
                                          side.pieces_file.string());
}

/// Sets the languages, which folders do not always name. Throws for any other option.
void set_languages(Config& config, const std::vector<std::string>& sets) {
  for (const std::string& set : sets)
    if (!set.starts_with("data.source=") && !set.starts_with("data.target="))
      misuse("--set " + set, "expected data.source or data.target; got an option that the model's folder sets");
  config = load_config("", sets, std::move(config));
  if (config.data.source == "source" || config.data.target == "target")
    print_note(
        "note: the folder does not name its languages, which corpus files are found by. Hint: set data.source and "
        "data.target in the run's config.yaml, or remove the run and add --set data.source=XX --set data.target=YY\n");
}

/// Imports a complete model. The run has no corpus, as it does not need one.
int import_folder(const ImportArguments& arguments) {
  if (!arguments.config.empty())
    misuse(arguments.config, "expected no CONFIG with a model's folder, which sets everything itself; got one");
  check_holds_no_run(arguments.run);
  Pretrained pretrained = read_pretrained(arguments.path);
  Config& config = pretrained.config;
  set_languages(config, arguments.sets);
  const Tokenizers tokenizers{tokenizer_of(std::move(pretrained.source)), tokenizer_of(std::move(pretrained.target))};
  const Index source_vocabulary = tokenizers.source->vocabulary_size(),
              target_vocabulary = tokenizers.target->vocabulary_size();
  check_training_fits(config, source_vocabulary, target_vocabulary);
  const std::unique_ptr<Model> model =
      make_model(config.model, source_vocabulary, target_vocabulary, 0, tokenizers.target->specials());
  read_parameters(*pretrained.tensors, pretrained.sources, model->parameters);
  for (const std::string& note : pretrained.notes) print_note("note: {}\n", note);
  report(*model, write_new_run(arguments.run, config, tokenizers, *model, /*data_hash=*/0));
  fmt::print("it translates {} to {}\n", config.data.source, config.data.target);
  return 0;
}

/// Imports weights only; the configuration describes their model.
int import_file(const ImportArguments& arguments) {
  Config config = load_config(arguments.config, arguments.sets);
  validate(config);
  if (!config.train.warm_start.empty())
    misuse("train.warm_start", "expected none, as the weights come from {}; got {}", arguments.path,
           config.train.warm_start);
  check_holds_no_run(arguments.run);  // fails before the work
  check_not_overwriting(config, arguments.config, arguments.run);
  const std::unique_ptr<TensorFile> file = open_tensors(arguments.path);

  const auto seed = static_cast<std::uint64_t>(config.train.seed);
  const Corpora corpora = read_corpora(config.data, seed);
  const ParallelCorpus& training = corpora.training;
  decide_auto_options(config, training, corpora.split);
  validate(config);
  const Tokenizers tokenizers = train_tokenizers(config.data, training);
  const Index source_vocabulary = tokenizers.source->vocabulary_size(),
              target_vocabulary = tokenizers.target->vocabulary_size();
  check_training_fits(config, source_vocabulary, target_vocabulary);
  const std::unique_ptr<Model> model =
      make_model(config.model, source_vocabulary, target_vocabulary, seed, tokenizers.target->specials());
  import_parameters(*file, model->parameters);
  const std::uint64_t hash = encode_all(config.data, corpora, tokenizers).hash();
  const std::filesystem::path written = write_new_run(arguments.run, config, tokenizers, *model, hash);
  record_origin(arguments.run, CorpusPlaces().working_folder());
  report(*model, written);
  return 0;
}

int run(const ImportArguments& arguments) {
  if (std::filesystem::is_directory(arguments.path)) return import_folder(arguments);
  if (arguments.config.empty()) {
    check(std::filesystem::exists(arguments.path), arguments.path,
          "expected the folder of a pretrained model, or a file of weights; not found");
    misuse(arguments.path,
           "expected the folder of a pretrained model, or a file of weights with a CONFIG that describes them; got a "
           "file without a CONFIG. Hint: unpack an archive, and name the folder, not a file in it");
  }
  return import_file(arguments);
}

}  // namespace

void add_import(CommandTable& table) {
  const auto [command, arguments] = table.add<ImportArguments>(
      {.name = "import", .help = "Create a run from a pretrained model", .group = "Exchange"}, run);
  command
      .add_option("PATH", arguments.path,
                  "folder of a pretrained model (Hugging Face or Marian), or a file of weights; see "
                  "docs/exchange.md")
      ->required();
  command.add_option("CONFIG", arguments.config,
                     "for a file of weights: YAML file that describes the model and its data");
  command.add_option("--run", arguments.run, "folder to create")->required();
  add_force(command);
  add_sets(command, arguments.sets, "for a folder, only data.source and data.target");
}

}  // namespace glossa::commands
