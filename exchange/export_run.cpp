#include "exchange/export_run.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "base/console/print.h"
#include "exchange/exchange.h"
#include "exchange/outgoing.h"
#include "train/checkpoint/int8_file.h"
#include "train/model/memory_check.h"
#include "train/signals.h"

namespace glossa {

namespace {

/// Writes one checkpoint's weights, unchanged. Returns the checkpoint's update.
std::int64_t export_weights(const CheckpointReader& checkpoint, const std::string& path) {
  double bytes = 0;  // total size of the tensors, which are all in memory at once
  for (const CheckpointEntry& entry : checkpoint.entries())
    if (entry.kind == EntryKind::parameter) bytes += static_cast<double>(entry.length);
  check_model_fits(checkpoint.path().string(), bytes);
  const Uninterrupted whole;
  export_parameters(checkpoint, path);
  return read_training_state(checkpoint).update;
}

/// Prints a note that lists the options for which the bool is true: search options that `file` cannot express.
void note_left_behind(const char* file, const std::vector<std::pair<const char*, bool>>& options) {
  std::vector<const char*> left;
  for (const auto& [name, is_left_behind] : options)
    if (is_left_behind) left.push_back(name);
  if (!left.empty()) print_note("note: {} cannot express {}: not exported\n", file, fmt::join(left, ", "));
}

void note_sinusoid(const ModelConfig& model) {
  const bool is_marians = model.transformer.sinusoid == Sinusoid::halves;
  print_note("note: this model has model.sinusoid: {}. {}, so translations differ slightly there\n",
             is_marians ? "halves" : "sorted",
             is_marians ? "ct2-marian-converter assumes sorted" : "Marian and glossa import assume halves");
}

}  // namespace

void export_run(const RunName& name, const ExportPaths& paths, const Exported& written) {
  const bool to_huggingface = !paths.huggingface.empty(), to_marian = !paths.marian.empty();
  for (const std::string& folder : {paths.huggingface, paths.marian})
    if (!folder.empty()) check_is_free(folder);
  if (to_marian && paths.marian == paths.huggingface)
    misuse("--marian", "expected a folder other than that of --huggingface; got {} twice", paths.marian);
  check_is_in_float(name.folder());
  if (!paths.safetensors.empty())
    written(paths.safetensors, export_weights(CheckpointReader(name.file()), paths.safetensors));
  if (!to_huggingface && !to_marian) return;

  const LoadedRun run = load_run_in_float(name, load_run_config(name.folder()));
  const Outgoing model(run.config, *run.tokenizers.source, *run.tokenizers.target, run.model->parameters);
  std::vector<ExportFormat> formats;
  if (to_huggingface) formats.push_back(ExportFormat::huggingface);
  if (to_marian) formats.push_back(ExportFormat::marian);
  model.check_exportable(formats);  // checks all formats before writing the first
  const DecodeOptions& decode = run.config.decode;
  if (const std::string& prefix = run.config.data.encoding.source_prefix; !prefix.empty())
    print_note("note: data.source_prefix is not exported: other programs must put '{}' before every line\n", prefix);
  if (to_huggingface) {
    note_left_behind("config.json",
                     {{"decode.max_length_factor", decode.max_length_factor > 0}, {"decode.mbr", decode.mbr > 0}});
    export_huggingface(model, paths.huggingface);
    written(paths.huggingface, run.state.update);
  }
  if (to_marian) {
    const auto is_implied = [&](std::int64_t id) { return id == 1 || id + 1 == std::ssize(model.target().tokens); };
    note_left_behind("decoder.yml",
                     {{"decode.min_length", decode.min_length > 0},
                      {"decode.max_length_extra (max-length-factor is 3 there)", decode.max_length_factor == 0},
                      {"decode.forbidden", !std::ranges::all_of(model.forbidden(), is_implied)},
                      {"decode.mbr", decode.mbr > 0}});
    export_marian(model, paths.marian);
    written(paths.marian, run.state.update);
    note_sinusoid(run.config.model);
  }
}

}  // namespace glossa
