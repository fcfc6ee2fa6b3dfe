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

/// A model as others of Marian's kind have it: its tokens in their order, `</s>` first, `<unk>` second, `<pad>` last.
/// For the exports to Hugging Face's folders and to Marian's.
class Outgoing {
 public:
  /// What one side's text is cut into: a sentencepiece model, serialized, and the tokens in id order.
  struct Side {
    std::string pieces;
    std::vector<std::string> tokens;
  };

  /// The tokenizers and parameters are borrowed; `config` is that of the run. Throws misuse naming the option that
  /// stands against it where neither format can say what the model is: words or characters as tokens, another start
  /// of the decoder than padding, a layer norm of another kind, ...
  Outgoing(Config config, const Tokenizer& source, const Tokenizer& target, const ParameterStore<float>& parameters);

  const Config& config() const { return config_; }
  const Side& source() const { return source_; }
  const Side& target() const { return target_; }
  bool is_shared() const { return config_.data.shared_vocabulary; }

  /// The ids of decode.forbidden, as they are here.
  std::vector<std::int64_t> forbidden() const;

  /// The tensors that these sources read, each under its first name, so that an import gives the same parameters but
  /// for the order of tokens. A bias that the model has not is one of zeros.
  std::vector<FileTensor> tensors(const std::vector<ParameterSource>& sources) const;

  /// Throws misuse naming the first option that is not as `needed` has it; `who` says whose model it is.
  void require(const Config& needed, std::string_view who) const;

 private:
  std::vector<float> values(const ParameterSource& source) const;

  Config config_;
  Side source_, target_;
  std::vector<int> source_order_, target_order_;  // the id in the run of each token
  const ParameterStore<float>& parameters_;
};

/// Throws misuse where something is there already, but for an empty folder.
void check_is_free(const std::filesystem::path& folder);

/// Has `write` fill a folder, which appears whole under its name or not at all. Throws misuse where something is there
/// already, but for an empty folder.
void write_folder(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path&)>& write);

}  // namespace glossa
