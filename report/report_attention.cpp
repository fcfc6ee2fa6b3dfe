#include "report/report_attention.h"

#include <fmt/ranges.h>

#include <filesystem>

#include "base/check.h"
#include "base/json_line.h"
#include "decoding/attention_json.h"
#include "decoding/translator.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa {

namespace {

constexpr std::int64_t max_map_tokens = 60;                  // maximum per sentence; a larger image is unreadable
constexpr std::size_t max_map_bytes = std::size_t{4} << 20;  // size of a run's maps above which no more are added

/// Returns the file of the best or else the last checkpoint, with links resolved; empty if there is no checkpoint yet.
std::string checkpoint_of(const RunName& name) {
  const std::filesystem::path folder = std::filesystem::path(name.folder()) / "checkpoints";
  for (const char* link : {"best", "last"}) {
    std::error_code missing;
    const std::filesystem::path file = std::filesystem::canonical(folder / link, missing);
    if (!missing) return file.string();
  }
  return "";
}

/// Returns the reason why a text of this length has no image; empty if it can have one.
std::string objection(const char* side, std::int64_t length) {
  if (length == 0) return fmt::format("the {} is empty", side);
  return length > max_map_tokens ? fmt::format("the {} has more than {} tokens", side, max_map_tokens) : "";
}

/// Adds the maps of a sentence for the model's own translation. If the sentence is left out, returns the reason.
std::string add_map(std::vector<std::string>& maps, Translator& translator, const std::string& sentence) {
  const std::string source = objection("sentence", std::ssize(translator.source_ids(sentence, "sentence", 1)));
  if (!source.empty()) return source;
  Translator::Sources sources;
  translator.add(sources, sentence, "sentence", 1);
  const Translation translation = translator.n_best(sources, 1).front().front();
  const std::string target = objection("translation", std::ssize(translation.tokens));
  if (!target.empty()) return target;
  JsonLine json;
  json.add("text", std::string_view(sentence)).add("translation", std::string_view(translation.text));
  maps.push_back(add_to(json, translator.attention(sources.ids.front(), translation)).text());
  return "";
}

/// Formats numbers as "sentence 2", "sentences 2 and 3", "sentences 1, 2, 3 and 9 more".
std::string in_words(const std::vector<std::size_t>& sentences) {
  constexpr std::size_t max_named = 5;
  const std::size_t count = sentences.size();
  if (count == 1) return fmt::format("sentence {}", sentences.front());
  const std::size_t named = count > max_named ? max_named : count - 1;
  return fmt::format("sentences {} and {}",
                     fmt::join(sentences.begin(), sentences.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                     count > max_named ? fmt::format("{} more", count - named) : fmt::format("{}", sentences.back()));
}

RunAttention attention_of(const RunName& name, std::span<const std::string> sentences, bool is_training) {
  const std::vector<std::string> sets(is_training ? 1 : 0, "runtime.threads=1");
  const LoadedRun run = load_run(name, load_run_config(name.folder(), sets));
  apply_runtime(run.config.runtime);
  Translator translator(*run.model->transformer, run.tokenizers, run.config.data, run.config.decode);
  std::vector<std::string> maps;
  std::map<std::string, std::vector<std::size_t>> missing;  // sentences for each reason
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    std::string reason = fmt::format("the images of a run may take at most {} MiB", max_map_bytes >> 20);
    try {
      if (bytes <= max_map_bytes) reason = add_map(maps, translator, sentences[i]);
    } catch (const Error& error) {
      reason = error.what();
    }
    if (reason.empty())
      bytes += maps.back().size();
    else
      missing[reason].push_back(i + 1);
  }
  RunAttention attention{fmt::format("[{}]", fmt::join(maps, ",")), {}};
  for (const auto& [reason, which] : missing)
    attention.missing.push_back(fmt::format("no attention is shown for {}: {}", in_words(which), reason));
  return attention;
}

}  // namespace

RunAttention ReportAttention::of(const std::string& run, std::span<const std::string> sentences, bool is_training,
                                 std::vector<std::string>& problems) {
  const RunName name(run);
  const std::string checkpoint = checkpoint_of(name);
  if (checkpoint.empty() || sentences.empty()) return {};
  Made& made = made_[run];
  if (made.checkpoint != checkpoint) {
    try {
      made = {checkpoint, attention_of(RunName(checkpoint), sentences, is_training)};
    } catch (const Error& error) {
      problems.push_back(error.what());
    }
  }
  return made.attention;
}

}  // namespace glossa
