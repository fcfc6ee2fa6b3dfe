#include "train/checkpoint/checkpoint_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/counted.h"
#include "base/folder.h"
#include "config/options.h"
#include "train/checkpoint/int8_file.h"

namespace glossa {
namespace {

namespace fs = std::filesystem;

std::string file_name(std::uint64_t update) { return fmt::format("update-{:08}.ckpt", update); }

/// Returns the update in a name such as update-00000037.ckpt; empty for other names.
std::optional<std::uint64_t> update_of(std::string_view name) {
  constexpr std::string_view prefix = "update-";
  if (!name.starts_with(prefix)) return std::nullopt;
  std::uint64_t update = 0;
  const auto [end, code] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), update);
  return code == std::errc{} && file_name(update) == name ? std::optional(update) : std::nullopt;
}

/// Returns the file names in a folder; none if it does not exist.
std::vector<std::string> file_names(const fs::path& folder) {
  std::error_code code;
  std::vector<std::string> names = names_in(folder, code);
  check(!code || code == std::errc::no_such_file_or_directory, folder.string(), "cannot read the folder: {}",
        code.message());
  return names;
}

/// Returns the updates that have a file, newest first.
std::vector<std::uint64_t> updates_in(const fs::path& folder) {
  std::vector<std::uint64_t> updates;
  for (const auto& name : file_names(folder)) {
    if (const auto update = update_of(name)) updates.push_back(*update);
  }
  std::ranges::sort(updates, std::greater{});
  return updates;
}

/// Removes leftover temporary files. Their writers have ended, because the caller holds the run's lock.
void remove_temporary_files(const fs::path& folder) {
  for (const auto& name : file_names(folder)) {
    std::error_code ignored;
    if (is_temporary_name(name)) fs::remove(folder / name, ignored);
  }
}

/// Throws an error because no checkpoint can be used. `refused` has the reasons, newest checkpoint first.
[[noreturn]] void fail_for_all(const fs::path& folder, const std::vector<Error>& refused) {
  std::vector<std::string> reasons;
  for (const Error& error : refused)
    reasons.push_back(
        fmt::format("{} ({})", fs::path(error.parts().where).filename().string(), error.parts().message()));
  if (refused.size() == 1)
    fail(folder.string(),
         "cannot read the only checkpoint, {}. Hint: restore the file from a copy, or move it away to start afresh",
         reasons.front());
  fail(folder.string(),
       "cannot read any of the {} checkpoints: {}. Hint: restore one from a copy, or move them away to start afresh",
       refused.size(), fmt::join(reasons, ", "));
}

/// Throws if a checkpoint's state has another update than its file name, as after renaming a copy.
void check_is_of(std::uint64_t update, const CheckpointReader& reader) {
  const auto saved = static_cast<std::uint64_t>(read_training_state(reader).update);
  check(saved == update, reader.path().string(), "expected the checkpoint of update {}; got that of update {}", update,
        saved);
}

}  // namespace

CheckpointFolder::CheckpointFolder(const fs::path& run, std::size_t keep)
    : lock_(run), folder_(run / "checkpoints"), keep_(keep) {
  check(keep >= 2, folder_.string(), "expected to keep at least 2 checkpoints; got {}", keep);
  if (is_in_int8(run))
    misuse(run.string(),
           "expected the folder of a run that can be trained; got one that glossa quantize made. Hint: choose another "
           "--run, or {}",
           hint_at_origin(run));
  create_folder(folder_);
  for (const fs::path& folder : {run, folder_, run / "samples"}) remove_temporary_files(folder);
  // A writer may have been killed before its checkpoint was durable. It must be durable before any link leads to it.
  sync_folder(folder_);
}

std::size_t CheckpointFolder::count() const { return updates_in(folder_).size(); }

std::optional<FoundCheckpoint> CheckpointFolder::newest_valid() {
  auto found = newest_valid_checkpoint(folder_.parent_path());
  if (!found) return found;
  for (const std::uint64_t update : updates_in(folder_)) {
    if (update > found->update) refused_.insert(update);
  }
  return found;
}

fs::path CheckpointFolder::save(std::uint64_t update, const CheckpointWriter& writer, bool is_best) {
  check_in_place();
  const fs::path path = folder_ / file_name(update);
  writer.write(path);
  refused_.erase(update);
  point_links(update, is_best ? std::optional(update) : std::nullopt);
  prune(update);
  return path;
}

void CheckpointFolder::point_links(std::uint64_t update, std::optional<std::uint64_t> best) const {
  replace_link(folder_ / "last", file_name(update));
  if (best) replace_link(folder_ / "best", file_name(*best));
}

void CheckpointFolder::forget_best() const {
  std::error_code ignored;
  if (fs::remove(folder_ / "best", ignored)) sync_folder(folder_);
}

bool CheckpointFolder::has(std::uint64_t update) const { return fs::exists(folder_ / file_name(update)); }

void CheckpointFolder::prune(std::uint64_t newest) const {
  std::error_code ignored;
  const fs::path best = fs::read_symlink(folder_ / "best", ignored);
  std::size_t kept = 0;
  for (const std::uint64_t update : updates_in(folder_)) {
    if (update > newest || refused_.contains(update) || kept++ < keep_ || best == file_name(update)) continue;
    fs::remove(folder_ / file_name(update), ignored);
  }
}

std::optional<FoundCheckpoint> newest_valid_checkpoint(const fs::path& run) {
  const fs::path folder = run / "checkpoints";
  std::vector<Error> refused;
  for (const std::uint64_t update : updates_in(folder)) {
    try {
      CheckpointReader reader(folder / file_name(update));
      if (has_training_state(reader)) check_is_of(update, reader);
      return FoundCheckpoint{update, std::move(reader), std::move(refused)};
    } catch (const Error& error) {
      refused.emplace_back(error.kind(), error.parts().with_hint(""));
    }
  }
  if (!refused.empty()) fail_for_all(folder, refused);
  return std::nullopt;
}

std::vector<fs::path> newest_checkpoints(const fs::path& run, std::size_t count) {
  std::vector<fs::path> newest;
  for (const std::uint64_t update : updates_in(run / "checkpoints"))
    if (newest.size() < count) newest.push_back(run / "checkpoints" / file_name(update));
  return newest;
}

std::vector<fs::path> chosen_checkpoints(const fs::path& run, const std::string& choice) {
  constexpr std::string_view average = "average:";
  const fs::path folder = run / "checkpoints";
  if (choice.empty() || choice == "best" || choice == "last") {
    for (const char* link : {"best", "last"})
      if (std::error_code ignored; (choice.empty() || choice == link) && fs::exists(folder / link, ignored))
        return {folder / link};
    fail(folder.string(), "expected a checkpoint '{}'; not found. Hint: {}", choice.empty() ? "best' or 'last" : choice,
         has_trainer(run) ? "the run is training; train.save_every decides when it writes its first checkpoint"
                          : "train the run first");
  }
  const std::vector<std::uint64_t> updates = updates_in(folder);
  const bool is_average = choice.starts_with(average);
  const auto number = parse_whole(std::string_view(choice).substr(is_average ? average.size() : 0));
  if (!number || *number < (is_average ? 1 : 0))
    misuse("--checkpoint", "expected best, last, an update or average:N such as average:5; got '{}'", choice);
  const auto wanted = static_cast<std::uint64_t>(*number);
  if (is_average) {
    check(wanted <= updates.size(), folder.string(),
          "expected {} to average; got {}. Hint: train.keep_checkpoints sets how many are kept",
          counted(wanted, "checkpoint"), updates.size());
    return newest_checkpoints(run, wanted);
  }
  check(std::ranges::find(updates, wanted) != updates.end(), folder.string(),
        "expected a checkpoint of update {}; got those of {}. Hint: train.keep_checkpoints sets how many are kept",
        wanted, updates.empty() ? "none" : fmt::format("{}", fmt::join(updates, ", ")));
  return {folder / file_name(wanted)};
}

std::optional<std::uint64_t> linked_update(const fs::path& run, const char* link) {
  std::error_code ignored;
  return update_of(fs::read_symlink(run / "checkpoints" / link, ignored).string());
}

}  // namespace glossa
