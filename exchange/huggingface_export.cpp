#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/safetensors.h"
#include "exchange/outgoing.h"
#include "exchange/pretrained.h"
#include "layers/positional_encoding.h"
#include "train/model/model_factory.h"

namespace glossa {

namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

/// Returns the name of an activation in transformers.
std::string activation_name(Activation activation) {
  if (activation == Activation::silu) return "swish";
  return activation == Activation::gelu_tanh ? "gelu_new" : name_of(activation);
}

/// Returns the entries common to config.json and generation_config.json.
OrderedJson special_ids_json(const Outgoing& out) {
  const std::size_t pad = out.target().tokens.size() - 1;
  return {{"decoder_start_token_id", pad}, {"eos_token_id", 0}, {"forced_eos_token_id", 0}, {"pad_token_id", pad}};
}

/// Returns the maximum length of a translation, including its start token. transformers has no limit relative to the
/// source.
std::int64_t max_length(const Config& config) {
  const DecodeOptions& decode = config.decode;
  return decode.max_length_factor == 0 ? decode.max_length_extra + 1
                                       : std::min<std::int64_t>(512, config.model.transformer.max_positions);
}

OrderedJson config_json(const Outgoing& out) {
  const Config& config = out.config();
  const ModelConfig& model = config.model;
  const TransformerOptions& transformer = model.transformer;
  const StackOptions& stack = transformer.stack;
  const bool one_table = transformer.tied == Tied::all || transformer.tied == Tied::embeddings;
  OrderedJson json{{"architectures", {"MarianMTModel"}},
                   {"model_type", "marian"},
                   {"is_encoder_decoder", true},
                   {"d_model", stack.width},
                   {"encoder_layers", transformer.encoder_layers},
                   {"decoder_layers", transformer.decoder_layers},
                   {"num_hidden_layers", transformer.encoder_layers},
                   {"encoder_attention_heads", stack.heads},
                   {"decoder_attention_heads", stack.heads},
                   {"encoder_ffn_dim", stack.feed_forward},
                   {"decoder_ffn_dim", stack.feed_forward},
                   {"activation_function", activation_name(stack.activation)},
                   {"dropout", stack.residual_dropout},
                   {"attention_dropout", model.attention_dropout.value_or(stack.residual_dropout)},
                   {"activation_dropout", model.activation_dropout.value_or(stack.residual_dropout)},
                   {"encoder_layerdrop", 0.0},
                   {"decoder_layerdrop", 0.0},
                   {"max_position_embeddings", transformer.max_positions},
                   {"normalize_before", false},
                   {"normalize_embedding", false},
                   {"add_final_layer_norm", false},
                   {"static_position_embeddings", true},
                   {"scale_embedding", transformer.scale_embeddings},
                   {"share_encoder_decoder_embeddings", one_table},
                   {"tie_word_embeddings", transformer.tied == Tied::all || transformer.tied == Tied::output},
                   {"vocab_size", out.source().tokens.size()},
                   {"decoder_vocab_size", out.target().tokens.size()},
                   {"dtype", "float32"},
                   {"use_cache", true}};
  json.update(special_ids_json(out));
  return json;
}

OrderedJson generation_json(const Outgoing& out) {
  const Config& config = out.config();
  const std::size_t pad = out.target().tokens.size() - 1;
  OrderedJson json = special_ids_json(out);
  json.update({{"num_beams", config.decode.beam},
               {"max_length", max_length(config)},
               {"length_penalty", config.decode.length_penalty == LengthPenalty::none ? 0.0 : config.decode.alpha}});
  json["bad_words_ids"] = OrderedJson::array({OrderedJson::array({pad})});
  for (const std::int64_t id : out.forbidden()) json["bad_words_ids"].push_back(OrderedJson::array({id}));
  if (config.decode.min_length > 0) json["min_length"] = config.decode.min_length + 1;
  if (config.decode.renormalize) json["renormalize_logits"] = true;
  return json;
}

OrderedJson tokenizer_json(const Outgoing& out) {
  const DataConfig& data = out.config().data;
  return {{"tokenizer_class", "MarianTokenizer"},
          {"source_lang", data.source},
          {"target_lang", data.target},
          {"separate_vocabs", !out.is_shared()},
          {"eos_token", "</s>"},
          {"unk_token", "<unk>"},
          {"pad_token", "<pad>"},
          {"model_max_length", out.config().model.transformer.max_positions}};
}

OrderedJson vocabulary_json(const std::vector<std::string>& tokens) {
  OrderedJson json = OrderedJson::object();
  for (std::size_t id = 0; id < tokens.size(); ++id) json[tokens[id]] = id;
  return json;
}

/// Adds tables of positions if the sinusoids differ from those that MarianMTModel computes.
void add_positions(std::vector<FileTensor>& tensors, const ModelConfig& model, Sinusoid sinusoid) {
  if (sinusoid == Sinusoid::sorted) return;
  const std::vector<double> table =
      sinusoidal_positions(model.transformer.max_positions, model.transformer.stack.width, sinusoid);
  const std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(model.transformer.max_positions),
                                         static_cast<std::uint64_t>(model.transformer.stack.width)};
  for (const char* side : {"encoder", "decoder"})
    tensors.push_back(
        {fmt::format("model.{}.embed_positions.weight", side), shape, std::vector<float>(table.begin(), table.end())});
}

}  // namespace

void export_huggingface(const Outgoing& model, const fs::path& folder) {
  model.check_exportable({ExportFormat::huggingface});
  write_folder(folder, [&](const fs::path& to) {
    const ModelConfig& own = model.config().model;
    std::vector<FileTensor> tensors =
        model.tensors(huggingface_sources(own.transformer, model.source().tokens.size(), model.target().tokens.size()));
    add_positions(tensors, own, transformer_options(own, 1, 1).sinusoid);
    std::vector<NamedTensor<const float>> borrowed;
    for (const FileTensor& tensor : tensors) borrowed.push_back({tensor.name, tensor.shape, tensor.values});
    write_safetensors(to / "model.safetensors", std::move(borrowed), {{"format", "pt"}});
    const auto write_json = [&](const char* name, const OrderedJson& json) {
      write_file_atomically(to / name, json.dump(2) + "\n");
    };
    write_json("config.json", config_json(model));
    write_json("generation_config.json", generation_json(model));
    write_json("tokenizer_config.json", tokenizer_json(model));
    write_json("vocab.json", vocabulary_json(model.source().tokens));
    if (!model.is_shared()) write_json("target_vocab.json", vocabulary_json(model.target().tokens));
    write_file_atomically(to / "source.spm", model.source().pieces);
    write_file_atomically(to / "target.spm", model.target().pieces);
  });
}

}  // namespace glossa
