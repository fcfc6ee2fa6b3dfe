#include "exchange/outgoing.h"

#include <unistd.h>

#include <algorithm>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/folder.h"
#include "data/tokenizers/piece_tokenizer.h"
#include "train/signals.h"

namespace glossa {

namespace {

namespace fs = std::filesystem;

Outgoing::Side side_of(const Tokenizer& tokenizer, const std::vector<int>& order) {
  const auto* pieces = dynamic_cast<const PieceTokenizer*>(&tokenizer);
  Outgoing::Side side{.pieces = pieces != nullptr ? pieces->sentencepiece_model() : tokenizer.serialize(),
                      .tokens = {}};
  for (const int id : order) {
    const std::string_view special = tokenizer.specials().name(id);
    side.tokens.push_back(special.empty() ? tokenizer.token(id) : std::string(special));
  }
  return side;
}

/// Returns the run's token ids in export order.
std::vector<int> leaving_order(const Tokenizer& tokenizer) {
  const SpecialIds& specials = tokenizer.specials();
  std::vector<int> order{specials.eos};
  if (specials.unk >= 0) order.push_back(specials.unk);
  for (int id = 0; id < tokenizer.vocabulary_size(); ++id)
    if (!specials.contains(id)) order.push_back(id);
  order.push_back(specials.pad);
  return order;
}

}  // namespace

Outgoing::Outgoing(Config config, const Tokenizer& source, const Tokenizer& target,
                   const ParameterStore<float>& parameters)
    : config_(std::move(config)), parameters_(parameters) {
  source_order_ = leaving_order(source);
  target_order_ = leaving_order(target);
  source_ = side_of(source, source_order_);
  target_ = side_of(target, target_order_);
}

void Outgoing::check_exportable(const std::vector<ExportFormat>& formats) const {
  glossa::check_exportable("export", config_, formats,
                           VocabularySizes{std::ssize(source_.tokens), std::ssize(target_.tokens)},
                           "export only the weights with --safetensors");
}

std::vector<std::int64_t> Outgoing::forbidden() const {
  std::vector<std::int64_t> ids;
  for (const std::int64_t id : config_.decode.forbidden)
    ids.push_back(std::ranges::find(target_order_, id) - target_order_.begin());
  return ids;
}

std::vector<float> Outgoing::values(const ParameterSource& source) const {
  const auto all = parameters_.parameters();
  const auto found = std::ranges::find(all, source.parameter, [](const auto* p) { return p->name; });
  if (found == all.end()) {
    check(source.parameter == "generator.bias", "export", "expected a parameter {}; not found", source.parameter);
    return std::vector<float>(source.shape.at(0));
  }
  const std::span<const float> values((*found)->value.data, static_cast<std::size_t>((*found)->value.size()));
  const bool is_source_table = source.parameter == "src_tok_emb.embedding.weight";
  const bool has_tokens = is_source_table || source.parameter.find("tok_emb.") != std::string::npos ||
                          source.parameter.starts_with("generator.");
  if (!has_tokens) return {values.begin(), values.end()};
  const std::vector<int>& order = is_source_table ? source_order_ : target_order_;
  const std::size_t columns = values.size() / order.size();
  std::vector<float> ordered;
  ordered.reserve(values.size());
  for (const int id : order) {
    const auto row = values.subspan(static_cast<std::size_t>(id) * columns, columns);
    ordered.insert(ordered.end(), row.begin(), row.end());
  }
  return ordered;
}

std::vector<FileTensor> Outgoing::tensors(const std::vector<ParameterSource>& sources) const {
  std::vector<FileTensor> tensors;
  for (const ParameterSource& source : sources) {
    const std::vector<float> all = values(source);
    for (FileTensor& part : file_tensors(source, all)) tensors.push_back(std::move(part));
  }
  return tensors;
}

void check_is_free(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code) && !(fs::is_directory(folder, code) && names_in(folder, code).empty() && !code))
    misuse(folder.string(), "expected a new or empty folder; got {}. Hint: name another",
           fs::is_directory(folder, code) ? "one that contains files" : "a file");
}

void write_folder(const fs::path& folder, const std::function<void(const fs::path&)>& write) {
  check_is_free(folder);
  const fs::path name = absolute_folder(folder);
  const Uninterrupted until_renamed;
  create_folder(name.parent_path());
  write_folder_atomically(name, name.string() + fmt::format(".tmp-{}", getpid()), write);
}

}  // namespace glossa
