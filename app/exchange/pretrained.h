#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/exchange/parameter_sources.h"
#include "data/tokenizers/vocabulary.h"
#include "train/config/config.h"
#include "train/tensor_files/tensor_file.h"

namespace glossa {

/// A pretrained model read from its folder, in glossa's terms.
struct Pretrained {
  /// One language's tokenization.
  struct Side {
    std::filesystem::path pieces_file;  ///< origin of the pieces
    std::string pieces;                 ///< a sentencepiece model, serialized
    std::vector<std::string> tokens;    ///< in id order
    SpecialIds specials;
  };

  Config config;  ///< model, data without corpora, decode; defaults elsewhere
  Side source, target;
  std::unique_ptr<TensorFile> tensors;
  std::vector<ParameterSource> sources;  ///< one per parameter
  std::set<std::string> others;          ///< tensors that are not parameters
  std::vector<std::string> notes;        ///< requests that glossa handles differently
};

/// Reads a folder of a Hugging Face MarianMTModel (config.json) or of Marian (a .npz), except the numbers, and checks
/// that the tensors match the model. Throws misuse for any other kind of folder, for features that glossa lacks, and
/// for a missing file; an Error naming the file if one is damaged.
Pretrained read_pretrained(const std::filesystem::path& folder);

// Helpers of the two readers.

/// The file of that name in a folder. Throws misuse if not found; `what` describes its contents.
std::filesystem::path file_in(const std::filesystem::path& folder, const std::string& name, std::string_view what);

/// Settings common to both kinds: all that an OPUS-MT model needs beyond glossa's defaults.
Config marian_config();

/// The ids of `</s>`, `<unk>` and `<pad>`, which also starts the decoder. Throws naming the file if one is missing.
SpecialIds special_ids(const std::vector<std::string>& tokens, const std::filesystem::path& file);

}  // namespace glossa
