#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/exchange/parameter_sources.h"
#include "autograd/parameter.h"
#include "data/tokenizers/tokenizer.h"
#include "train/config/config.h"

namespace glossa {

/// A model in the form of Marian and its kin: tokens in their order, `</s>` first, `<unk>` second, `<pad>` last. Used
/// for export to Hugging Face and Marian folders.
class Outgoing {
 public:
  /// One side's segmentation: a serialized sentencepiece model, and the tokens in id order.
  struct Side {
    std::string pieces;
    std::vector<std::string> tokens;
  };

  /// Borrows tokenizers and parameters; `config` is the run's. Throws misuse naming the offending option if neither
  /// format can express the model: words or characters as tokens, a decoder start other than padding, another kind of
  /// layer norm, ...
  Outgoing(Config config, const Tokenizer& source, const Tokenizer& target, const ParameterStore<float>& parameters);

  const Config& config() const { return config_; }
  const Side& source() const { return source_; }
  const Side& target() const { return target_; }
  bool is_shared() const { return config_.data.shared_vocabulary; }

  /// The exported ids of decode.forbidden.
  std::vector<std::int64_t> forbidden() const;

  /// The tensors that these sources read, each under its first name, so that an import restores the parameters except
  /// for token order. A bias absent from the model is all zeros.
  std::vector<FileTensor> tensors(const std::vector<ParameterSource>& sources) const;

  /// Throws misuse naming the first option that differs from `needed`; `who` describes `needed`.
  void require(const Config& needed, std::string_view who) const;

 private:
  std::vector<float> values(const ParameterSource& source) const;

  Config config_;
  Side source_, target_;
  std::vector<int> source_order_, target_order_;  // each token's id in the run
  const ParameterStore<float>& parameters_;
};

/// Throws misuse if something exists there, except an empty folder.
void check_is_free(const std::filesystem::path& folder);

/// Lets `write` fill a folder, which appears complete under its name or not at all. Throws misuse if something exists
/// there, except an empty folder.
void write_folder(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path&)>& write);

}  // namespace glossa
