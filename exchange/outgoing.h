#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "autograd/parameter.h"
#include "config/config.h"
#include "config/exportable.h"
#include "data/tokenizers/tokenizer.h"
#include "exchange/parameter_sources.h"

namespace glossa {

/// A model to export as a Hugging Face or Marian folder. The tokens are in Marian's order: `</s>` first, `<unk>`
/// second, `<pad>` last.
class Outgoing {
 public:
  /// Tokenization of one language: a serialized sentencepiece model, and the tokens in id order.
  struct Side {
    std::string pieces;
    std::vector<std::string> tokens;
  };

  /// `config` is the run's configuration; `parameters` must outlive this object.
  Outgoing(Config config, const Tokenizer& source, const Tokenizer& target, const ParameterStore<float>& parameters);

  const Config& config() const { return config_; }
  const Side& source() const { return source_; }
  const Side& target() const { return target_; }
  bool is_shared() const { return config_.data.shared_vocabulary; }

  /// Returns the exported ids of the tokens in decode.forbidden.
  std::vector<std::int64_t> forbidden() const;

  /// Makes the tensors that `sources` describe. Each tensor gets the first of its possible names. Importing the tensors
  /// restores the parameters, except that tokens are in Marian's order. If the model does not have an output bias,
  /// makes a bias of zeros.
  std::vector<FileTensor> tensors(const std::vector<ParameterSource>& sources) const;

  /// Throws a misuse error unless each of `formats` can express the model. The error lists all obstacles
  /// (export_obstacles).
  void check_exportable(const std::vector<ExportFormat>& formats) const;

 private:
  std::vector<float> values(const ParameterSource& source) const;

  Config config_;
  Side source_, target_;
  std::vector<int> source_order_, target_order_;  // id in the run for each exported id
  const ParameterStore<float>& parameters_;
};

/// Throws a misuse error if `folder` exists and is not an empty folder.
void check_is_free(const std::filesystem::path& folder);

/// Calls `write` to fill a temporary folder, then renames that folder to `folder`, which appears complete or not at
/// all. Throws as check_is_free does.
void write_folder(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path&)>& write);

/// Writes a folder that MarianMTModel.from_pretrained and MarianTokenizer.from_pretrained of transformers can read. The
/// files are config.json, generation_config.json, model.safetensors, source.spm, target.spm, vocab.json,
/// tokenizer_config.json and, unless the vocabulary is shared, target_vocab.json. If the model's sinusoids differ from
/// those that MarianMTModel computes, model.safetensors also has the tables of sinusoids. Throws a misuse error if the
/// folder is not empty. Also throws as Outgoing::check_exportable does.
void export_huggingface(const Outgoing& model, const std::filesystem::path& folder);

/// Writes a folder for Marian's tools: model.npz (with the options), source.spm, target.spm, decoder.yml and vocab.yml.
/// If the languages have separate vocabularies, source.vocab.yml and target.vocab.yml replace vocab.yml. Rows of the
/// padding token are omitted, because Marian does not have this token. Throws a misuse error if the folder is not
/// empty. Also throws as Outgoing::check_exportable does.
void export_marian(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
