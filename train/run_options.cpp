#include "train/run_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/console/print.h"
#include "config/unknown_name.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/run.h"
#include "train/stray_checkpoint.h"

namespace glossa {

namespace {

/// True if an option affects how text to translate is read, and may change in a trained run.
bool is_of_reading(std::string_view key) {
  return key == "data.invalid_utf8" || key == "data.max_line_bytes" || key == "data.max_tokens" ||
         key == "data.source_prefix";
}

/// Throws a misuse error if another option disables the given option of decoding.
void check_acts(const Setting& setting, const DecodeOptions& decode) {
  const std::string& key = setting.key();
  const auto needs = [&](bool met, const char* other) {
    if (!met) setting.refuse("expected {} as well; got {} alone, which has no effect", other, key);
  };
  if (key == "decode.temperature" || key == "decode.top_k" || key == "decode.top_p" || key == "decode.seed")
    needs(decode.sample || decode.mbr > 0, "decode.sample=true or decode.mbr");
  if (key == "decode.mbr_utility") needs(decode.mbr > 0, "decode.mbr");
  if (key == "decode.alpha") needs(decode.length_penalty != LengthPenalty::none, "decode.length_penalty=power or gnmt");
}

}  // namespace

bool binds(std::string_view key) {
  return (key.starts_with("data.") && !is_of_reading(key)) || key.starts_with("model.");
}

bool is_of_use(std::string_view key) {
  return key.starts_with("decode.") || key.starts_with("runtime.") || is_of_reading(key);
}

Config load_run_config(const std::string& run, const Settings& settings, std::int64_t beam,
                       std::optional<Precision> precision) {
  check_is_run(run);
  for (const Setting& setting : settings) {
    const std::string& key = setting.key();
    if (is_of_use(key)) continue;
    std::vector<std::string> meant = keys_meant(key);
    std::erase_if(meant, [](const std::string& other) { return !is_of_use(other); });
    for (std::string& other : meant) other = setting.for_key(other);
    if (!meant.empty()) throw Error(Error::Kind::misuse, unknown_name(setting.place(), "key", key, meant, ""));
    setting.refuse(
        "expected an option of decode or runtime, data.invalid_utf8, data.max_line_bytes, data.max_tokens or "
        "data.source_prefix; got one that a trained run keeps");
  }
  Config config = load_config(config_file(run), settings);
  if (beam > 0) config.decode.beam = beam;
  if (precision) config.decode.precision = *precision;
  for (const Setting& setting : settings) check_acts(setting, config.decode);
  check_decode(config.decode);
  return config;
}

std::function<bool(const TrainingState&)> trained_with(const Config& config, const std::string& where) {
  return [config, where](const TrainingState& state) {
    return std::ranges::none_of(differences(parse_config(state.config, where), config),
                                [](const OptionDifference& option) { return binds(option.key); });
  };
}

namespace {

/// Returns a configuration with the run's options that its weights or decoding depend on, and defaults for all others.
Config of_weights(const Config& run) {
  Config config;
  config.model = run.model;
  config.decode = run.decode;
  config.decode.average = 0;  // a new run decides how many checkpoints it keeps
  const DataConfig usual = std::exchange(config.data, run.data);
  DataConfig& data = config.data;  // corpora, and options that filter and batch them, get defaults
  data.train = usual.train;
  data.valid = usual.valid;
  data.test = usual.test;
  data.split = usual.split;
  data.reading.source_column = usual.reading.source_column;
  data.reading.target_column = usual.reading.target_column;
  data.reading.text.invalid_utf8 = usual.reading.text.invalid_utf8;
  data.reading.text.max_line_bytes = usual.reading.text.max_line_bytes;
  data.encoding.max_ratio = usual.encoding.max_ratio;
  data.duplicates = usual.duplicates;
  data.batches.max_tokens = usual.batches.max_tokens;
  data.batches.rule = usual.batches.rule;
  return config;
}

/// Returns the options that a run resumes with. They come from its newest checkpoint, except that options that may
/// change come from config.yaml. Without a checkpoint, all come from config.yaml. Empty if training has not begun.
std::optional<Config> options_of(const std::string& run) {
  const std::filesystem::path file = config_file(run);
  const bool has_file = std::filesystem::exists(file);
  const std::optional<FoundCheckpoint> found = newest_valid_checkpoint(run);
  if (!found) return has_file ? std::optional(load_config(file)) : std::nullopt;
  const TrainingState state = read_training_state(found->reader);
  const std::string checkpoint = found->reader.path();
  Config options = parse_config(state.config, checkpoint);
  if (!has_file) return options;
  const Config written = load_config(file);
  check_is_not_stray(run, checkpoint, state, trained_with(written, checkpoint));
  for (const auto& [key, trained, now] : differences(options, written))
    if (may_change_on_resume(key))
      options = load_config("", {key + "=" + now}, std::move(options));
    else if (!key.starts_with("decode."))  // options of decode stay in config.yaml, for translation
      warn("[{}] {}: {} was changed from {}, which a resumed run keeps", file.string(), key, now, trained);
  return options;
}

/// Reports the options that a resumed run keeps from its beginning. `alone` is the configuration without the run's own
/// options. Options that are equal or `auto` there are not reported.
void report_taken(const Config& alone, const Config& resumed) {
  std::vector<std::string> options;
  for (const auto& [key, without, with] : differences(alone, resumed))
    if (without != "auto" && key != "train.allow") options.push_back(fmt::format("{}: {}", key, with));
  if (!options.empty())
    print_note("note: the run's own options apply where the command gives none: {}\n", fmt::join(options, ", "));
}

/// Returns the configuration that process 0 reads, in all processes: only process 0's host has the folders of runs.
std::optional<Config> read_by_first(const Job& job, const std::function<std::optional<Config>()>& read) {
  std::optional<Config> config;
  job.together([&] {
    if (job.is_first()) config = read();
  });
  const std::string text = job.broadcast(config && job.is_several() ? dump(*config) : "");
  if (!job.is_first() && !text.empty()) config = parse_config(text, job.place().name(0));
  return config;
}

/// Returns the options that belong to the weights of `base`, the run in train.warm_start. A run that has begun already
/// has these options in `begun`. Empty if `base` is empty or not found; the trainer reports the error later.
std::optional<Config> options_of_weights(const std::optional<Config>& begun, const std::string& base) {
  if (base.empty() || (!begun && !std::filesystem::exists(base))) return {};
  return of_weights(begun ? *begun : load_run_config(RunName(base).folder()));
}

}  // namespace

Config load_training_config(const std::string& path, const Settings& settings, const std::string& run, bool resume,
                            const Job& job) {
  const std::optional<Config> begun = read_by_first(job, [&] { return resume ? options_of(run) : std::nullopt; });
  Config config, resumed;
  job.together([&] { config = load_config(path, settings); });
  const std::optional<Config> base =
      read_by_first(job, [&] { return options_of_weights(begun, config.train.warm_start); });
  job.together([&] {
    if (base) config = load_config(path, settings, *base);
    if (!begun) return;
    check_resume(*begun, *begun);  // refuses an imported model
    resumed = load_config(path, settings, *begun);
    if (!path.empty()) report_taken(config, resumed);
  });
  return begun ? resumed : config;
}

Config with_own_decoding(const std::string& run, Config resumed, const Settings& settings,
                         std::vector<std::string>& notes) {
  if (!std::filesystem::exists(config_file(run))) return resumed;
  resumed.decode = load_config(config_file(run)).decode;
  const Config before = resumed;
  for (const Setting& setting : settings)
    if (setting.key().starts_with("decode.")) resumed = config_from({setting}, std::move(resumed));
  const std::vector<OptionDifference> changes = differences(before, resumed);
  if (!changes.empty()) validate(resumed);
  for (const auto& [key, old, now] : changes)
    notes.push_back(fmt::format("{} is now {} for translation; it was {}", key, now, old));
  return resumed;
}

Config agreed(const Config& config, const Job& job) {
  if (!job.is_several()) return config;
  Config first = parse_config(job.broadcast(dump(config)), job.place().name(0));
  job.together([&] {
    check_agree(
        first, config, [](std::string_view key) { return key != "runtime.threads"; }, "as in " + job.place().name(0),
        "start all processes with the same options");
  });
  first.runtime.threads = config.runtime.threads;
  return first;
}

}  // namespace glossa
