#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder that MarianMTModel.from_pretrained and MarianTokenizer.from_pretrained of transformers can read. The
/// files are config.json, generation_config.json, model.safetensors, source.spm, target.spm, vocab.json,
/// tokenizer_config.json and, unless the vocabulary is shared, target_vocab.json. If the model's sinusoids differ from
/// those that MarianMTModel computes, model.safetensors also has the tables of sinusoids. Throws a misuse error if the
/// folder is not empty. Also throws like Outgoing::check_exportable.
void export_huggingface(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
