#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder for MarianMTModel.from_pretrained and MarianTokenizer.from_pretrained of transformers, and their
/// kin: config.json, generation_config.json, model.safetensors, source.spm, target.spm, vocab.json (and
/// target_vocab.json), tokenizer_config.json. Positions other than MarianMTModel's own are written as tables. Throws
/// misuse naming an option that the format cannot express, and if the folder is not empty.
void export_huggingface(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
