#pragma once

#include "app/exchange/pretrained.h"

namespace glossa {

/// Reads a folder written by `MarianMTModel.save_pretrained` and `MarianTokenizer.save_pretrained`: config.json,
/// model.safetensors or pytorch_model.bin, source.spm, target.spm, vocab.json, target_vocab.json if the config says so,
/// and generation_config.json and tokenizer_config.json if present. Throws as read_pretrained.
Pretrained read_huggingface_folder(const std::filesystem::path& folder);

/// Locations of the parameters in a MarianMTModel with these options. `source_rows` and `target_rows` are the
/// sizes of its vocabularies.
std::vector<ParameterSource> huggingface_sources(const ModelConfig& model, std::uint64_t source_rows,
                                                 std::uint64_t target_rows);

}  // namespace glossa
