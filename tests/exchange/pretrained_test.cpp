#include "exchange/pretrained.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/formats/npz_file.h"
#include "base/formats/open_tensors.h"
#include "base/safetensors.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const fs::path golden = GLOSSA_SOURCE_DIR "/tests/golden/marian";

/// A copy of a golden folder, `huggingface` or `marian`, for changing.
class ModelFolder {
 public:
  explicit ModelFolder(const std::string& kind) {
    for (const auto& entry : fs::directory_iterator(golden / kind)) fs::copy(entry.path(), folder_.path());
    for (const char* name : {"source.spm", "target.spm"})
      fs::copy(golden / "huggingface" / name, folder_ / name, fs::copy_options::skip_existing);
  }
  fs::path operator/(const std::string& name) const { return folder_ / name; }

  /// Changes keys of a JSON file; null removes one.
  void set(const std::string& file, const nlohmann::json& changes) const {
    auto json = nlohmann::json::parse(read_bytes(folder_ / file));
    json.merge_patch(changes);
    write_bytes(folder_ / file, json.dump());
  }

  /// Replaces a text in the options of Marian's model.
  void set_option(const std::string& before, const std::string& after) const {
    std::vector<NamedTensor<const float>> tensors;
    std::vector<std::vector<float>> values;
    std::string options;
    {
      const NpzFile file(ZipFile(folder_ / "model.npz"));
      options = file.text("special:model.yml", 1 << 20);
      for (const auto& [name, entry] : file.entries()) {
        if (name == "special:model.yml") continue;
        values.push_back(file.read<float>(name));
        tensors.push_back({name, entry.shape, values.back()});
      }
    }
    const std::size_t at = options.find(before);
    REQUIRE_NE(at, std::string::npos);
    write_npz(folder_ / "model.npz", tensors, {{"special:model.yml", options.replace(at, before.size(), after)}});
  }

  Pretrained read() const { return read_pretrained(folder_.path()); }

  /// The exit status and text of the error.
  std::string error() const {
    try {
      read();
    } catch (const Error& error) {
      return fmt::format("{} {}", error.exit_status(), error.what());
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
};

void check_contains(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CAPTURE(part);
  CHECK_NE(text.find(part), std::string::npos);
}

}  // namespace

TEST_CASE("features of a Hugging Face model that glossa lacks are refused by name") {
  using nlohmann::json;
  for (const auto& [changes, part] : {
           std::pair{json{{"architectures", {"T5ForConditionalGeneration"}}}, "MarianMTModel; got [\"T5"},
           {json{{"architectures", nullptr}, {"model_type", "bart"}}, "model_type: marian; got \"bart\""},
           {json{{"activation_function", "tanh"}}, "activation_function"},
           {json{{"decoder_attention_heads", 4}}, "decoder_attention_heads: the encoder's, 2; got 4"},
           {json{{"decoder_ffn_dim", 16}}, "decoder_ffn_dim: the encoder's, 12"},
           {json{{"normalize_before", true}}, "normalize_before: false; got true"},
           {json{{"static_position_embeddings", false}}, "static_position_embeddings"},
           {json{{"quantization_config", {{"bits", 4}}}}, "quantization_config"},
           {json{{"pad_token_id", 3}}, "pad_token_id: 66, the id of <pad>; got 3"},
       }) {
    const ModelFolder folder("huggingface");
    folder.set("config.json", changes);
    check_contains(folder.error(), part);
    CHECK(folder.error().starts_with("1 ["));
    check_contains(folder.error(), (folder / "config.json").string());
  }
  const ModelFolder folder("huggingface");
  folder.set("generation_config.json", {{"decoder_start_token_id", 0}});
  check_contains(folder.error(), "decoder_start_token_id: 66");
}

TEST_CASE("settings that do not fit the model are errors that name their file") {
  using nlohmann::json;
  for (const auto& [changes, part] :
       {std::pair{json{{"d_model", nullptr}}, "d_model to be a whole number; got nothing"},
        {json{{"d_model", "8"}}, "d_model to be a whole number; got \"8\""},
        {json{{"d_model", 1e300}}, "d_model to be a whole number"},
        {json{{"d_model", 18446744073709551615U}}, "d_model to be a whole number"},
        {json{{"encoder_layers", 1'000'000}}, "config.json] expected model.encoder_layers to be a whole number in"},
        {json{{"encoder_layers", 3}}, "missing: model.encoder.layers.2."},
        {json{{"encoder_layers", 1}}, "not in the model: model.encoder.layers.1."},
        {json{{"d_model", 10}}, "of another shape or type"},
        {json{{"vocab_size", 66}}, "vocab_size to be 67, the number of tokens in vocab.json"},
        {json{{"dropout", "much"}}, "dropout to be a number"}}) {
    const ModelFolder folder("huggingface");
    folder.set("config.json", changes);
    check_contains(folder.error(), part);
    CHECK(folder.error().starts_with("1 ["));
  }
  for (const char* name : {"config.json", "generation_config.json", "tokenizer_config.json"}) {
    const ModelFolder folder("huggingface");
    write_bytes(folder / name, "{\"model_type\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}");
    check_contains(folder.error(), "at most 16 deep");
    for (const std::string& more : {std::string(1, '\0'), std::string("\0{}", 3)}) {
      write_bytes(folder / name, "{\"model_type\":\"marian\"}" + more);
      check_contains(folder.error(), std::string(name) + "] expected settings in JSON; got a zero byte");
    }
  }
  for (const char* name : {"vocab.json", "source.spm", "target.spm", "model.safetensors"}) {
    const ModelFolder folder("huggingface");
    fs::remove(folder / name);
    check_contains(folder.error(), name);
    CHECK(folder.error().starts_with("1 ["));
  }
  const ModelFolder folder("huggingface");
  write_bytes(folder / "config.json", std::string(200'000, '['));
  check_contains(folder.error(), "config.json");
  write_bytes(folder / "config.json", std::string(300'000, ' '));
  check_contains(folder.error(), "config.json");
}

TEST_CASE("settings of translation that glossa handles differently are noted") {
  const ModelFolder folder("huggingface");
  CHECK_EQ(folder.read().notes.size(), 0);
  folder.set("generation_config.json", {{"no_repeat_ngram_size", 3},
                                        {"bad_words_ids", {{66}, {5}, {7, 8}}},
                                        {"min_length", 4},
                                        {"do_sample", false},
                                        {"length_penalty", 0.6}});
  const Pretrained model = folder.read();
  REQUIRE_EQ(model.notes.size(), 2);
  check_contains(model.notes[0] + model.notes[1], "no_repeat_ngram_size is 3");
  check_contains(model.notes[0] + model.notes[1], "words of several tokens");
  CHECK_EQ(model.config.decode.forbidden, std::vector<std::int64_t>{5});
  CHECK_EQ(model.config.decode.min_length, 3);
  CHECK_EQ(model.config.decode.alpha, 0.6);
}

TEST_CASE("trained positions are refused, computed ones are not needed") {
  const ModelFolder folder("huggingface");
  const auto file = open_tensors(folder / "model.safetensors");
  std::vector<std::vector<float>> values;
  std::vector<NamedTensor<const float>> tensors;
  for (const auto& [name, entry] : file->entries()) {
    values.push_back(file->read<float>(name));
    tensors.push_back({name, entry.shape, values.back()});
  }
  values.emplace_back(40 * 8, 0.5F);
  tensors.push_back({"model.decoder.embed_positions.weight", {40, 8}, values.back()});
  write_safetensors(folder / "model.safetensors", tensors, {});
  check_contains(folder.error(), "to contain sinusoids");
}

TEST_CASE("features of a Marian model that glossa lacks are refused by name") {
  for (const auto& [before, after, part] :
       {std::tuple{"autoreg: self-attention", "autoreg: rnn", "transformer-decoder-autoreg: self-attention; got rnn"},
        {"type: transformer", "type: s2s", "type: transformer; got s2s"},
        {"activation: swish", "activation: gelu", "the sigmoid form"},
        {"postprocess: dan", "postprocess: dhn", "got \"\", dhn and nothing"},
        {"postprocess-emb: d", "postprocess-emb: nd", "transformer-postprocess-emb"},
        {"ffn-depth: 2", "ffn-depth: 3", "transformer-ffn-depth: 2; got 3"},
        {"tied-layers: []", "tied-layers: [1, 1]", "transformer-tied-layers"},
        {"no-projection: false", "no-projection: true", "transformer-no-projection: false; got true"},
        {"type: transformer", "type: transformer\ntransformer-pool: true", "transformer-pool: false; got true"},
        {"type: transformer", "type: transformer\nlemma-dim-emb: 8", "factored vocabularies"}}) {
    const ModelFolder folder("marian");
    folder.set_option(before, after);
    check_contains(folder.error(), part);
    CHECK(folder.error().starts_with("1 ["));
    check_contains(folder.error(), "model.npz:special:model.yml");
  }
  const ModelFolder folder("marian");
  folder.set_option("dim-emb: 8", "dim-emb: many");
  check_contains(folder.error(), "a valid value of dim-emb; got many");
  folder.set_option("dim-emb: many", "[[[");
  check_contains(folder.error(), "options in YAML");
  folder.set_option("[[[", std::string(2000, '['));
  check_contains(folder.error(), "values nested more than");
  for (const auto& [bytes, fault] : {std::pair{std::string(1, '\0'), "a NUL byte"}, {"\xFF", "invalid UTF-8"}}) {
    write_bytes(folder / "decoder.yml", "beam-size: 4\n# " + bytes + "\n");
    check_contains(folder.error(), fmt::format("decoder.yml:2] expected options in UTF-8; got {}", fault));
  }
}

TEST_CASE("Marian's files are found by decoder.yml or by their endings") {
  const ModelFolder folder("marian");
  fs::rename(folder / "model.npz", folder / "best.npz");
  check_contains(folder.error(), "model.npz, the weights; not found");
  fs::remove(folder / "decoder.yml");
  CHECK_EQ(folder.read().config.decode.beam, 12);
  fs::copy(folder / "vocab.yml", folder / "opus.trg.vocab.yml");
  fs::rename(folder / "vocab.yml", folder / "opus.src.vocab.yml");
  CHECK_FALSE(folder.read().config.data.shared_vocabulary);
  fs::copy(folder / "best.npz", folder / "other.npz");
  check_contains(folder.error(), "expected one model, a .npz; got 2: best.npz, other.npz");
  fs::remove(folder / "other.npz");
  for (const char* name : {"opus.src.vocab.yml", "opus.trg.vocab.yml"}) fs::remove(folder / name);
  check_contains(folder.error(), "ids from sentencepiece models");
}
