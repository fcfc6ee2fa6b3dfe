#include "exchange/exchange.h"

#include <algorithm>

#include "exchange/parameter_sources.h"
#include "train/checkpoint/checkpoint.h"

namespace glossa {

namespace {

/// Returns the names that PyTorch may have for a parameter, in alphabetical order; a tied parameter has several.
/// `own_output` is true if the model has a separate output projection.
std::vector<std::string> torch_names(const std::string& name, bool own_output) {
  const std::string output = "generator.weight", target = "tgt_tok_emb.embedding.weight";
  std::vector<std::string> names{name};
  if (name == "tok_emb.embedding.weight") names = {"src_tok_emb.embedding.weight", target};
  if (names.back() == target && !own_output) names.insert(names.begin(), output);
  return names;
}

/// Returns the names of a file's tensors, keyed by the names without the prefix.
std::map<std::string, std::string> names_without_prefix(const TensorFile& file) {
  constexpr std::string_view prefix = "transformer.";
  std::map<std::string, std::string> names;
  for (const auto& [name, entry] : file.entries()) {
    const std::string bare = name.substr(name.starts_with(prefix) ? prefix.size() : 0);
    check(names.emplace(bare, name).second, file.path().string(),
          "expected '{}' with the prefix '{}' or without; got both", bare, prefix);
  }
  return names;
}

}  // namespace

void export_parameters(const CheckpointReader& checkpoint, const std::filesystem::path& path) {
  const bool own_output = checkpoint.find("generator.weight") != nullptr;
  std::map<std::string, std::string> metadata{{"format", "pt"}};
  std::vector<std::vector<float>> values;
  std::vector<NamedTensor<const float>> tensors;
  for (const CheckpointEntry& entry : checkpoint.entries()) {
    if (entry.kind != EntryKind::parameter) continue;
    std::vector<float>& own = values.emplace_back(entry.length / sizeof(float));
    checkpoint.read(entry_in_use(checkpoint, entry.name), std::as_writable_bytes(std::span(own)));
    std::vector<std::string> names = torch_names(entry.name, own_output);
    names.push_back(entry.name);
    tensors.push_back({names.front(), entry.dims, own});
    for (const std::string& name : names)
      if (name != names.front()) metadata[name] = names.front();
  }
  write_safetensors(path, std::move(tensors), metadata);
}

void import_parameters(const TensorFile& file, ParameterStore<float>& parameters) {
  const std::map<std::string, std::string> in_file = names_without_prefix(file);
  const bool own_output =
      std::ranges::any_of(parameters.parameters(), [](const auto* p) { return p->name == "generator.weight"; });
  std::vector<ParameterSource> sources;
  for (const Parameter<float>* parameter : parameters.parameters()) {
    std::vector<std::string> names = torch_names(parameter->name, own_output);
    for (std::string& name : names)
      if (const auto found = in_file.find(name); found != in_file.end()) name = found->second;
    sources.push_back(
        {.parameter = parameter->name, .shape = dims_of(parameter->value.shape), .parts = {std::move(names)}});
  }
  check_sources(file, sources, {}, Error::Kind::misuse,
                "docs/exchange.md lists the names, and the options that match PyTorch's module");
  read_parameters(file, sources, parameters);
}

}  // namespace glossa
