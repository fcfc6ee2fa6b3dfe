#pragma once

#include "app/exchange/pretrained.h"

namespace glossa {

/// Reads a folder written by `MarianMTModel.save_pretrained` and `MarianTokenizer.save_pretrained`. Required files are
/// config.json, model.safetensors or pytorch_model.bin, source.spm, target.spm, vocab.json and, if the config says so,
/// target_vocab.json. generation_config.json and tokenizer_config.json are optional. Throws as read_pretrained does.
Pretrained read_huggingface_folder(const std::filesystem::path& folder);

/// Returns the locations of the parameters in a MarianMTModel with these options. `source_rows` and `target_rows` are
/// the sizes of the model's vocabularies.
std::vector<ParameterSource> huggingface_sources(const TransformerOptions& model, std::uint64_t source_rows,
                                                 std::uint64_t target_rows);

}  // namespace glossa
