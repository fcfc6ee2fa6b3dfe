#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder that MarianMTModel.from_pretrained and MarianTokenizer.from_pretrained of transformers can read:
/// config.json, generation_config.json, model.safetensors, source.spm, target.spm, vocab.json (and target_vocab.json),
/// tokenizer_config.json. If the model's sinusoids differ from those that MarianMTModel computes, their tables are
/// added to model.safetensors. Throws a misuse error if the folder is not empty. If the format cannot express an
/// option, throws misuse that names it.
void export_huggingface(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
