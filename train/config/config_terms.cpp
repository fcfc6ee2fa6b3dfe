#include "train/config/config_terms.h"

namespace glossa {

namespace {

// Keys have the names of the members, so one row covers a struct.
constexpr ConfigTerm terms[] = {
    {"ScheduleOptions::width", "model.width"},
    {"ScheduleOptions::kind", "optim.schedule"},
    {"ScheduleOptions::", "optim."},
    {"AdamOptions::", "optim."},
    {"SgdOptions::", "optim."},
    {"MovingAverage::decay", "train.ema"},
    {"[weight_decay]", "[optim.weight_decay]"},
    {"[freeze]", "[optim.freeze]"},
    {"ParameterStore::parameters lists the names", "`glossa inspect` lists the names"},
    {"TransformerOptions::", "model."},
    {"Tied::output", "model.tied: output"},
    {"rows of positions", "model.max_positions"},
    {"source_language and target_language", "data.source and data.target"},
    {"CorpusOptions::", "data."},
    {"EncodeOptions::", "data."},
    {"SamplerOptions::", "data."},
    {"SentencepieceOptions::vocabulary_size", "data.vocab_size"},
    {"SentencepieceOptions::", "data."},
    {"InvalidUtf8::replace", "data.invalid_utf8: replace"},
    {"fewer rows at a time", "a lower data.max_tokens (decode.max_tokens when translating)"},
    {"[set_gemm_backend]", "[runtime.gemm]"}};

}  // namespace

std::span<const ConfigTerm> config_terms() { return terms; }

std::string in_config_terms(std::string text) {
  for (const auto& [library, config] : terms)
    for (std::size_t at = text.find(library); at != text.npos; at = text.find(library, at)) {
      text.replace(at, std::string(library).size(), config);
      at += std::string(config).size();
    }
  return text;
}

}  // namespace glossa
