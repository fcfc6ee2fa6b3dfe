#include "train/stray_checkpoint.h"

#include <algorithm>
#include <limits>
#include <ranges>

#include "base/check.h"
#include "base/folder.h"
#include "data/text/shell_word.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/run.h"

namespace glossa {
namespace {

namespace fs = std::filesystem;

/// Returns the newest checkpoint of the run for which `belongs` is true; empty if none.
fs::path newest_of_run(const std::string& run, const std::function<bool(const TrainingState&)>& belongs) {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  for (const fs::path& file : newest_checkpoints(run, all)) try {
      if (belongs(read_training_state(CheckpointReader(file)))) return file;
    } catch (const Error&) {  // the checkpoint is damaged or of another version
    }
  return {};
}

/// Finds a run in the parent folder of `run` that has a checkpoint with the same data, vocabulary and options as
/// `state`. Ignores options that may change. Returns an empty path if no run matches.
fs::path run_beside(const std::string& run, const TrainingState& state) {
  const auto is_alike = [&](const TrainingState& other) {
    if (other.vocabulary_hash != state.vocabulary_hash || other.data_hash != state.data_hash) return false;
    return std::ranges::all_of(
        differences(parse_config(other.config, run), parse_config(state.config, run)),
        [](const OptionDifference& option) { return may_change_on_resume(option.key) || is_of_use(option.key); });
  };
  const fs::path folder = absolute_folder(run).parent_path();
  for (const std::string& name : names_in(folder) | std::views::reverse) {
    const fs::path other = folder / name;
    std::error_code none;
    if (!fs::is_regular_file(config_file(other), none) || fs::equivalent(other, run, none)) continue;
    try {
      if (!newest_of_run(other, is_alike).empty()) return (fs::path(run) / ".." / name).lexically_normal();
    } catch (const Error&) {  // the folder cannot be read
    }
  }
  return {};
}

}  // namespace

void check_is_not_stray(const std::string& run, const fs::path& checkpoint, const TrainingState& state,
                        const std::function<bool(const TrainingState&)>& belongs) {
  if (belongs(state)) return;
  const fs::path own = newest_of_run(run, belongs);
  if (own.empty()) return;
  const fs::path file = checkpoint.parent_path() / fs::canonical(checkpoint).filename();  // not a link to it
  const fs::path other = run_beside(run, state);
  fail(file.string(),
       "expected a checkpoint of the run {}; got one of {}. Hint: move it away with {}; the newest checkpoint of this "
       "run is {}",
       run, other.empty() ? "another run" : other.string(), shell_command({"mv", file, unused_path(file.filename())}),
       own.filename().string());
}

}  // namespace glossa
