#pragma once

#include "train/exchange/pretrained.h"

namespace glossa {

/// Whether a folder holds a model of Marian: a .npz.
bool is_marian_folder(const std::filesystem::path& folder);

/// Reads a folder as Marian and OPUS-MT have it: a .npz with special:model.yml in it, source.spm, target.spm,
/// vocab.yml, or one for each side, and decoder.yml if it is there, which names the files where there are several.
/// Throws as read_pretrained.
Pretrained read_marian_folder(const std::filesystem::path& folder);

}  // namespace glossa
