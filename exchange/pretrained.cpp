#include "exchange/pretrained.h"

#include <algorithm>

#include "base/check.h"
#include "data/text/text_file.h"

namespace glossa {

std::filesystem::path file_in(const std::filesystem::path& folder, const std::string& name, std::string_view what) {
  std::filesystem::path path = folder / name;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    fail(folder.string(), "expected {}, {}; not found. Hint: a model needs all files of its folder", name, what);
  return path;
}

Config marian_config() {
  Config config;
  config.data.split = HeldOut{};
  config.data.tokenizer = DataConfig::Tokenizer::pieces;
  config.data.encoding.source_eos = true;
  TransformerOptions& transformer = config.model.transformer;
  transformer.stack.norm = NormPlace::post;
  transformer.stack.final_norm = false;
  transformer.stack.norm_epsilon = 1e-5;
  transformer.stack.bias = transformer.output_bias = true;
  transformer.scale_embeddings = true;
  return config;
}

Pretrained::Side read_side(const std::filesystem::path& folder, const char* pieces, std::vector<std::string> tokens,
                           const std::filesystem::path& tokens_file) {
  const auto id = [&](std::string_view token) {
    const auto found = std::ranges::find(tokens, token);
    if (found == tokens.end()) fail(tokens_file.string(), "expected a token {}; not found", token);
    return static_cast<int>(found - tokens.begin());
  };
  const SpecialIds specials{.unk = id("<unk>"), .pad = id("<pad>"), .bos = id("<pad>"), .eos = id("</s>")};
  const std::filesystem::path file = file_in(folder, pieces, "a sentencepiece model");
  return {.pieces_file = file, .pieces = read_file(file), .tokens = std::move(tokens), .specials = specials};
}

void set_vocabularies(Pretrained& model, bool is_shared) {
  DataConfig& data = model.config.data;
  data.shared_vocabulary = is_shared;
  data.vocab_size = static_cast<std::int64_t>(std::max(model.source.tokens.size(), model.target.tokens.size()));
  data.specials = model.target.specials;
}

void check_ranges(const Config& config, const std::string& where) {
  for (const Option<Config>& option : all_options())
    if (!option.takes(option.text(config)))
      fail(where, "expected {} to be {}; got {}", option.key, option.accepts, option.text(config));
}

Pretrained read_pretrained(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    misuse(folder.string(), "expected the folder of a pretrained model; not found");
  Pretrained model;
  if (std::filesystem::exists(folder / "config.json", ignored))
    model = read_huggingface_folder(folder);
  else if (is_marian_folder(folder))
    model = read_marian_folder(folder);
  else
    misuse(folder.string(),
           "expected the folder of a pretrained model: with config.json (Hugging Face) or model.npz (Marian); got "
           "neither. Hint: a bare .safetensors or .bin needs a CONFIG");
  check_sources(*model.tensors, model.sources, model.others, Error::Kind::failure,
                "docs/exchange.md lists what an imported model may have");
  return model;
}

}  // namespace glossa
