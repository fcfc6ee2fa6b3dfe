#include "config/exportable.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "data/text/shell_word.h"

namespace glossa {

namespace {

/// Returns `config` with every setting that neither format can express replaced by one that both can.
Config expressible_by_both(Config config) {
  DataConfig& data = config.data;
  if (data.tokenizer != DataConfig::Tokenizer::pieces) data.tokenizer = DataConfig::Tokenizer::sentencepiece;
  data.reading.lowercase = data.encoding.source_bos = false;
  data.encoding.source_eos = true;
  data.specials.bos = data.specials.pad;
  data.specials.unk = std::max(data.specials.unk, 0);
  if (config.decode.length_penalty == LengthPenalty::gnmt) config.decode.length_penalty = LengthPenalty::power;
  ModelConfig& model = config.model;
  StackOptions& stack = model.transformer.stack;
  const StackOptions usual = ModelConfig{}.transformer.stack;
  stack.norm_epsilon = 1e-5;
  if (is_gated(stack.activation)) stack.activation = Activation::silu;
  stack.norm_kind = usual.norm_kind;
  stack.epsilon_place = usual.epsilon_place;
  stack.norm_affine = usual.norm_affine;
  stack.similarity = usual.similarity;
  model.positions = ModelConfig{}.positions;
  stack.rotary_base = usual.rotary_base;
  if (stack.key_heads != stack.heads) stack.key_heads = 0;
  if (stack.head_width * stack.heads != stack.width) stack.head_width = 0;
  if (stack.feed_forward == 0) stack.feed_forward = 4 * stack.width;
  stack.bias = true;
  if (stack.attention_bias != AttentionBias::all) stack.attention_bias.reset();
  return config;
}

Config expressible_by_huggingface(Config config, const std::optional<VocabularySizes>& sizes) {
  StackOptions& stack = config.model.transformer.stack;
  stack.norm = NormPlace::post;
  stack.final_norm = false;
  if (sizes && sizes->source != sizes->target) config.data.shared_vocabulary = true;  // config.json has one padding id
  return config;
}

Config expressible_by_marian(Config config) {
  TransformerOptions& transformer = config.model.transformer;
  StackOptions& stack = transformer.stack;
  stack.final_norm = stack.norm == NormPlace::pre;
  if (stack.activation != Activation::relu) stack.activation = Activation::silu;
  if (transformer.sinusoid != Sinusoid::sorted) transformer.sinusoid = Sinusoid::halves;
  transformer.scale_embeddings = true;
  return config;
}

/// Returns `config` with every setting that the format cannot express replaced by one that it can.
Config expressible(const Config& config, ExportFormat format, const std::optional<VocabularySizes>& sizes) {
  if (format == ExportFormat::none) return config;
  const Config both = expressible_by_both(config);
  return format == ExportFormat::marian ? expressible_by_marian(both) : expressible_by_huggingface(both, sizes);
}

std::string name_of(ExportFormat format) {
  return format == ExportFormat::marian ? "Marian" : "Hugging Face's MarianMTModel";
}

/// Lists obstacles as "KEY: VALUE (needs VALUE)".
std::string list(const std::vector<OptionDifference>& obstacles) {
  std::vector<std::string> items;
  for (const auto& [key, value, needed] : obstacles)
    items.push_back(fmt::format("{}: {} (needs {})", key, value, needed));
  return fmt::format("{}", fmt::join(items, ", "));
}

/// Returns a hint to train with the `changes` to `config` that remove all obstacles.
std::string remedy(const Config& config, const std::vector<OptionDifference>& changes) {
  std::string text = config.train.warm_start.empty() ? "train with" : "train the run of train.warm_start with";
  for (const auto& [key, value, needed] : changes) text += " " + shell_command({"--set", key + "=" + needed});
  const auto is_of_search = [](const OptionDifference& change) { return change.key.starts_with("decode."); };
  if (std::ranges::any_of(changes, is_of_search))
    text += " (decode.* may also be changed later, in the run's config.yaml)";
  return text;
}

}  // namespace

std::vector<OptionDifference> export_obstacles(const Config& config, ExportFormat format,
                                               const std::optional<VocabularySizes>& sizes) {
  return differences(config, expressible(config, format, sizes));
}

std::string possible_exports(const Config& config, const VocabularySizes& sizes) {
  std::vector<std::string> answers, keys;
  for (const auto& [format, name] :
       {std::pair(ExportFormat::marian, "Marian"), {ExportFormat::huggingface, "Hugging Face"}}) {
    const auto obstacles = export_obstacles(config, format, sizes);
    answers.push_back(fmt::format("{} {}", name, obstacles.empty() ? "yes" : "no"));
    for (const OptionDifference& obstacle : obstacles)
      if (std::ranges::find(keys, obstacle.key) == keys.end()) keys.push_back(obstacle.key);
  }
  const std::string see =  // names only one key, so that the text fits on a terminal line
      keys.empty() ? "" : fmt::format("; see {}{}", keys.front(), keys.size() > 1 ? ", ..." : "");
  return fmt::format("exports: {}{}", fmt::join(answers, ", "), see);
}

void check_exportable(std::string_view where, const Config& config, const std::vector<ExportFormat>& formats,
                      const std::optional<VocabularySizes>& sizes, std::string_view otherwise) {
  std::vector<std::string> names, lists;
  Config needed = config;  // accumulates the needs of all formats
  for (const ExportFormat format : formats) {
    needed = expressible(needed, format, sizes);
    const auto obstacles = export_obstacles(config, format, sizes);
    if (obstacles.empty()) continue;
    names.push_back(name_of(format));
    lists.push_back(list(obstacles));
  }
  if (names.empty()) return;
  std::string hint = remedy(config, differences(config, needed));
  for (const ExportFormat other : {ExportFormat::marian, ExportFormat::huggingface})
    if (export_obstacles(config, other, sizes).empty()) hint += fmt::format(", or choose {}", name_of(other));
  misuse(where, "expected options that {} can express; got {}. Hint: {}, or {}", fmt::join(names, " and "),
         fmt::join(lists, " and "), hint, otherwise);
}

void check_exportable(const Config& config, const std::optional<VocabularySizes>& sizes) {
  check_exportable("train.exportable", config, {config.train.exportable}, sizes, "set train.exportable: none");
}

}  // namespace glossa
