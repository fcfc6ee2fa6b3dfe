#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder that MarianMTModel.from_pretrained and MarianTokenizer.from_pretrained of transformers can read:
/// config.json, generation_config.json, model.safetensors, source.spm, target.spm, vocab.json (and target_vocab.json),
/// tokenizer_config.json. If the sinusoids differ from MarianMTModel's, they are written as tables. Throws misuse if
/// the format cannot express an option, naming it, or if the folder is not empty.
void export_huggingface(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
