#pragma once

#include "app/exchange/pretrained.h"

namespace glossa {

/// Reads a folder as `MarianMTModel.save_pretrained` and `MarianTokenizer.save_pretrained` write it: config.json,
/// model.safetensors or pytorch_model.bin, source.spm, target.spm, vocab.json and, where the config says so,
/// target_vocab.json; generation_config.json and tokenizer_config.json if they are there. Throws as read_pretrained.
Pretrained read_huggingface_folder(const std::filesystem::path& folder);

/// Where a MarianMTModel of these options has the parameters; the rows are those of its vocabularies.
std::vector<ParameterSource> huggingface_sources(const ModelConfig& model, std::uint64_t source_rows,
                                                 std::uint64_t target_rows);

}  // namespace glossa
