#include "exchange/exchange.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "base/check.h"
#include "tests/support/temporary_folder.h"
#include "train/checkpoint/checkpoint.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

using ParameterNames = std::set<std::string>;

const std::string source_table = "src_tok_emb.embedding.weight", target_table = "tgt_tok_emb.embedding.weight",
                  output_table = "generator.weight";

std::unique_ptr<Model> model_of(Tied tied, std::uint64_t seed) {
  ModelConfig config;
  config.transformer.stack.width = 4;
  config.transformer.stack.heads = 2;
  config.transformer.stack.feed_forward = 6;
  config.transformer.encoder_layers = config.transformer.decoder_layers = 1;
  config.transformer.tied = tied;
  config.transformer.output_bias = true;
  return make_model(config, 5, 5, seed);
}

/// Exports a checkpoint of the model; returns the safetensors file.
fs::path export_model(const TemporaryFolder& folder, Model& model, const TrainingState& state = {}) {
  const auto optimizer = make_optimizer(OptimConfig{}, model.parameters);
  CheckpointWriter writer;
  add_to_checkpoint(writer, model.parameters, *optimizer, nullptr, state, "here");
  writer.write(folder / "model.ckpt");
  export_parameters(CheckpointReader(folder / "model.ckpt"), folder / "model.safetensors");
  return folder / "model.safetensors";
}

/// The tensors of a file, for changing and rewriting.
struct Tensors {
  std::map<std::string, std::pair<std::vector<std::uint64_t>, std::vector<float>>> tensors;

  explicit Tensors(const fs::path& path) {
    const SafetensorsReader reader(path);
    for (const auto& [name, entry] : reader.entries()) tensors[name] = {entry.shape, reader.read<float>(name)};
  }

  void write(const fs::path& path) const {
    std::vector<NamedTensor<const float>> views;
    for (const auto& [name, tensor] : tensors) views.push_back({name, tensor.first, tensor.second});
    write_safetensors(path, views, {});
  }
};

bool same_bits(const Model& a, const Model& b) {
  return std::ranges::equal(std::as_bytes(a.parameters.values()), std::as_bytes(b.parameters.values()));
}

std::string error_of_import(const fs::path& path, Model& model) {
  return error_of<Error>([&] { import_parameters(SafetensorsReader(path), model.parameters); });
}

}  // namespace

TEST_CASE("an exported model is imported to the last bit, however its tensors are tied") {
  for (const auto& row : {std::pair(Tied::none, ParameterNames{source_table, target_table, output_table}),
                          std::pair(Tied::output, ParameterNames{source_table, output_table}),
                          std::pair(Tied::all, ParameterNames{output_table}),
                          std::pair(Tied::embeddings, ParameterNames{source_table, output_table})}) {
    const auto& tied = row.first;
    const auto& tables = row.second;
    CAPTURE(static_cast<int>(tied));
    const TemporaryFolder folder;
    const auto model = model_of(tied, 1), other = model_of(tied, 2);
    const fs::path path = export_model(folder, *model);
    const SafetensorsReader file(path);
    ParameterNames found;
    for (const std::string& name : {source_table, target_table, output_table})
      if (file.entries().contains(name)) found.insert(name);
    CHECK_EQ(found, tables);
    CHECK_EQ(file.entries().size(), model->parameters.parameters().size());
    if (tied == Tied::all) CHECK_EQ(file.metadata().at(source_table), output_table);
    if (tied == Tied::embeddings) CHECK_EQ(file.metadata().at(target_table), source_table);
    CHECK_FALSE(same_bits(*model, *other));
    import_parameters(file, other->parameters);
    CHECK(same_bits(*model, *other));
  }
}

TEST_CASE("equal parameters give equal files, whatever else the checkpoint has") {
  const TemporaryFolder folder, other_folder;
  TrainingState state;
  state.config = "train:\n  seed: 7\n";
  state.update = 37;
  const std::string bytes = read_bytes(export_model(folder, *model_of(Tied::all, 1)));
  CHECK(read_bytes(export_model(other_folder, *model_of(Tied::all, 1), state)) == bytes);
  CHECK_FALSE(read_bytes(export_model(other_folder, *model_of(Tied::all, 2))) == bytes);
}

TEST_CASE("a tied tensor may have any of its names, or several equal copies; names may have a prefix") {
  const TemporaryFolder folder;
  const auto model = model_of(Tied::all, 1);
  Tensors contents(export_model(folder, *model));
  const auto imported = [&] {
    contents.write(folder / "changed");
    const auto other = model_of(Tied::all, 2);
    import_parameters(SafetensorsReader(folder / "changed"), other->parameters);
    return same_bits(*model, *other);
  };
  contents.tensors[target_table] = contents.tensors[output_table];
  CHECK(imported());
  contents.tensors.erase(output_table);
  CHECK(imported());
  for (const std::string name : {"encoder.norm.weight", "decoder.layers.0.norm3.bias"}) {
    auto node = contents.tensors.extract(name);
    node.key() = "transformer." + name;
    contents.tensors.insert(std::move(node));
  }
  CHECK(imported());

  contents.tensors[output_table] = contents.tensors[target_table];
  contents.tensors[output_table].second[3] = std::nextafter(contents.tensors[output_table].second[3], 2.0F);
  CHECK_THROWS_WITH_AS(imported(), doctest::Contains("'generator.weight' and 'tgt_tok_emb.embedding.weight'"), Error);
  contents.tensors.erase(output_table);
  contents.tensors["encoder.norm.weight"] = contents.tensors["transformer.encoder.norm.weight"];
  CHECK_THROWS_WITH_AS(imported(), doctest::Contains("got both"), Error);
}

TEST_CASE("tensors that do not fit are listed by name, and nothing is changed") {
  const TemporaryFolder folder;
  const auto model = model_of(Tied::output, 1), fresh = model_of(Tied::output, 2), other = model_of(Tied::output, 2);
  const Tensors whole(export_model(folder, *model));

  Tensors contents = whole;
  contents.tensors.erase("encoder.norm.weight");
  contents.tensors.erase(output_table);
  contents.tensors["buffer"] = {{1}, {0}};
  contents.tensors["decoder.norm.bias"].first = {2, 2};
  contents.write(folder / "changed");
  const std::string error = error_of_import(folder / "changed", *other);
  for (const char* part :
       {"missing: encoder.norm.weight, generator.weight or tgt_tok_emb.embedding.weight;", "not in the model: buffer;",
        "of another shape or type: decoder.norm.bias F32 [2, 2] (the model's: [4])"}) {
    CAPTURE(part);
    CHECK_NE(error.find(part), std::string::npos);
  }

  write_safetensors(folder / "empty", {}, {});
  CHECK_NE(error_of_import(folder / "empty", *other).find(" more)"), std::string::npos);

  for (const auto& [number, text] : {std::pair(NAN, "nan"), std::pair(-INFINITY, "-inf")}) {
    contents = whole;
    contents.tensors["encoder.norm.weight"].second[2] = number;
    contents.write(folder / "changed");
    CHECK_NE(error_of_import(folder / "changed", *other)
                 .find(fmt::format("finite numbers in 'encoder.norm.weight'; got {} as number 2", text)),
             std::string::npos);
  }
  CHECK(same_bits(*other, *fresh));
}

TEST_CASE("tensors of whole numbers are refused") {
  const TemporaryFolder folder;
  const auto model = model_of(Tied::output, 1);
  std::string bytes = read_bytes(export_model(folder, *model));
  const std::size_t at = bytes.find("F32", bytes.find("decoder.norm.bias"));
  bytes.replace(at, 3, "I32");
  write_bytes(folder / "whole", bytes);
  CHECK_NE(error_of_import(folder / "whole", *model).find("decoder.norm.bias I32 [4]"), std::string::npos);
}
