#include "app/report/report_attention.h"

#include <fmt/ranges.h>

#include <filesystem>

#include "autograd/check.h"
#include "train/console/json_line.h"
#include "train/decoding/translator.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa {

namespace {

constexpr std::int64_t max_tokens = 60;                  // per sentence; a larger image is unreadable
constexpr std::size_t max_bytes = std::size_t{4} << 20;  // for a run's maps

/// The file of the checkpoint that translates, with links resolved; empty if it does not exist yet.
std::string checkpoint_of(const RunName& name) {
  const std::filesystem::path folder = std::filesystem::path(name.folder()) / "checkpoints";
  for (const char* link : {"best", "last"}) {
    std::error_code missing;
    const std::filesystem::path file = std::filesystem::canonical(folder / link, missing);
    if (!missing) return file.string();
  }
  return "";
}

void check_length(const char* side, std::int64_t length) {
  if (length == 0 || length > max_tokens)
    fail("attention", "expected a {} of 1 to {} tokens; got {}", side, max_tokens, length);
}

/// The maps of a sentence for the model's own translation. Throws if they are too large for an image.
std::string map_of(Translator& translator, const std::string& sentence) {
  check_length("sentence", std::ssize(translator.source_ids(sentence, "sentence", 1)));
  Translator::Sources sources;
  translator.add(sources, sentence, "sentence", 1);
  const Translation translation = translator.n_best(sources, 1).front().front();
  check_length("translation", std::ssize(translation.tokens));
  JsonLine json;
  json.add("text", std::string_view(sentence)).add("translation", std::string_view(translation.text));
  return add_to(json, translator.attention(sources.ids.front(), translation)).text();
}

/// Returns each sentence's maps, or adds a line to `problems`.
std::string maps_of(const RunName& name, std::span<const std::string> sentences, bool is_training,
                    std::vector<std::string>& problems) {
  const std::vector<std::string> sets(is_training ? 1 : 0, "runtime.threads=1");
  const LoadedRun run = load_run(name, load_run_config(name.folder(), sets));
  apply_runtime(run.config.runtime);
  Translator translator(*run.model->transformer, run.tokenizers, run.config.data, run.config.decode);
  std::vector<std::string> maps;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    try {
      check(bytes <= max_bytes, "attention", "expected at most {} MiB of pictures; got more", max_bytes >> 20);
      maps.push_back(map_of(translator, sentences[i]));
      bytes += maps.back().size();
    } catch (const Error& error) {
      problems.push_back(
          fmt::format("{}: no attention is shown for sentence {}: {}", name.folder(), i + 1, error.what()));
    }
  }
  return fmt::format("[{}]", fmt::join(maps, ","));
}

}  // namespace

std::string ReportAttention::of(const std::string& run, std::span<const std::string> sentences, bool is_training,
                                std::vector<std::string>& problems) {
  const RunName name(run);
  const std::string checkpoint = checkpoint_of(name);
  if (checkpoint.empty() || sentences.empty()) return "";
  Made& made = made_[run];
  if (made.checkpoint != checkpoint) {
    try {
      std::vector<std::string> found;
      const std::string maps = maps_of(name, sentences, is_training, found);
      made = {checkpoint, maps, found};
    } catch (const Error& error) {
      problems.push_back(error.what());
    }
  }
  problems.insert(problems.end(), made.problems.begin(), made.problems.end());
  return made.maps;
}

}  // namespace glossa
