#include <fmt/format.h>

#include <algorithm>

#include "app/exchange/outgoing.h"
#include "app/exchange/pretrained.h"
#include "app/exchange/vocabulary_file.h"
#include "base/atomic_file.h"
#include "base/check.h"
#include "train/tensor_files/npz_file.h"

namespace glossa {

namespace {

namespace fs = std::filesystem;

/// The options stored in a model, as YAML.
std::string model_options(const Outgoing& out) {
  const ModelConfig& model = out.config().model;
  const TransformerOptions& transformer = model.transformer;
  const StackOptions& stack = transformer.stack;
  const bool is_pre = stack.norm == NormPlace::pre;
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  // Marian's vocabulary sizes do not count padding.
  std::string yaml = fmt::format("type: transformer\nversion: v1.12.0\ndim-vocabs:\n  - {}\n  - {}\n",
                                 out.source().tokens.size() - 1, out.target().tokens.size() - 1);
  yaml += fmt::format("dim-emb: {}\nlemma-dim-emb: 0\nenc-depth: {}\ndec-depth: {}\n", stack.width,
                      transformer.encoder_layers, transformer.decoder_layers);
  yaml += fmt::format("tied-embeddings: {}\ntied-embeddings-src: {}\ntied-embeddings-all: {}\noutput-omit-bias: {}\n",
                      flag(transformer.tied == Tied::output), flag(transformer.tied == Tied::embeddings),
                      flag(transformer.tied == Tied::all), flag(!transformer.output_bias));
  yaml += fmt::format("transformer-heads: {}\ntransformer-dim-ffn: {}\ntransformer-ffn-activation: {}\n", stack.heads,
                      stack.feed_forward, stack.activation == Activation::silu ? "swish" : name_of(stack.activation));
  yaml +=
      fmt::format("transformer-preprocess: \"{}\"\ntransformer-postprocess: {}\ntransformer-postprocess-top: \"{}\"\n",
                  is_pre ? "n" : "", is_pre ? "da" : "dan", is_pre ? "n" : "");
  return yaml +
         "transformer-postprocess-emb: d\n"
         "transformer-decoder-autoreg: self-attention\n"
         "transformer-decoder-dim-ffn: 0\n"
         "transformer-decoder-ffn-depth: 0\n"
         "transformer-ffn-depth: 2\n"
         "transformer-dim-aan: 2048\n"
         "transformer-aan-depth: 2\n"
         "transformer-aan-activation: swish\n"
         "transformer-aan-nogate: false\n"
         "transformer-flat-self-attention: false\n"
         "transformer-guided-alignment-layer: last\n"
         "transformer-no-projection: false\n"
         "transformer-pool: false\n"
         "transformer-tied-layers:\n  []\n"
         "transformer-train-position-embeddings: false\n"
         "input-types:\n  []\n"
         "layer-normalization: false\n"
         "right-left: false\n"
         "skip: false\n"
         "ulr: false\n"
         "ulr-dim-emb: 0\n"
         "ulr-trainable-transformation: false\n";
}

/// Options for marian-decoder; paths are relative to the options' file.
std::string decoder_options(const Outgoing& out, const std::vector<std::string>& vocabularies) {
  const DecodeOptions& decode = out.config().decode;
  const std::vector<std::int64_t> never = out.forbidden();
  const bool may_be_unknown = std::ranges::find(never, 1) == never.end();
  const double normalize = decode.length_penalty == LengthPenalty::none ? 0 : decode.alpha;
  return fmt::format(
      "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - {}\n  - {}\nbeam-size: {}\nnormalize: {}\n"
      "word-penalty: 0\nmax-length-factor: {}\nallow-unk: {}\n",
      vocabularies.front(), vocabularies.back(), decode.beam, normalize,
      decode.max_length_factor == 0 ? 3 : decode.max_length_factor, may_be_unknown);
}

}  // namespace

void export_marian(const Outgoing& model, const fs::path& folder) {
  model.check_exportable({ExportFormat::marian});
  write_folder(folder, [&](const fs::path& to) {
    const std::vector<FileTensor> tensors = model.tensors(
        marian_sources(model.config().model.transformer, model.source().tokens.size(), model.target().tokens.size()));
    std::vector<NamedTensor<const float>> borrowed;
    for (const FileTensor& tensor : tensors) borrowed.push_back({tensor.name, tensor.shape, tensor.values});
    write_npz(to / "model.npz", borrowed, {{std::string(marian_options_name), model_options(model)}});
    const std::vector<std::string> vocabularies =
        model.is_shared() ? std::vector<std::string>{"vocab.yml"}
                          : std::vector<std::string>{"source.vocab.yml", "target.vocab.yml"};
    const auto write_vocabulary = [&](const std::string& name, std::span<const std::string> tokens) {
      // The last token is <pad>, which Marian lacks.
      write_file_atomically(to / name, yaml_vocabulary(tokens.first(tokens.size() - 1)));
    };
    write_vocabulary(vocabularies.front(), model.source().tokens);
    if (!model.is_shared()) write_vocabulary(vocabularies.back(), model.target().tokens);
    write_file_atomically(to / "decoder.yml", decoder_options(model, vocabularies));
    write_file_atomically(to / "source.spm", model.source().pieces);
    write_file_atomically(to / "target.spm", model.target().pieces);
  });
}

}  // namespace glossa
