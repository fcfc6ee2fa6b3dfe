#include "config/config_terms.h"

#include <utility>

namespace glossa {

namespace {

constexpr ConfigTerm places[] = {{"ScheduleOptions::width", "model.width"},
                                 {"ScheduleOptions::kind", "optim.schedule"},
                                 {"ScheduleOptions::", "optim."},
                                 {"AdamOptions::", "optim."},
                                 {"SgdOptions::", "optim."},
                                 {"MovingAverage::decay", "train.ema"},
                                 {"weight_decay", "optim.weight_decay"},
                                 {"freeze", "optim.freeze"},
                                 {"TransformerOptions::learned_positions", "model.positions"},
                                 {"TransformerOptions::", "model."},
                                 {"SamplerOptions::", "data."},
                                 {"SentencepieceOptions::vocabulary_size", "data.vocab_size"},
                                 {"set_gemm_backend", "runtime.gemm"}};

constexpr ConfigTerm hints[] = {
    {"ParameterStore::parameters lists the names", "`glossa inspect` lists the names"},
    {"ParameterStore::parameters lists the names; * matches any text",
     "`glossa inspect` lists the names; * matches any text"},
    {"use Tied::output", "use model.tied: output"},
    {"use more positions, or shorter sequences", "raise model.max_positions, or use shorter sequences"},
    {"set source_language and target_language to two of these", "set data.source and data.target to two of these"},
    {"set source_language and target_language to two of these, or remove the row",
     "set data.source and data.target to two of these, or remove the row"},
    {"omit CorpusOptions::source_column and CorpusOptions::target_column to use the first row",
     "omit data.source_column and data.target_column to use the first row"},
    {"raise EncodeOptions::max_length or EncodeOptions::max_ratio", "raise data.max_length or data.max_ratio"},
    {"raise it, or lower SentencepieceOptions::character_coverage, which makes rare characters unknown",
     "raise it, or lower data.character_coverage, which makes rare characters unknown"},
    {"convert the file, for example with iconv -f WINDOWS-1252 -t UTF-8, or set InvalidUtf8::replace",
     "convert the file, for example with iconv -f WINDOWS-1252 -t UTF-8, or set data.invalid_utf8: replace"},
    {"free some space, or use a folder on another disk",
     "free some space, or set data.cache to a folder on another disk"},
    {"check the folder and its permissions, or use another folder",
     "check the folder and its permissions, or set data.cache to another folder"},
    {"prepare it again", "remove it with `glossa prepare --clear`"},
    {"use fewer rows at a time", "use a lower data.max_tokens (decode.max_tokens when translating)"},
    {"use a smaller model, or fewer rows at a time",
     "use a smaller model, or a lower data.max_tokens (decode.max_tokens when translating)"}};

}  // namespace

std::span<const ConfigTerm> place_terms() { return places; }
std::span<const ConfigTerm> hint_terms() { return hints; }

Error in_config_terms(const Error& error) {
  Error::Parts parts = error.parts();
  for (const auto& [code, config] : places) {
    const std::string_view term = code;
    if (parts.where != term && !(term.ends_with("::") && parts.where.starts_with(term))) continue;
    parts.where.replace(0, term.size(), config);
    break;
  }
  for (const auto& [code, config] : hints)
    if (error.parts().hint == code) parts.hint = config;
  return {error.kind(), std::move(parts)};
}

}  // namespace glossa
