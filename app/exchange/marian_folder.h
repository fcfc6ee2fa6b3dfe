#pragma once

#include "app/exchange/pretrained.h"

namespace glossa {

/// Name of the entry in a model's .npz that contains the options.
constexpr const char* marian_options_name = "special:model.yml";

/// True if a folder contains a .npz file, as Marian's models do.
bool is_marian_folder(const std::filesystem::path& folder);

/// Reads a folder in the layout of Marian and OPUS-MT: a .npz (with special:model.yml in it), source.spm, target.spm,
/// one vocab.yml or a vocabulary per side, and decoder.yml if present. If there are several candidates for a file,
/// decoder.yml names the right one. Throws as read_pretrained.
Pretrained read_marian_folder(const std::filesystem::path& folder);

/// Locations of the parameters in a Marian model. `source_rows` and `target_rows` are the vocabulary sizes, including
/// the padding token, whose row comes last and is not in Marian's file.
std::vector<ParameterSource> marian_sources(const ModelConfig& model, std::uint64_t source_rows,
                                            std::uint64_t target_rows);

}  // namespace glossa
