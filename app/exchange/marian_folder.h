#pragma once

#include "app/exchange/pretrained.h"

namespace glossa {

/// The name of the options in a model's archive.
constexpr const char* marian_options_name = "special:model.yml";

/// Whether a folder holds a model of Marian: a .npz.
bool is_marian_folder(const std::filesystem::path& folder);

/// Reads a folder as Marian and OPUS-MT have it: a .npz with special:model.yml in it, source.spm, target.spm,
/// vocab.yml, or one for each side, and decoder.yml if it is there, which names the files where there are several.
/// Throws as read_pretrained.
Pretrained read_marian_folder(const std::filesystem::path& folder);

/// Where a model of Marian's has the parameters; the rows are those of the vocabularies, with the last, for padding,
/// which Marian has not.
std::vector<ParameterSource> marian_sources(const ModelConfig& model, std::uint64_t source_rows,
                                            std::uint64_t target_rows);

}  // namespace glossa
