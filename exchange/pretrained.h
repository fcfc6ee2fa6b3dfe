#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/tensor_file.h"
#include "config/config.h"
#include "data/tokenizers/vocabulary.h"
#include "exchange/parameter_sources.h"

namespace glossa {

/// A pretrained model read from its folder, converted to glossa's options and names.
struct Pretrained {
  /// One language's tokenization.
  struct Side {
    std::filesystem::path pieces_file;  ///< file that `pieces` comes from
    std::string pieces;                 ///< serialized sentencepiece model
    std::vector<std::string> tokens;    ///< tokens in id order
    SpecialIds specials;
  };

  Config config;  ///< sections model, decode and data (without corpora); other sections have defaults
  Side source, target;
  std::unique_ptr<TensorFile> tensors;
  std::vector<ParameterSource> sources;  ///< source of each parameter
  std::set<std::string> others;          ///< tensors that are not parameters
  std::vector<std::string> notes;        ///< settings that glossa handles differently
};

/// Reads the folder of a Hugging Face MarianMTModel (with config.json) or of a Marian model (with a .npz file). Does
/// not read the parameters' values, but checks that the tensors match the model. Throws a misuse error for other
/// folders. Throws a failure that names the file for features that glossa lacks, and for missing, faulty or damaged
/// files. A wrong value of an option is also a failure, because the value comes from a file.
Pretrained read_pretrained(const std::filesystem::path& folder);

// The two kinds of folder.

/// Reads a folder written by `MarianMTModel.save_pretrained` and `MarianTokenizer.save_pretrained`. Required files are
/// config.json, model.safetensors or pytorch_model.bin, source.spm, target.spm, vocab.json and, if the config requires
/// it, target_vocab.json. generation_config.json and tokenizer_config.json are optional. Throws as read_pretrained
/// does.
Pretrained read_huggingface_folder(const std::filesystem::path& folder);

/// Returns the locations of the parameters in a MarianMTModel with these options. `source_rows` and `target_rows` are
/// the sizes of the model's vocabularies.
std::vector<ParameterSource> huggingface_sources(const TransformerOptions& model, std::uint64_t source_rows,
                                                 std::uint64_t target_rows);

/// True if a folder contains a .npz file, as Marian's models do.
bool is_marian_folder(const std::filesystem::path& folder);

/// Reads a folder in the layout of Marian and OPUS-MT. Required files are a .npz (with special:model.yml in it),
/// source.spm, target.spm, and one vocab.yml or a vocabulary per language. decoder.yml is optional. If the folder has
/// several models or vocabularies, decoder.yml must name the right ones. Throws as read_pretrained does.
Pretrained read_marian_folder(const std::filesystem::path& folder);

// Helpers for the readers of both kinds of folder.

/// Returns the path of the file `name` in a folder. Throws an Error if the file is not found; `what` describes the
/// file's contents.
std::filesystem::path file_in(const std::filesystem::path& folder, const std::string& name, std::string_view what);

/// Throws if an option read from the model's file is out of range; `where` names the file.
void check_ranges(const Config& config, const std::string& where);

/// Returns the settings that both kinds of folder share: glossa's defaults, changed to those of an OPUS-MT model.
Config marian_config();

/// Reads a side's sentencepiece model, the file `pieces` of the folder; `tokens` come from `tokens_file`. Throws an
/// error that names the file if the model or one of the tokens `</s>`, `<unk>` and `<pad>` is missing. `<pad>` also
/// starts the decoder.
Pretrained::Side read_side(const std::filesystem::path& folder, const char* pieces, std::vector<std::string> tokens,
                           const std::filesystem::path& tokens_file);

/// Sets the options of section data that depend on the tokens of both sides.
void set_vocabularies(Pretrained& model, bool is_shared);

}  // namespace glossa
