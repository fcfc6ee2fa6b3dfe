#pragma once

#include "app/exchange/pretrained.h"

namespace glossa {

/// The options' name in a model's archive.
constexpr const char* marian_options_name = "special:model.yml";

/// True if a folder holds a Marian model: a .npz.
bool is_marian_folder(const std::filesystem::path& folder);

/// Reads a folder in the layout of Marian and OPUS-MT: a .npz containing special:model.yml, source.spm, target.spm,
/// vocab.yml or one per side, and decoder.yml if present, which names the files if there are several. Throws as
/// read_pretrained.
Pretrained read_marian_folder(const std::filesystem::path& folder);

/// Locations of the parameters in a Marian model. The rows are its vocabularies', including the last, padding, which
/// Marian lacks.
std::vector<ParameterSource> marian_sources(const ModelConfig& model, std::uint64_t source_rows,
                                            std::uint64_t target_rows);

}  // namespace glossa
