// The tiny MarianMTModel of transformers (marian.py), exported again.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "data/tokenizers/piece_tokenizer.h"
#include "exchange/outgoing.h"
#include "exchange/pretrained.h"
#include "tests/support/temporary_folder.h"
#include "train/model/model_factory.h"

using namespace glossa;
using namespace glossa::testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path huggingface = GLOSSA_SOURCE_DIR "/tests/golden/marian/huggingface";

/// A pretrained model that was read from a folder.
struct Read {
  explicit Read(const fs::path& folder) : pretrained(read_pretrained(folder)) {
    const auto tokenizer = [&](const Pretrained::Side& side) {
      return std::make_unique<PieceTokenizer>(side.pieces, side.tokens, side.specials, folder);
    };
    source = tokenizer(pretrained.source);
    target = tokenizer(pretrained.target);
    model = make_model(pretrained.config.model, source->vocabulary_size(), target->vocabulary_size(), 1,
                       target->specials());
    read_parameters(*pretrained.tensors, pretrained.sources, model->parameters);
  }

  Outgoing outgoing() const { return {pretrained.config, *source, *target, model->parameters}; }
  std::vector<float> values() const {
    const auto values = model->parameters.values();
    return {values.begin(), values.end()};
  }

  Pretrained pretrained;
  std::unique_ptr<PieceTokenizer> source, target;
  std::unique_ptr<Model> model;
};

Json json_in(const fs::path& file) { return Json::parse(read_bytes(file)); }

/// Checks that `use`, an export, is refused because of the option `key`.
void check_refused(const Read& read, const std::string& key, const std::function<void(const Outgoing&)>& use) {
  try {
    use(read.outgoing());
    FAIL(key);
  } catch (const Error& error) {
    CHECK(error.kind() == Error::Kind::misuse);
    const std::string text = error.what();
    CHECK(text.starts_with("[export] expected options that "));
    CHECK_NE(text.find(" " + key + ": "), std::string::npos);
  }
}

}  // namespace

TEST_CASE("a model of transformers is exported with the same weights, to the byte, and the same settings") {
  const TemporaryFolder folder;
  const Read read(huggingface);
  export_huggingface(read.outgoing(), folder / "out");
  for (const char* name : {"model.safetensors", "source.spm", "target.spm"})
    CHECK(read_bytes(folder / "out" / name) == read_bytes(huggingface / name));
  CHECK(json_in(folder / "out/vocab.json") == json_in(huggingface / "vocab.json"));
  for (const char* name : {"config.json", "generation_config.json"}) {
    const Json ours = json_in(folder / "out" / name), theirs = json_in(huggingface / name);
    for (const auto& entry : ours.items())
      if (theirs.contains(entry.key()))
        CHECK_MESSAGE(entry.value() == theirs.at(entry.key()), name << " " << entry.key());
  }
  const Read again(folder / "out");
  CHECK(again.values() == read.values());
  CHECK(dump(again.pretrained.config) == dump(read.pretrained.config));
  CHECK(again.source->serialize() == read.source->serialize());
  CHECK(again.target->serialize() == read.target->serialize());
}

TEST_CASE("Marian's folder contains the same model") {
  const TemporaryFolder folder;
  const Read read(huggingface);
  export_marian(read.outgoing(), folder / "out");
  const Read again(folder / "out");
  CHECK(again.values() == read.values());
  CHECK(again.source->serialize() == read.source->serialize());
  CHECK(again.pretrained.config.decode.beam == read.pretrained.config.decode.beam);
}

TEST_CASE("models of every tying, of several activations and orders of positions come back unchanged") {
  for (const Tied tied : {Tied::all, Tied::embeddings, Tied::output, Tied::none})
    for (const bool is_pre : {false, true})
      for (const Sinusoid order : {Sinusoid::sorted, Sinusoid::halves, Sinusoid::interleaved})
        for (const Activation activation : {Activation::silu, Activation::relu, Activation::gelu_tanh}) {
          CAPTURE(static_cast<int>(tied));
          CAPTURE(is_pre);
          CAPTURE(static_cast<int>(order));
          CAPTURE(name_of(activation));
          const TemporaryFolder folder;
          Read read(huggingface);
          ModelConfig& config = read.pretrained.config.model;
          config.transformer.tied = tied;
          config.transformer.sinusoid = order;
          config.transformer.stack.activation = activation;
          config.transformer.stack.norm = is_pre ? NormPlace::pre : NormPlace::post;
          config.transformer.stack.final_norm = is_pre;
          read.model = make_model(config, read.source->vocabulary_size(), read.target->vocabulary_size(), 7,
                                  read.target->specials());
          const auto pad = static_cast<std::size_t>(read.target->specials().pad);
          for (Parameter<float>* parameter : read.model->parameters.parameters())  // Marian has no row for padding
            if (parameter->name.find("tok_emb.") != std::string::npos || parameter->name == "generator.weight") {
              const auto columns = static_cast<std::size_t>(parameter->value.shape[1]);
              std::fill_n(parameter->value.data + pad * columns, columns, 0.0F);
            }
          const Outgoing outgoing = read.outgoing();
          const bool is_marians = order != Sinusoid::interleaved && activation != Activation::gelu_tanh;
          if (!is_pre) {
            export_huggingface(outgoing, folder / "hf");
            const Read again(folder / "hf");
            CHECK(again.values() == read.values());
            CHECK(dump(again.pretrained.config) == dump(read.pretrained.config));
          }
          if (is_marians) {
            export_marian(outgoing, folder / "marian");
            const Read again(folder / "marian");
            CHECK(again.values() == read.values());
            CHECK(again.pretrained.config.model.transformer.tied == tied);
            CHECK(again.pretrained.config.model.transformer.stack.norm == config.transformer.stack.norm);
          }
        }
}

TEST_CASE("settings that the formats cannot express are refused by the option's name") {
  const TemporaryFolder folder;
  const auto with = [](const std::function<void(Config&)>& change) {
    Read read(huggingface);
    change(read.pretrained.config);
    return read;
  };
  const auto to_huggingface = [&](const Outgoing& out) { export_huggingface(out, folder / "out"); };
  const auto to_marian = [&](const Outgoing& out) { export_marian(out, folder / "out"); };
  for (const auto& use : std::vector<std::function<void(const Outgoing&)>>{to_huggingface, to_marian}) {
    check_refused(with([](Config& c) { c.data.tokenizer = DataConfig::Tokenizer::words; }), "data.tokenizer", use);
    check_refused(with([](Config& c) { c.data.specials.bos = 3; }), "data.bos_id", use);
    check_refused(with([](Config& c) { c.data.reading.lowercase = true; }), "data.lowercase", use);
    check_refused(with([](Config& c) { c.model.transformer.stack.bias = false; }), "model.bias", use);
    check_refused(with([](Config& c) { c.model.transformer.stack.norm_kind = NormKind::rms; }), "model.norm_kind", use);
    for (const Activation gated : {Activation::swiglu, Activation::geglu})
      check_refused(with([&](Config& c) { c.model.transformer.stack.activation = gated; }), "model.activation", use);
    check_refused(with([](Config& c) { c.model.positions = ModelConfig::Positions::learned; }), "model.positions", use);
  }
  check_refused(with([](Config& c) { c.model.transformer.stack.norm = NormPlace::pre; }), "model.norm", to_huggingface);
  check_refused(with([](Config& c) { c.model.transformer.stack.final_norm = true; }), "model.final_norm", to_marian);
  check_refused(with([](Config& c) { c.model.transformer.stack.activation = Activation::gelu; }), "model.activation",
                to_marian);
  check_refused(with([](Config& c) { c.model.transformer.sinusoid = Sinusoid::interleaved; }), "model.sinusoid",
                to_marian);
  CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("a folder appears whole or not at all, and replaces nothing") {
  const TemporaryFolder folder;
  const Read read(huggingface);
  fs::create_directory(folder / "empty");
  export_huggingface(read.outgoing(), folder / "empty/");
  CHECK(fs::exists(folder / "empty/config.json"));
  CHECK_THROWS_AS(export_marian(read.outgoing(), folder / "empty"), Error);
  CHECK_THROWS_AS(write_folder(folder / "new",
                               [](const fs::path& to) {
                                 write_bytes(to / "half", "half");
                                 fail("test", "expected to be done; got none");
                               }),
                  Error);
  CHECK_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}
