#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder that MarianMTModel.from_pretrained and MarianTokenizer.from_pretrained of transformers read, and
/// whatever stands on them: config.json, generation_config.json, model.safetensors, source.spm, target.spm, vocab.json
/// (and target_vocab.json), tokenizer_config.json. Positions other than MarianMTModel's own go as tables. Throws
/// misuse naming the option that it cannot say, and where the folder holds something.
void export_huggingface(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
