#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/counted.h"
#include "base/json_line.h"
#include "bench/commands.h"
#include "train/runtime.h"
#include "train/signals.h"
#include "train/trainer.h"
#include "train/training_console.h"

namespace glossa::bench {

namespace {

struct TrainArguments {
  std::string config;
  bool json = false;
  std::vector<std::string> sets;
};

/// A run folder that the destructor removes.
struct TemporaryRun {
  std::string path;

  TemporaryRun() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    path = (parent / "glossa-bench-XXXXXX").string();
    const bool is_made = !error && mkdtemp(path.data()) != nullptr;
    check(is_made, "train", "cannot create a temporary folder: {}. Hint: set TMPDIR",
          error ? error.message() : std::strerror(errno));
  }
  ~TemporaryRun() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

/// Times one epoch as in `train`, without checkpoints and validation.
int run(const TrainArguments& arguments, const Job& job) {
  std::vector<std::string> sets = arguments.sets;
  for (const char* set : {"train.max_updates=0", "train.max_epochs=1", "train.max_minutes=0", "train.patience=0",
                          "train.validate_every=0", "train.save_every=0", "train.log_every=1e"})
    sets.emplace_back(set);
  const Config config = load_config(arguments.config, sets);
  const TemporaryRun folder;
  Trainer trainer(prepare({.config = config, .run = folder.path}, job));
  TrainingConsole console;
  if (job.is_first()) trainer.add(console);
  const SignalWatch signals(trainer.requests());
  if (trainer.train() == TrainingEnd::stopped) return 130;  // stopped as by Ctrl-C; prints no figures
  const Trainer::Work& epoch = trainer.work();
  const double seconds = trainer.seconds(), tokens = static_cast<double>(epoch.tokens), tokens_per_s = tokens / seconds,
               useful_share = tokens / static_cast<double>(epoch.rows);
  if (arguments.json) {
    JsonLine json;
    json.add("updates", epoch.updates).add("tokens", epoch.tokens).add("seconds", seconds);
    json.add("tokens_per_s", tokens_per_s).add("useful_share", useful_share).add("peak_rss_mb", peak_rss_mb());
    std::puts(json.text().c_str());
    return 0;
  }
  fmt::print("one epoch: {}, {} source and target tokens in {:.1f} s, {:.0f} tokens/s\n",
             counted(epoch.updates, "update"), epoch.tokens, seconds, tokens_per_s);
  fmt::print("{:.1f} % of the computed rows are useful; peak memory {:.0f} MiB\n", 100 * useful_share, peak_rss_mb());
  return 0;
}

}  // namespace

void add_train(CommandTable& table) {
  const auto [command, arguments] =
      table.add<TrainArguments>({.name = "train", .help = "Time an epoch of a configuration"}, run);
  command.add_option("CONFIG", arguments.config, "YAML file; see docs/options.md")->required();
  command.add_flag("--json", arguments.json, "one JSON object");
  commands::add_force(command);
  commands::add_sets(command, arguments.sets);
}

}  // namespace glossa::bench
