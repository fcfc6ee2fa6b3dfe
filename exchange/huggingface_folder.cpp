#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "base/check.h"
#include "base/formats/open_tensors.h"
#include "data/text/text_file.h"
#include "exchange/pretrained.h"
#include "exchange/vocabulary_file.h"
#include "layers/positional_encoding.h"
#include "train/model/model_factory.h"

namespace glossa {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A small JSON file of settings. A null key counts as absent. Errors name the file and the key.
class JsonSettings {
 public:
  JsonSettings() = default;

  /// Throws unless the file is a JSON object of at most 256 KiB, nested at most 16 deep.
  explicit JsonSettings(const fs::path& path) : where_(path) {
    constexpr int max_depth = 16;
    const std::string text = read_file(path, 256 << 10);
    // The parser would treat a zero byte as the end.
    check(text.find('\0') == text.npos, where_, "expected settings in JSON; got a zero byte in them");
    try {
      json_ = Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
        check(depth <= max_depth, where_, "expected settings nested at most {} deep; got deeper ones", max_depth);
        return true;
      });
    } catch (const Json::exception& reason) {
      fail(where_, "expected settings in JSON; got {}", std::string(reason.what()).substr(0, 200));
    }
    check(json_.is_object(), where_, "expected a JSON object; got something else");
  }

  const std::string& where() const { return where_; }
  bool has(const std::string& key) const { return !value(key).is_null(); }

  /// Returns the value of `key`, or `otherwise` if the key is absent. Throws if the value has another type, or if the
  /// key is absent and `otherwise` is empty.
  std::int64_t whole(const std::string& key, std::optional<std::int64_t> otherwise = {}) const {
    // Numbers of 2^53 and above are refused, as doubles do not hold all of them.
    const Json& v = value(key);
    const bool fits = v.is_number_integer() && (!v.is_number_unsigned() || v.get<std::uint64_t>() < (1ULL << 53));
    return get(key, otherwise, fits, "a whole number");
  }
  double number(const std::string& key, std::optional<double> otherwise = {}) const {
    return get(key, otherwise, value(key).is_number(), "a number");
  }
  bool flag(const std::string& key, bool otherwise) const {
    return get(key, std::optional(otherwise), value(key).is_boolean(), "true or false");
  }
  std::string text(const std::string& key, const std::string& otherwise) const {
    return get(key, std::optional(otherwise), value(key).is_string(), "a string");
  }

  /// Returns the value of `key` without conversion; null if the key is absent.
  const Json& value(const std::string& key) const {
    static const Json null;
    return json_.contains(key) ? json_[key] : null;
  }

  /// Returns the value of `key` as shortened text, for an error.
  std::string shown(const std::string& key) const {
    return value(key).dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 100);
  }

 private:
  template <class T>
  T get(const std::string& key, const std::optional<T>& otherwise, bool fits, const char* what) const {
    if (!has(key) && otherwise) return *otherwise;
    if (!fits) fail(where_, "expected {} to be {}; got {}", key, what, has(key) ? shown(key) : "nothing");
    return json_[key].get<T>();
  }

  std::string where_;
  Json json_ = Json::object();
};

/// Throws for a setting that glossa lacks.
[[noreturn]] void refuse(const JsonSettings& settings, const std::string& key, std::string_view expected,
                         std::string_view needed) {
  fail(settings.where(), "expected {}: {}; got {}. Hint: {}", key, expected,
       settings.has(key) ? settings.shown(key) : "nothing", needed);
}

/// Returns the settings in a file; empty if it does not exist.
JsonSettings settings_in(const fs::path& folder, const char* name) {
  return fs::exists(folder / name) ? JsonSettings(folder / name) : JsonSettings();
}

void check_architecture(const JsonSettings& config) {
  const Json& names = config.value("architectures");
  const bool named = names.is_array() && !names.empty();
  if (config.text("model_type", "") != "marian" && !(named && names[0] == "MarianMTModel"))
    refuse(config, named ? "architectures" : "model_type", named ? "MarianMTModel" : "marian",
           "glossa imports the encoder-decoder models of Marian and OPUS-MT");
  if (named && names[0] != "MarianMTModel")
    refuse(config, "architectures", "MarianMTModel",
           "glossa imports only the model that translates, with its output layer");
  for (const auto& [key, usual] : {std::pair{"static_position_embeddings", true},
                                   {"normalize_before", false},
                                   {"normalize_embedding", false},
                                   {"add_final_layer_norm", false},
                                   {"extra_pos_embeddings_", false}})
    if (config.flag(key, usual) != usual)
      refuse(config, key, usual ? "true" : "false",
             "neither transformers' MarianMTModel nor the import supports another value");
  if (config.has("quantization_config"))
    refuse(config, "quantization_config", "none", "save the model without quantization; the weights must be floats");
}

Activation activation(const JsonSettings& config) {
  using enum Activation;
  static const std::map<std::string, Activation> names{{"swish", silu},         {"silu", silu},
                                                       {"relu", relu},          {"gelu", gelu},
                                                       {"gelu_new", gelu_tanh}, {"gelu_pytorch_tanh", gelu_tanh}};
  const auto found = names.find(config.text("activation_function", "gelu"));
  if (found == names.end())
    refuse(config, "activation_function", "swish, silu, relu, gelu, gelu_new or gelu_pytorch_tanh",
           "glossa lacks this activation");
  return found->second;
}

/// Returns a number that the config has for each side, but glossa has only once. Throws if the sides differ.
std::int64_t of_both(const JsonSettings& config, const std::string& what) {
  const std::int64_t encoder = config.whole("encoder_" + what), decoder = config.whole("decoder_" + what);
  if (encoder != decoder)
    refuse(config, "decoder_" + what, fmt::format("the encoder's, {}", encoder), "glossa has layers of one kind only");
  return encoder;
}

/// Reads dropout rates, which only affect training.
void read_dropout(const JsonSettings& config, ModelConfig& model, std::vector<std::string>& notes) {
  model.transformer.stack.residual_dropout = config.number("dropout", 0.1);
  model.attention_dropout = config.number("attention_dropout", 0);
  model.activation_dropout = config.number("activation_dropout", 0);
  for (const char* key : {"encoder_layerdrop", "decoder_layerdrop"})
    if (config.number(key, 0) > 0)
      notes.push_back(
          fmt::format("{}: {} is {}; glossa drops no layers in training", config.where(), key, config.shown(key)));
}

Tied tying(const JsonSettings& config) {
  const bool output = config.flag("tie_word_embeddings", true);
  if (config.flag("share_encoder_decoder_embeddings", true)) return output ? Tied::all : Tied::embeddings;
  return output ? Tied::output : Tied::none;
}

void read_model(const JsonSettings& config, ModelConfig& model, std::vector<std::string>& notes) {
  TransformerOptions& transformer = model.transformer;
  StackOptions& stack = transformer.stack;
  stack.width = config.whole("d_model");
  stack.heads = of_both(config, "attention_heads");
  stack.feed_forward = of_both(config, "ffn_dim");
  transformer.encoder_layers = config.whole("encoder_layers");
  transformer.decoder_layers = config.whole("decoder_layers");
  stack.activation = activation(config);
  transformer.max_positions = config.whole("max_position_embeddings", 1024);
  transformer.scale_embeddings = config.flag("scale_embedding", false);
  transformer.tied = tying(config);
  read_dropout(config, model, notes);
}

/// Settings of the search. Older models have them in config.json.
struct Generation {
  const JsonSettings& own;
  const JsonSettings& config;

  const JsonSettings& of(const std::string& key) const { return own.has(key) ? own : config; }

  /// Returns the file that should contain the settings, for errors.
  const std::string& where() const { return own.where().empty() ? config.where() : own.where(); }
};

/// Adds notes on settings that affect translations but that glossa's search lacks.
void note_others(const Generation& generation, std::vector<std::string>& notes) {
  static const std::map<std::string, double> without{{"num_beam_groups", 1},
                                                     {"no_repeat_ngram_size", 0},
                                                     {"encoder_no_repeat_ngram_size", 0},
                                                     {"repetition_penalty", 1},
                                                     {"encoder_repetition_penalty", 1},
                                                     {"diversity_penalty", 0},
                                                     {"penalty_alpha", 0},
                                                     {"do_sample", 0},
                                                     {"early_stopping", 0},
                                                     {"suppress_tokens", 0},
                                                     {"begin_suppress_tokens", 0},
                                                     {"forced_bos_token_id", 0},
                                                     {"exponential_decay_length_penalty", 0}};
  for (const auto& [key, usual] : without) {
    const JsonSettings& settings = generation.of(key);
    if (!settings.has(key)) continue;
    const Json& value = settings.value(key);
    const bool is_usual = (value.is_boolean() && value.get<bool>() == (usual != 0)) ||
                          (value.is_number() && value.get<double>() == usual && key != "forced_bos_token_id");
    if (!is_usual)
      notes.push_back(fmt::format("{}: {} is {}, which glossa's search lacks: translations may differ",
                                  settings.where(), key, settings.shown(key)));
  }
}

/// Returns the entries of bad_words_ids that are single tokens, without `never`, which is never chosen anyway.
std::vector<std::int64_t> forbidden_tokens(const Generation& generation, std::int64_t never,
                                           std::vector<std::string>& notes) {
  const JsonSettings& settings = generation.of("bad_words_ids");
  std::vector<std::int64_t> tokens;
  if (!settings.has("bad_words_ids")) return tokens;
  const Json& words = settings.value("bad_words_ids");
  const bool ok = words.is_array() && std::ranges::all_of(words, [](const Json& word) {
                    return word.is_array() && !word.empty() && std::ranges::all_of(word, [](const Json& id) {
                             return id.is_number_unsigned() && id.get<std::uint64_t>() < 1'000'000;
                           });
                  });
  if (!ok) fail(settings.where(), "expected bad_words_ids to be lists of ids; got {}", settings.shown("bad_words_ids"));
  for (const Json& word : words) {
    if (word.size() == 1 && word[0] != never) tokens.push_back(word[0].get<std::int64_t>());
    if (word.size() > 1)
      notes.push_back(fmt::format("{}: bad_words_ids has words of several tokens; glossa forbids single tokens only",
                                  settings.where()));
  }
  return tokens;
}

void read_decoding(const Generation& generation, Config& config, std::vector<std::string>& notes) {
  DecodeOptions& decode = config.decode;
  decode.beam = generation.of("num_beams").whole("num_beams", 1);
  decode.search = Search::huggingface;
  decode.forbidden = forbidden_tokens(generation, config.data.specials.pad, notes);
  decode.renormalize = generation.of("renormalize_logits").flag("renormalize_logits", false);
  decode.length_penalty = LengthPenalty::power;
  decode.alpha = generation.of("length_penalty").number("length_penalty", 1.0);
  // In transformers, min_length includes the start token.
  const std::int64_t min_length = generation.of("min_length").whole("min_length", 0);
  decode.min_length =
      generation.of("min_new_tokens").whole("min_new_tokens", std::max<std::int64_t>(0, min_length - 1));
  const JsonSettings& length = generation.of("max_length");
  const JsonSettings& tokens = generation.of("max_new_tokens");
  if (length.has("max_length") || tokens.has("max_new_tokens")) {
    decode.max_length_factor = 0;
    decode.max_length_extra =
        tokens.has("max_new_tokens") ? tokens.whole("max_new_tokens") : length.whole("max_length") - 1;
    if (decode.max_length_extra < 1)
      fail(generation.where(), "expected a length of at least 2 tokens; got {}", decode.max_length_extra + 1);
  } else {
    notes.push_back(
        fmt::format("{}: max_length is not set, so generate would write at most 20 tokens; glossa writes at "
                    "most {} per source token, plus {}",
                    generation.where(), decode.max_length_factor, decode.max_length_extra));
  }
  const JsonSettings& forced = generation.of("forced_eos_token_id");
  if (!forced.has("forced_eos_token_id") || forced.whole("forced_eos_token_id") != config.data.specials.eos)
    notes.push_back(fmt::format("{}: forced_eos_token_id is {}; glossa ends translations at the length limit with </s>",
                                forced.where(), forced.shown("forced_eos_token_id")));
  note_others(generation, notes);
}

/// Returns a language as named by the tokenizer's settings. Conversion scripts may have set a part of the folder's
/// name, such as opus-mt-en; then only the part after the last hyphen counts.
std::string language(const JsonSettings& tokenizer, const char* key, const char* otherwise) {
  std::string name = tokenizer.text(key, "");
  if (name.starts_with("opus-")) name = name.substr(name.rfind('-') + 1);
  const bool usable = !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  return usable ? name : otherwise;
}

void read_vocabularies(const fs::path& folder, const JsonSettings& config, const JsonSettings& tokenizer,
                       const Generation& generation, Pretrained& model) {
  const fs::path file = file_in(folder, "vocab.json", "the tokens and their ids");
  model.source = read_side(folder, "source.spm", read_json_vocabulary(file), file);
  const bool separate = tokenizer.flag("separate_vocabs", false);
  const fs::path target_file =
      separate ? file_in(folder, "target_vocab.json", "the tokens of the target and their ids") : file;
  model.target =
      read_side(folder, "target.spm", separate ? read_json_vocabulary(target_file) : model.source.tokens, target_file);
  const auto must_be = [&](const char* key, const JsonSettings& settings, int id, const char* token) {
    const bool is_it = !settings.has(key) || settings.value(key) == id || settings.value(key) == Json{id};
    if (!is_it)
      refuse(settings, key, fmt::format("{}, the id of {}", id, token), "glossa supports no other special tokens");
  };
  const SpecialIds& ids = model.target.specials;
  must_be("pad_token_id", config, ids.pad, "<pad>");
  must_be("eos_token_id", generation.of("eos_token_id"), ids.eos, "</s>");
  must_be("decoder_start_token_id", generation.of("decoder_start_token_id"), ids.bos,
          "<pad>, which starts the decoder of every MarianMTModel");
  set_vocabularies(model, !separate);
  DataConfig& data = model.config.data;
  data.source = language(tokenizer, "source_lang", "source");
  data.target = language(tokenizer, "target_lang", "target");
  data.encoding.max_length =
      static_cast<int>(std::min<std::int64_t>(data.encoding.max_length, model.config.model.transformer.max_positions));
}

fs::path weights_file(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "pytorch_model.bin"})
    if (fs::exists(folder / name)) return folder / name;
  for (const char* name : {"model.safetensors.index.json", "pytorch_model.bin.index.json"})
    if (fs::exists(folder / name))
      fail((folder / name).string(),
           "expected the weights in one file; got them in several. Hint: save_pretrained(DIR, max_shard_size='50GB')");
  fail(folder.string(), "expected model.safetensors or pytorch_model.bin; not found");
}

bool is_near(std::span<const float> table, std::span<const double> expected) {
  return std::ranges::equal(table.first(expected.size()), expected,
                            [](float x, double y) { return std::abs(x - y) < 2e-3; });  // allows half precision
}

/// Finds the sinusoids in the file's tables of positions. Throws if the tables contain other numbers, such as trained
/// ones.
void read_positions(const TensorFile& tensors, ModelConfig& model, std::set<std::string>& others) {
  std::optional<Sinusoid> found;
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string name = fmt::format("model.{}.embed_positions.weight", side);
    const auto entry = tensors.entries().find(name);
    if (entry == tensors.entries().end()) continue;
    others.insert(name);
    const auto& shape = entry->second.shape;
    if (shape.size() != 2 || shape[1] != static_cast<std::uint64_t>(model.transformer.stack.width) || shape[1] % 2 != 0)
      fail(tensors.path().string(), "expected '{}' to be positions of width {}; got {}", name,
           model.transformer.stack.width, shape_text(shape));
    const auto rows = static_cast<Index>(std::min<std::uint64_t>(shape[0], 64));  // enough to distinguish all sinusoids
    const std::vector<float> table = tensors.read<float>(name);
    const auto fits = [&](Sinusoid order) {
      return is_near(table, sinusoidal_positions(rows, model.transformer.stack.width, order));
    };
    const Sinusoid orders[] = {Sinusoid::sorted, Sinusoid::halves, Sinusoid::interleaved, Sinusoid::raw_index};
    const auto order = std::ranges::find_if(orders, fits);
    if (order == std::end(orders) || (found && *found != *order))
      fail(tensors.path().string(),
           "expected '{}' to contain sinusoids, the same on both sides; got other numbers. Hint: glossa imports no "
           "trained positions",
           name);
    found = *order;
  }
  if (found) model.transformer.sinusoid = *found;
}

}  // namespace

std::vector<ParameterSource> huggingface_sources(const TransformerOptions& m, std::uint64_t source_rows,
                                                 std::uint64_t target_rows) {
  const auto width = static_cast<std::uint64_t>(m.stack.width),
             inner = static_cast<std::uint64_t>(m.stack.feed_forward);
  std::vector<ParameterSource> sources;
  const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape,
                       std::vector<std::vector<std::string>> parts) {
    sources.push_back({.parameter = name, .shape = std::move(shape), .parts = std::move(parts)});
  };
  const auto add_both = [&](const std::string& own, const std::string& theirs,
                            const std::vector<std::uint64_t>& shape) {
    add(own + ".weight", shape, {{theirs + ".weight"}});
    add(own + ".bias", {shape[0]}, {{theirs + ".bias"}});
  };
  const auto add_attention = [&](const std::string& own, const std::string& theirs) {
    std::vector<std::vector<std::string>> weights, biases;
    for (const char* projection : {"q", "k", "v"}) {
      weights.push_back({fmt::format("{}.{}_proj.weight", theirs, projection)});
      biases.push_back({fmt::format("{}.{}_proj.bias", theirs, projection)});
    }
    add(own + ".in_proj_weight", {3 * width, width}, weights);
    add(own + ".in_proj_bias", {3 * width}, biases);
    add_both(own + ".out_proj", theirs + ".out_proj", {width, width});
  };
  for (const bool decodes : {false, true}) {
    const std::string side = decodes ? "decoder" : "encoder";
    for (std::int64_t i = 0; i < (decodes ? m.decoder_layers : m.encoder_layers); ++i) {
      const std::string own = fmt::format("{}.layers.{}.", side, i), theirs = "model." + own;
      add_attention(own + "self_attn", theirs + "self_attn");
      add_both(own + "norm1", theirs + "self_attn_layer_norm", {width});
      if (decodes) {
        add_attention(own + "multihead_attn", theirs + "encoder_attn");
        add_both(own + "norm2", theirs + "encoder_attn_layer_norm", {width});
      }
      add_both(own + "linear1", theirs + "fc1", {inner, width});
      add_both(own + "linear2", theirs + "fc2", {width, inner});
      add_both(own + (decodes ? "norm3" : "norm2"), theirs + "final_layer_norm", {width});
    }
  }
  const std::string shared = "model.shared.weight", source = "model.encoder.embed_tokens.weight",
                    target = "model.decoder.embed_tokens.weight", output = "lm_head.weight";
  if (m.tied == Tied::all || m.tied == Tied::embeddings) {
    add("tok_emb.embedding.weight", {target_rows, width}, {{shared, source, target}});
  } else {
    add("src_tok_emb.embedding.weight", {source_rows, width}, {{source}});
    add("tgt_tok_emb.embedding.weight", {target_rows, width}, {{target}});
  }
  if (m.tied == Tied::all || m.tied == Tied::output)
    sources.back().parts[0].push_back(output);
  else
    add("generator.weight", {target_rows, width}, {{output}});
  add("generator.bias", {target_rows}, {{"final_logits_bias"}});
  sources.back().as_row = true;
  return sources;
}

Pretrained read_huggingface_folder(const fs::path& folder) {
  const JsonSettings config(folder / "config.json"), own = settings_in(folder, "generation_config.json"),
                                                     tokenizer = settings_in(folder, "tokenizer_config.json");
  const Generation generation{own, config};
  check_architecture(config);
  Pretrained model;
  model.config = marian_config();
  model.config.model.transformer.sinusoid = Sinusoid::sorted;
  read_model(config, model.config.model, model.notes);
  read_vocabularies(folder, config, tokenizer, generation, model);
  read_decoding(generation, model.config, model.notes);
  const auto source_rows = static_cast<std::uint64_t>(config.whole("vocab_size")),
             target_rows =
                 config.flag("share_encoder_decoder_embeddings", true)
                     ? source_rows
                     : static_cast<std::uint64_t>(config.whole("decoder_vocab_size", config.whole("vocab_size")));
  const auto check_rows = [&](const char* key, std::uint64_t rows, std::size_t tokens, const char* name) {
    if (rows != tokens)
      fail(config.where(), "expected {} to be {}, the number of tokens in {}; got {}", key, tokens, name, rows);
  };
  check_rows("vocab_size", source_rows, model.source.tokens.size(), "vocab.json");
  check_rows("decoder_vocab_size", target_rows, model.target.tokens.size(),
             model.config.data.shared_vocabulary ? "vocab.json" : "target_vocab.json");
  check_ranges(model.config, config.where());
  model.tensors = open_tensors(weights_file(folder));
  model.sources = huggingface_sources(model.config.model.transformer, source_rows, target_rows);
  read_positions(*model.tensors, model.config.model, model.others);
  return model;
}

}  // namespace glossa
