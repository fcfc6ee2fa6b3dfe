#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/exchange/parameter_sources.h"
#include "base/tensor_file.h"
#include "data/tokenizers/vocabulary.h"
#include "train/config/config.h"

namespace glossa {

/// A pretrained model read from its folder, converted to glossa's options and names.
struct Pretrained {
  /// One language's tokenization.
  struct Side {
    std::filesystem::path pieces_file;  ///< the file that `pieces` comes from
    std::string pieces;                 ///< serialized sentencepiece model
    std::vector<std::string> tokens;    ///< in id order
    SpecialIds specials;
  };

  Config config;  ///< sections model, decode and data (without corpora); other sections are default
  Side source, target;
  std::unique_ptr<TensorFile> tensors;
  std::vector<ParameterSource> sources;  ///< one per parameter
  std::set<std::string> others;          ///< tensors that are not parameters
  std::vector<std::string> notes;        ///< settings that glossa handles differently
};

/// Reads the folder of a Hugging Face MarianMTModel (with config.json) or of a Marian model (with a .npz file). Does
/// not read the parameters' values, but checks that the tensors match the model. Throws a misuse error for other
/// folders. Throws an Error that names the file for features that glossa lacks, and for missing, faulty or damaged
/// files. This one is a failure, even for a wrong value of an option, because the values come from files.
Pretrained read_pretrained(const std::filesystem::path& folder);

// Helpers for the readers of both kinds of folder.

/// Returns the path of the file `name` in a folder. Throws an Error if the file is not found; `what` describes the
/// file's contents.
std::filesystem::path file_in(const std::filesystem::path& folder, const std::string& name, std::string_view what);

/// Throws, naming the model's file `where`, if an option that was read from it is out of range.
void check_ranges(const Config& config, const std::string& where);

/// Returns the settings that both kinds of folder have in common: glossa's defaults, changed to those of an OPUS-MT
/// model.
Config marian_config();

/// Returns the ids of `</s>`, `<unk>` and `<pad>`; `<pad>` also starts the decoder. Throws, naming the file, if one of
/// these tokens is missing.
SpecialIds special_ids(const std::vector<std::string>& tokens, const std::filesystem::path& file);

}  // namespace glossa
