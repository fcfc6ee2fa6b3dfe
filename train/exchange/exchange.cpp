#include "train/exchange/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "train/checkpoint/checkpoint.h"

namespace glossa {

namespace {

/// The names of PyTorch's that a parameter may have, in alphabetical order: several if it is tied.
/// `own_output`: whether the model has an output projection of its own.
std::vector<std::string> torch_names(const std::string& name, bool own_output) {
  const std::string output = "generator.weight", target = "tgt_tok_emb.embedding.weight";
  std::vector<std::string> names{name};
  if (name == "tok_emb.embedding.weight") names = {"src_tok_emb.embedding.weight", target};
  if (names.back() == target && !own_output) names.insert(names.begin(), output);
  return names;
}

/// "KIND: a, b; " of the first names; nothing if there are none.
std::string listed(std::string_view kind, std::vector<std::string> names) {
  constexpr std::size_t most = 12;
  if (names.empty()) return "";
  const std::size_t more = names.size() - std::min(most, names.size());
  names.resize(names.size() - more);
  return fmt::format("; {}: {}{}", kind, fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// The tensors of a file under the names they have without the prefix.
std::map<std::string, const TensorEntry*> without_prefix(const TensorFile& file) {
  constexpr std::string_view prefix = "transformer.";
  std::map<std::string, const TensorEntry*> entries;
  for (const auto& [name, entry] : file.entries()) {
    const std::string bare = name.substr(name.starts_with(prefix) ? prefix.size() : 0);
    check(entries.emplace(bare, &entry).second, file.path().string(),
          "expected '{}' with the prefix '{}' or without; got both", bare, prefix);
  }
  return entries;
}

std::vector<float> read_finite(const TensorFile& file, const TensorEntry& entry) {
  std::vector<float> values = file.read<float>(entry.name);
  const auto bad = std::ranges::find_if_not(values, [](float x) { return std::isfinite(x); });
  if (bad != values.end())
    fail(file.path().string(), "expected finite numbers in '{}'; got {} as number {}", entry.name, *bad,
         bad - values.begin());
  return values;
}

}  // namespace

void export_parameters(const CheckpointReader& checkpoint, const std::filesystem::path& path) {
  const bool own_output = checkpoint.find("generator.weight") != nullptr;
  std::map<std::string, std::string> metadata{{"format", "pt"}};
  std::vector<std::vector<float>> values;
  std::vector<SafetensorsTensor> tensors;
  for (const CheckpointEntry& entry : checkpoint.entries()) {
    if (entry.kind != EntryKind::parameter) continue;
    std::vector<float>& own = values.emplace_back(entry.length / sizeof(float));
    checkpoint.read(entry_in_use(checkpoint, entry.name), std::as_writable_bytes(std::span(own)));
    const std::vector<std::string> names = torch_names(entry.name, own_output);
    tensors.push_back({names.front(), entry.dims, own});
    for (std::size_t i = 1; i < names.size(); ++i) metadata[names[i]] = names.front();
  }
  write_safetensors(path, std::move(tensors), metadata);
}

void import_parameters(const TensorFile& file, ParameterStore<float>& parameters) {
  auto entries = without_prefix(file);
  const bool own_output =
      std::ranges::any_of(parameters.parameters(), [](const auto* p) { return p->name == "generator.weight"; });
  std::vector<std::string> missing, unexpected, misshapen;
  std::vector<std::vector<const TensorEntry*>> copies;  // beside the parameters
  for (const Parameter<float>* parameter : parameters.parameters()) {
    std::vector<const TensorEntry*>& own = copies.emplace_back();
    const std::vector<std::string> names = torch_names(parameter->name, own_output);
    for (const std::string& name : names) {
      const auto found = entries.find(name);
      if (found == entries.end()) continue;
      own.push_back(found->second);
      entries.erase(found);
      if (own.back()->shape != dims_of(parameter->value.shape) || own.back()->dtype.find('F') == std::string::npos)
        misshapen.push_back(fmt::format("{} {} {} (the model's: {})", name, own.back()->dtype,
                                        shape_text(own.back()->shape), parameter->value.shape.str()));
    }
    if (own.empty()) missing.push_back(fmt::format("{}", fmt::join(names, " or ")));
  }
  for (const auto& [name, entry] : entries) unexpected.push_back(entry->name);
  const std::string differences = listed("missing", missing) + listed("not in the model", unexpected) +
                                  listed("of another shape or type", misshapen);
  check(differences.empty(), file.path().string(),
        "expected the parameters of the model that is configured{}. Hint: docs/exchange.md tells names, and which "
        "options say what PyTorch's module has",
        differences);

  std::vector<std::vector<float>> values;
  for (const auto& own : copies) {
    values.push_back(read_finite(file, *own.front()));
    for (const TensorEntry* copy : std::span(own).subspan(1))
      check(file.read<float>(copy->name) == values.back(), file.path().string(),
            "expected '{}' and '{}' to be equal, the model ties them; got different numbers", own.front()->name,
            copy->name);
  }
  for (std::size_t i = 0; i < values.size(); ++i) std::ranges::copy(values[i], parameters.parameters()[i]->value.data);
}

}  // namespace glossa
