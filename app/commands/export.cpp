#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "app/commands/arguments.h"
#include "app/commands/command_table.h"
#include "app/commands/commands.h"
#include "app/exchange/exchange.h"
#include "app/exchange/huggingface_export.h"
#include "app/exchange/marian_export.h"
#include "autograd/check.h"
#include "train/checkpoint/checkpoint.h"
#include "train/console/print.h"
#include "train/interruption.h"
#include "train/model/memory_check.h"
#include "train/run.h"

namespace glossa::commands {

namespace {

struct ExportArguments {
  std::string run, checkpoint, safetensors, huggingface, marian;
};

/// Writes one checkpoint's weights, unchanged.
void export_weights(const RunName& name, const ExportArguments& arguments) {
  const CheckpointReader checkpoint(name.file());
  double bytes = 0;  // all tensors are in memory at once
  for (const CheckpointEntry& entry : checkpoint.entries())
    if (entry.kind == EntryKind::parameter) bytes += static_cast<double>(entry.length);
  check_model_fits(checkpoint.path().string(), bytes);
  const Uninterrupted whole;
  export_parameters(checkpoint, arguments.safetensors);
  fmt::print("wrote the parameters of {}, update {}, to {}\n", checkpoint.path().string(),
             read_training_state(checkpoint).update, arguments.safetensors);
}

/// Prints which search options are set but cannot be expressed in a format.
void note_left_behind(const std::vector<std::pair<const char*, bool>>& options, const char* format) {
  std::vector<const char*> left;
  for (const auto& [name, is_left_behind] : options)
    if (is_left_behind) left.push_back(name);
  if (!left.empty()) print_note("note: {} cannot express {}: not exported\n", format, fmt::join(left, ", "));
}

/// Writes everything needed for translation: weights, tokenizers, settings.
void export_model(const RunName& name, const ExportArguments& arguments) {
  const LoadedRun run = load_run(name, load_run_config(name.folder()));
  const Outgoing model(run.config, *run.tokenizers.source, *run.tokenizers.target, run.model->parameters);
  std::vector<ExportFormat> formats;
  if (!arguments.huggingface.empty()) formats.push_back(ExportFormat::huggingface);
  if (!arguments.marian.empty()) formats.push_back(ExportFormat::marian);
  model.check_exportable(formats);  // of all formats before the first is written
  if (const std::string& prefix = run.config.data.source_prefix; !prefix.empty())
    print_note("note: data.source_prefix is not exported: other programs must put '{}' before every line\n", prefix);
  const auto note_written = [&](const std::string& folder) {
    fmt::print("wrote the model of {}, update {}, to {}\n", arguments.run, run.state.update, folder);
  };
  const DecodeConfig& decode = run.config.decode;
  if (!arguments.huggingface.empty()) {
    note_left_behind({{"decode.max_length_factor", decode.max_length_factor > 0}}, "config.json");
    export_huggingface(model, arguments.huggingface);
    note_written(arguments.huggingface);
  }
  if (!arguments.marian.empty()) {
    const auto is_implied = [&](std::int64_t id) { return id == 1 || id + 1 == std::ssize(model.target().tokens); };
    note_left_behind({{"decode.min_length", decode.min_length > 0},
                      {"decode.max_length_extra (max-length-factor is 3 there)", decode.max_length_factor == 0},
                      {"decode.forbidden", !std::ranges::all_of(model.forbidden(), is_implied)}},
                     "decoder.yml");
    export_marian(model, arguments.marian);
    note_written(arguments.marian);
    const bool is_marians = run.config.model.sinusoid == ModelConfig::Sinusoid::halves;
    print_note("note: this model has model.sinusoid: {}. {}, so translations differ slightly there\n",
               is_marians ? "halves" : "sorted",
               is_marians ? "ct2-marian-converter assumes sorted" : "Marian and glossa import assume halves");
  }
}

int run(const ExportArguments& arguments) {
  if (arguments.safetensors.empty() && arguments.huggingface.empty() && arguments.marian.empty())
    misuse("export", "expected --safetensors, --huggingface or --marian; got none");
  for (const std::string& folder : {arguments.huggingface, arguments.marian})
    if (!folder.empty()) check_is_free(folder);
  if (!arguments.marian.empty() && arguments.marian == arguments.huggingface)
    misuse("--marian", "expected a folder other than that of --huggingface; got {} twice", arguments.marian);
  const RunName name(arguments.run, arguments.checkpoint);
  if (!arguments.safetensors.empty()) export_weights(name, arguments);
  if (!arguments.huggingface.empty() || !arguments.marian.empty()) export_model(name, arguments);
  return 0;
}

}  // namespace

void add_export(CommandTable& table) {
  const auto [command, arguments] = table.add<ExportArguments>(
      {.name = "export", .help = "Write a model for other programs", .group = "Exchange"}, run);
  add_run(command, arguments.run, arguments.checkpoint);
  command.add_option("--safetensors", arguments.safetensors, "file to write: the weights, under PyTorch's names");
  command.add_option("--huggingface", arguments.huggingface, "folder to create, for MarianMTModel of transformers");
  command.add_option("--marian", arguments.marian, "folder to create, for Marian's tools");
}

}  // namespace glossa::commands
