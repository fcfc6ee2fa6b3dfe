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

/// A pretrained model as its folder tells it, in glossa's terms.
struct Pretrained {
  /// How text of one language becomes tokens.
  struct Side {
    std::filesystem::path pieces_file;  ///< where the pieces come from
    std::string pieces;                 ///< a sentencepiece model, serialized
    std::vector<std::string> tokens;    ///< in id order
    SpecialIds specials;
  };

  Config config;  ///< model, data without corpora, decode; the rest as it is by default
  Side source, target;
  std::unique_ptr<TensorFile> tensors;
  std::vector<ParameterSource> sources;  ///< of every parameter
  std::set<std::string> others;          ///< tensors that are no parameters
  std::vector<std::string> notes;        ///< what is asked for and glossa does otherwise
};

/// Reads a folder of a Hugging Face MarianMTModel (config.json) or of Marian (a .npz), all but the numbers, and checks
/// that the tensors are those of the model. Throws misuse for a folder of another kind, for what the model has and
/// glossa has not, and for a file that is missing; an Error naming the file for one that is damaged.
Pretrained read_pretrained(const std::filesystem::path& folder);

// For the readers of the two kinds.

/// The file of that name in a folder. Throws misuse if there is none; `what` says what it holds.
std::filesystem::path file_in(const std::filesystem::path& folder, const std::string& name, std::string_view what);

/// What both kinds have in common: which is everything that an OPUS-MT model needs and that is no default of glossa's.
Config marian_config();

/// The ids of `</s>`, `<unk>` and `<pad>`, which starts the decoder, too. Throws naming the file if one is missing.
SpecialIds special_ids(const std::vector<std::string>& tokens, const std::filesystem::path& file);

}  // namespace glossa
