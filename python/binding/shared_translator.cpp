#include "python/binding/shared_translator.h"

#include "base/check.h"
#include "base/parallel.h"
#include "data/text/place.h"
#include "train/runtime.h"

namespace glossa::python {

namespace {

/// Applies a run's runtime.* options, which affect the whole process. Does nothing if they would not change anything.
void apply(const RuntimeConfig& config) {
  const bool changes_threads = config.threads != 0 && config.threads != threads();
  if (!changes_threads && config.gemm == RuntimeConfig::Gemm::automatic) return;
  Released::check_none("runtime");
  const Computing computing;
  RuntimeConfig applied = config;
  if (applied.threads == 0) applied.threads = threads();
  apply_runtime(applied);
}

}  // namespace

SharedTranslator::SharedTranslator(const std::vector<std::string>& runs, const std::string& checkpoint,
                                   std::int64_t beam, const Settings& settings, const std::string& split_sentences) {
  const std::vector<RunName> names = run_names(runs, checkpoint);
  Config config = load_run_config(names.front().folder(), settings, beam);
  apply(config.runtime);
  const Computing computing;
  run_ = load_ensemble(names, std::move(config));
  translator_.emplace(run_.models(), run_.tokenizers, run_.config.data, run_.config.decode);
  translator_->split_sentences(split_sentences == "auto" ? run_.state.text.has_one_sentence_a_line()
                                                         : split_sentences == "on");
}

std::vector<std::string> clean_lines(const char* where, const DataConfig& data, const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  for (const std::string& line : lines) {
    const std::string place = place_in(where, std::ssize(result) + 1);
    if (line.find('\n') != std::string::npos)
      misuse(place, "expected a line without line feeds; got one with them. Hint: pass text.splitlines()");
    result.push_back(clean_line(line, place, data.reading.text));
  }
  return result;
}

}  // namespace glossa::python
