#pragma once

#include "app/exchange/pretrained.h"

namespace glossa {

/// Name of the entry with the options in a model's archive.
constexpr const char* marian_options_name = "special:model.yml";

/// True if a folder contains a Marian model, a .npz.
bool is_marian_folder(const std::filesystem::path& folder);

/// Reads a folder in the layout of Marian and OPUS-MT: a .npz containing special:model.yml, source.spm, target.spm,
/// vocab.yml or one per side, and decoder.yml if present. If there are several candidates for a file, decoder.yml names
/// the right one. Throws as read_pretrained.
Pretrained read_marian_folder(const std::filesystem::path& folder);

/// Locations of the parameters in a Marian model. The numbers of rows are the vocabulary sizes, including the last row,
/// padding, which Marian does not have.
std::vector<ParameterSource> marian_sources(const ModelConfig& model, std::uint64_t source_rows,
                                            std::uint64_t target_rows);

}  // namespace glossa
