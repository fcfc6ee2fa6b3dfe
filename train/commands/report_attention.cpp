#include "train/commands/report_attention.h"

#include <fmt/ranges.h>

#include <filesystem>

#include "autograd/check.h"
#include "train/console/json_line.h"
#include "train/decoding/translator.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

constexpr std::int64_t most_tokens = 60;                  // of a sentence: a picture of more cannot be read
constexpr std::size_t most_bytes = std::size_t{4} << 20;  // of the maps of a run

/// The file of the checkpoint that translates, without links; empty where there is none yet.
std::string checkpoint_of(const RunName& name) {
  const std::filesystem::path folder = std::filesystem::path(name.folder()) / "checkpoints";
  for (const char* link : {"best", "last"}) {
    std::error_code missing;
    const std::filesystem::path file = std::filesystem::canonical(folder / link, missing);
    if (!missing) return file.string();
  }
  return "";
}

std::string maps_of(const RunName& name, std::span<const std::string> sentences, bool is_training) {
  const std::vector<std::string> sets(is_training ? 1 : 0, "runtime.threads=1");
  const LoadedRun run = load_run(name, load_run_config(name.folder(), sets));
  apply_runtime(run.config.runtime);
  Translator translator(*run.model->transformer, run.tokenizers, run.config.data, run.config.decode);
  std::vector<std::string> maps;
  std::size_t bytes = 0;
  for (const std::string& sentence : sentences) {
    const std::int64_t length = std::ssize(translator.source_ids(sentence, "sentence", 1));
    if (length == 0 || length > most_tokens) continue;
    Translator::Sources sources;
    translator.add(sources, sentence, "sentence", 1);
    const Translation translation = translator.n_best(sources, 1).front().front();
    if (std::ssize(translation.tokens) > most_tokens) continue;
    JsonLine json;
    json.add("text", std::string_view(sentence)).add("translation", std::string_view(translation.text));
    maps.push_back(add_to(json, translator.attention(sources.ids.front(), translation)).text());
    bytes += maps.back().size();
    if (bytes > most_bytes) break;
  }
  return fmt::format("[{}]", fmt::join(maps, ","));
}

}  // namespace

std::string ReportAttention::of(const std::string& run, std::span<const std::string> sentences, bool is_training,
                                std::string& problem) {
  const RunName name(run);
  const std::string checkpoint = checkpoint_of(name);
  if (checkpoint.empty() || sentences.empty()) return "";
  Made& made = made_[run];
  if (made.checkpoint == checkpoint) return made.maps;
  try {
    made = {checkpoint, maps_of(name, sentences, is_training)};
  } catch (const Error& error) {
    problem = error.what();
  }
  return made.maps;
}

}  // namespace glossa::commands
