#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/folder.h"
#include "base/formats/npz_file.h"
#include "config/config_text.h"
#include "data/text/text_file.h"
#include "exchange/outgoing.h"
#include "exchange/pretrained.h"
#include "exchange/vocabulary_file.h"

namespace glossa {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_yaml = 32 << 10;

/// Name of the entry with the model's options in a .npz file.
const std::string options_name = "special:model.yml";

/// Options as Marian writes them in YAML. Errors name the file and the option.
class MarianOptions {
 public:
  MarianOptions() = default;
  MarianOptions(const std::string& yaml, std::string where) : where_(std::move(where)) {
    try {
      if (const auto fault = find_fault(yaml))
        fail(fmt::format("{}:{}", where_, fault->line), "expected options in UTF-8; got {}", fault->what);
      node_ = YAML::Load(yaml);
    } catch (const YAML::DeepRecursion& error) {
      fail(where_, "expected options in YAML; got values nested more than {} deep", error.depth());
    } catch (const YAML::Exception& error) {
      fail(where_, "expected options in YAML; got {}", error.what());
    }
    check(node_.IsMap(), where_, "expected options in YAML, `OPTION: VALUE`; got something else");
  }

  const std::string& where() const { return where_; }
  bool has(const std::string& option) const { return node_.IsMap() && node_[option] && !node_[option].IsNull(); }

  template <class T>
  T get(const std::string& option, std::optional<T> otherwise = {}) const {
    if (!has(option) && otherwise) return *otherwise;
    if (!has(option)) fail(where_, "expected the option {}; not found", option);
    try {
      return node_[option].as<T>();
    } catch (const YAML::Exception&) {
      fail(where_, "expected a valid value of {}; got {}", option, shown(option));
    }
  }

  /// Returns the value as shortened text, for an error.
  std::string shown(const std::string& option) const {
    if (!has(option)) return "nothing";
    return YAML::Dump(node_[option]).substr(0, 100);
  }

  /// Throws unless the option is one of these values; an absent option counts as `otherwise`.
  void must_be(const std::string& option, const std::vector<std::string>& values, const std::string& otherwise,
               std::string_view needed) const {
    const bool ok = has(option)
                        ? node_[option].IsScalar() && std::ranges::find(values, node_[option].Scalar()) != values.end()
                        : std::ranges::find(values, otherwise) != values.end();
    if (!ok)
      fail(where_, "expected {}: {}; got {}. Hint: glossa lacks {}", option,
           fmt::format("{}", fmt::join(values, " or ")), shown(option), needed);
  }

 private:
  std::string where_;
  YAML::Node node_;
};

void check_architecture(const MarianOptions& options) {
  options.must_be("type", {"transformer"}, "", "models of this type");
  options.must_be("transformer-decoder-autoreg", {"self-attention"}, "self-attention",
                  "decoders with SSRU (rnn) or averages in place of self-attention");
  options.must_be("transformer-ffn-depth", {"2"}, "2", "feed-forward layers of another depth");
  options.must_be("transformer-decoder-ffn-depth", {"0", "2"}, "0", "feed-forward layers of another depth");
  const std::string inner = options.get<std::string>("transformer-dim-ffn");
  options.must_be("transformer-decoder-dim-ffn", {"0", inner}, "0", "feed-forward layers of two widths");
  options.must_be("transformer-postprocess-emb", {"d", ""}, "d", "normalized embeddings");
  for (const char* option :
       {"transformer-no-projection", "transformer-train-positions", "transformer-train-position-embeddings",
        "transformer-no-bias", "transformer-no-affine", "transformer-rnn-projection", "right-left", "ulr",
        "transformer-disable-position-encoding", "transformer-pool"})
    options.must_be(option, {"false"}, "false", "this option");
  options.must_be("lemma-dim-emb", {"0"}, "0", "factored vocabularies");
  options.must_be("transformer-dim-ffn-gated", {"0", "false"}, "0", "gated feed-forward layers");
  if (options.has("transformer-tied-layers") && !options.get<std::vector<int>>("transformer-tied-layers").empty())
    fail(options.where(), "expected transformer-tied-layers: []; got {}. Hint: glossa lacks tied layers",
         options.shown("transformer-tied-layers"));
}

/// Reads the position of the norms: post-norm, or pre-norm with a final norm on each side.
void read_norm(const MarianOptions& options, ModelConfig& model) {
  StackOptions& stack = model.transformer.stack;
  const auto has = [&](const char* pre, const char* post, const char* top) {
    return options.get<std::string>("transformer-preprocess", "") == pre &&
           options.get<std::string>("transformer-postprocess") == post &&
           options.get<std::string>("transformer-postprocess-top", "") == top;
  };
  stack.final_norm = has("n", "da", "n");
  stack.norm = stack.final_norm ? NormPlace::pre : NormPlace::post;
  if (!stack.final_norm && !has("", "dan", ""))
    fail(options.where(),
         "expected transformer-preprocess, transformer-postprocess and transformer-postprocess-top: \"\", dan and "
         "\"\", or n, da and n; got {}, {} and {}. Hint: glossa lacks this order of dropout, sum and norm",
         options.shown("transformer-preprocess"), options.shown("transformer-postprocess"),
         options.shown("transformer-postprocess-top"));
}

Tied tying(const MarianOptions& options) {
  const auto flag = [&](const char* option) { return options.get<bool>(option, false); };
  const bool all = flag("tied-embeddings-all"), source = all || flag("tied-embeddings-src"),
             output = all || flag("tied-embeddings");
  if (source) return output ? Tied::all : Tied::embeddings;
  return output ? Tied::output : Tied::none;
}

void read_model(const MarianOptions& options, ModelConfig& model) {
  TransformerOptions& transformer = model.transformer;
  StackOptions& stack = transformer.stack;
  check_architecture(options);
  read_norm(options, model);
  transformer.sinusoid = Sinusoid::halves;
  stack.width = options.get<std::int64_t>("dim-emb");
  stack.heads = options.get<std::int64_t>("transformer-heads");
  stack.feed_forward = options.get<std::int64_t>("transformer-dim-ffn");
  transformer.encoder_layers = options.get<std::int64_t>("enc-depth");
  transformer.decoder_layers = options.get<std::int64_t>("dec-depth");
  options.must_be("transformer-ffn-activation", {"swish", "relu"}, "swish",
                  "this activation; Marian's gelu is the sigmoid form");
  stack.activation =
      options.get<std::string>("transformer-ffn-activation", "swish") == "swish" ? Activation::silu : Activation::relu;
  transformer.tied = tying(options);
  transformer.output_bias = !options.get<bool>("output-omit-bias", false);
  stack.residual_dropout = options.get<double>("transformer-dropout", 0.1);
  model.attention_dropout = options.get<double>("transformer-dropout-attention", 0);
  model.activation_dropout = options.get<double>("transformer-dropout-ffn", 0);
  if (options.get<std::string>("transformer-postprocess-emb", "d").empty()) model.embedding_dropout = 0;
}

void read_decoding(const MarianOptions& options, const SpecialIds& ids, DecodeOptions& decode,
                   std::vector<std::string>& notes) {
  decode.beam = options.get<std::int64_t>("beam-size", 12);
  decode.alpha = options.get<double>("normalize", 0);
  decode.length_penalty = decode.alpha == 0 ? LengthPenalty::none : LengthPenalty::power;
  decode.max_length_factor = options.get<double>("max-length-factor", 3);
  decode.max_length_extra = 0;
  if (!options.get<bool>("allow-unk", false)) decode.forbidden = {ids.unk};
  if (options.get<double>("word-penalty", 0) != 0)
    notes.push_back(fmt::format("{}: word-penalty is {}, which glossa's search lacks: translations may differ",
                                options.where(), options.shown("word-penalty")));
}

/// Returns the sorted names of the files in a folder that have this ending.
std::vector<std::string> files_ending(const fs::path& folder, std::string_view ending) {
  std::vector<std::string> names = names_in(folder);
  std::erase_if(names, [&](const std::string& name) { return !name.ends_with(ending); });
  return names;
}

/// Returns the files that decoder.yml lists under a key, as names in the folder. Without a list, returns the folder's
/// files with that ending.
std::vector<std::string> listed_files(const fs::path& folder, const MarianOptions& decoder, const std::string& key,
                                      std::string_view ending) {
  std::vector<std::string> names;
  if (!decoder.has(key)) return files_ending(folder, ending);
  for (const auto& name : decoder.get<std::vector<std::string>>(key)) names.push_back(fs::path(name).filename());
  return names;
}

fs::path model_file(const fs::path& folder, const MarianOptions& decoder) {
  const std::vector<std::string> names = listed_files(folder, decoder, "models", ".npz");
  if (names.size() != 1)
    fail(folder.string(), "expected one model, a .npz; got {}: {}. Hint: keep one, or name it in decoder.yml",
         names.size(), fmt::format("{}", fmt::join(names, ", ")));
  return file_in(folder, names[0], "the weights");
}

/// Returns the paths of the source and target vocabularies.
std::array<fs::path, 2> vocabulary_files(const fs::path& folder, const MarianOptions& decoder) {
  std::vector<std::string> names = listed_files(folder, decoder, "vocabs", "vocab.yml");
  if (names.empty()) names = files_ending(folder, ".spm");
  for (const std::string& name : names)
    if (!name.ends_with(".yml") && !name.ends_with(".yaml"))
      fail((folder / name).string(),
           "expected a vocabulary in YAML, vocab.yml; got a file of another kind. Hint: glossa lacks {}",
           name.ends_with(".spm") ? "ids from sentencepiece models, which Marian's own training uses"
                                  : "factored (.fsv) and plain-text vocabularies");
  if (names.empty() || names.size() > 2)
    fail(folder.string(), "expected vocab.yml, or one vocabulary for the source and one for the target; got {}",
         names.size());
  if (names.size() == 2 && names[0].ends_with("trg.vocab.yml")) std::swap(names[0], names[1]);
  return {file_in(folder, names.front(), "tokens and their ids"),
          file_in(folder, names.back(), "tokens and their ids")};
}

/// Reads a side's tokens and appends <pad>. Marian's decoder starts with an embedding of zeros, which has no token. In
/// glossa, it is the embedding of <pad>.
std::vector<std::string> padded_tokens(const fs::path& vocabulary) {
  std::vector<std::string> tokens = read_yaml_vocabulary(vocabulary);
  if (std::ranges::find(tokens, "<pad>") != tokens.end())
    fail(vocabulary.string(), "expected no token <pad>, which is added to start the decoder; got one");
  tokens.emplace_back("<pad>");
  return tokens;
}

/// Returns the locations of the parameters in a Marian model. `source_rows` and `target_rows` are the vocabulary sizes,
/// including the padding token. The padding token's row comes last; Marian's file does not have it.
std::vector<ParameterSource> marian_sources(const TransformerOptions& m, std::uint64_t source_rows,
                                            std::uint64_t target_rows) {
  const auto width = static_cast<std::uint64_t>(m.stack.width),
             inner = static_cast<std::uint64_t>(m.stack.feed_forward);
  std::vector<ParameterSource> sources;
  const auto add_matrix = [&](const std::string& name, std::uint64_t out, std::uint64_t in,
                              std::vector<std::vector<std::string>> parts) {
    sources.push_back({.parameter = name, .shape = {out, in}, .parts = std::move(parts), .transposed = true});
  };
  const auto add_vector = [&](const std::string& name, std::uint64_t size,
                              std::vector<std::vector<std::string>> parts) {
    sources.push_back({.parameter = name, .shape = {size}, .parts = std::move(parts), .as_row = true});
  };
  const auto add_attention = [&](const std::string& own, const std::string& theirs) {
    std::vector<std::vector<std::string>> weights, biases;
    for (const char* projection : {"q", "k", "v"}) {
      weights.push_back({fmt::format("{}_W{}", theirs, projection)});
      biases.push_back({fmt::format("{}_b{}", theirs, projection)});
    }
    add_matrix(own + ".in_proj_weight", 3 * width, width, weights);
    add_vector(own + ".in_proj_bias", 3 * width, biases);
    add_matrix(own + ".out_proj.weight", width, width, {{theirs + "_Wo"}});
    add_vector(own + ".out_proj.bias", width, {{theirs + "_bo"}});
  };
  const auto add_norm = [&](const std::string& own, const std::string& theirs) {
    const bool comes_first = m.stack.norm == NormPlace::pre && !theirs.ends_with("_top");  // Marian then appends `_pre`
    for (const auto& [part, name] : {std::pair{".weight", "scale"}, {".bias", "bias"}}) {
      std::vector<std::string> names{fmt::format("{}_ln_{}", theirs, name), fmt::format("{}_ln_{}_pre", theirs, name)};
      if (comes_first) std::swap(names[0], names[1]);
      add_vector(own + part, width, {names});
    }
  };
  for (const bool decodes : {false, true}) {
    const std::string side = decodes ? "decoder" : "encoder";
    for (std::int64_t i = 0; i < (decodes ? m.decoder_layers : m.encoder_layers); ++i) {
      const std::string own = fmt::format("{}.layers.{}.", side, i), theirs = fmt::format("{}_l{}_", side, i + 1);
      add_attention(own + "self_attn", theirs + "self");
      add_norm(own + "norm1", theirs + "self_Wo");
      if (decodes) {
        add_attention(own + "multihead_attn", theirs + "context");
        add_norm(own + "norm2", theirs + "context_Wo");
      }
      add_matrix(own + "linear1.weight", inner, width, {{theirs + "ffn_W1"}});
      add_vector(own + "linear1.bias", inner, {{theirs + "ffn_b1"}});
      add_matrix(own + "linear2.weight", width, inner, {{theirs + "ffn_W2"}});
      add_vector(own + "linear2.bias", width, {{theirs + "ffn_b2"}});
      add_norm(own + (decodes ? "norm3" : "norm2"), theirs + "ffn_ffn");
    }
    if (m.stack.final_norm) add_norm(side + ".norm", side + "_top");
  }
  // The file's tables do not have a row for <pad>.
  const auto add_table = [&](const std::string& name, std::uint64_t rows, const std::string& theirs, bool transposed) {
    sources.push_back(
        {.parameter = name, .shape = {rows, width}, .parts = {{theirs}}, .transposed = transposed, .zero_rows = 1});
  };
  if (m.tied == Tied::all || m.tied == Tied::embeddings) {
    add_table("tok_emb.embedding.weight", target_rows, "Wemb", false);
  } else {
    add_table("src_tok_emb.embedding.weight", source_rows, "encoder_Wemb", false);
    add_table("tgt_tok_emb.embedding.weight", target_rows, "decoder_Wemb", false);
  }
  if (m.tied == Tied::none || m.tied == Tied::embeddings)
    add_table("generator.weight", target_rows, "decoder_ff_logit_out_W", true);
  if (m.output_bias) {
    add_vector("generator.bias", target_rows, {{"decoder_ff_logit_out_b"}});
    sources.back().zero_rows = 1;
  }
  return sources;
}

/// Returns the options stored in a model, as YAML.
std::string model_yaml(const Outgoing& out) {
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

/// Returns the options for marian-decoder; paths are relative to the options' file.
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

bool is_marian_folder(const fs::path& folder) { return !files_ending(folder, ".npz").empty(); }

Pretrained read_marian_folder(const fs::path& folder) {
  MarianOptions decoder;
  if (const fs::path file = folder / "decoder.yml"; fs::exists(file))
    decoder = MarianOptions(read_file(file, max_yaml), file);
  const fs::path weights = model_file(folder, decoder);
  ZipFile zip(weights);
  NpzFile tensors(std::move(zip));
  const MarianOptions options(tensors.text(options_name, max_yaml),
                              fmt::format("{}:{}", weights.string(), options_name));

  Pretrained model;
  model.config = marian_config();
  read_model(options, model.config.model);
  const auto [source, target] = vocabulary_files(folder, decoder);
  model.source = read_side(folder, "source.spm", padded_tokens(source), source);
  model.target = read_side(folder, "target.spm", padded_tokens(target), target);
  set_vocabularies(model, source == target);
  model.config.data.source = "source";
  model.config.data.target = "target";
  read_decoding(decoder, model.target.specials, model.config.decode, model.notes);
  check_ranges(model.config, options.where());
  model.sources =
      marian_sources(model.config.model.transformer, model.source.tokens.size(), model.target.tokens.size());
  model.others = {options_name};
  model.tensors = std::make_unique<NpzFile>(std::move(tensors));
  return model;
}

void export_marian(const Outgoing& model, const fs::path& folder) {
  model.check_exportable({ExportFormat::marian});
  write_folder(folder, [&](const fs::path& to) {
    const std::vector<FileTensor> tensors = model.tensors(
        marian_sources(model.config().model.transformer, model.source().tokens.size(), model.target().tokens.size()));
    std::vector<NamedTensor<const float>> borrowed;
    for (const FileTensor& tensor : tensors) borrowed.push_back({tensor.name, tensor.shape, tensor.values});
    write_npz(to / "model.npz", borrowed, {{options_name, model_yaml(model)}});
    const std::vector<std::string> vocabularies =
        model.is_shared() ? std::vector<std::string>{"vocab.yml"}
                          : std::vector<std::string>{"source.vocab.yml", "target.vocab.yml"};
    const auto write_vocabulary = [&](const std::string& name, std::span<const std::string> tokens) {
      // Leaves out the last token, <pad>, which Marian lacks.
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
