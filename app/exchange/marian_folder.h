#pragma once

#include "app/exchange/pretrained.h"

namespace glossa {

/// Name of the entry with the model's options in a .npz file.
constexpr const char* marian_options_name = "special:model.yml";

/// True if a folder contains a .npz file, as Marian's models do.
bool is_marian_folder(const std::filesystem::path& folder);

/// Reads a folder in the layout of Marian and OPUS-MT. Required files are a .npz (with special:model.yml in it),
/// source.spm, target.spm, and one vocab.yml or a vocabulary per language. decoder.yml is optional. If the folder has
/// several models or vocabularies, decoder.yml must name the right ones. Throws as read_pretrained does.
Pretrained read_marian_folder(const std::filesystem::path& folder);

/// Returns the locations of the parameters in a Marian model. `source_rows` and `target_rows` are the vocabulary sizes,
/// including the padding token. The padding token's row comes last; Marian's file does not have it.
std::vector<ParameterSource> marian_sources(const TransformerOptions& model, std::uint64_t source_rows,
                                            std::uint64_t target_rows);

}  // namespace glossa
