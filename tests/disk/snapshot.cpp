#include "tests/disk/snapshot.h"

#include <unistd.h>

#include <ranges>
#include <unordered_set>

#include "tests/support/temporary_folder.h"

namespace glossa::disk {

namespace fs = std::filesystem;

const std::string* kept(const std::string& text) {
  static std::unordered_set<std::string> texts;
  return &*texts.insert(text).first;
}

fs::path fast_folder() {
  const char* const memory = "/dev/shm";
  return access(memory, W_OK | X_OK) == 0 ? memory : fs::temp_directory_path();
}

Snapshot snapshot_of(const fs::path& folder) {
  Snapshot snapshot;
  for (const auto& at : fs::recursive_directory_iterator(folder)) {
    Entry entry;
    if (at.is_symlink())
      entry = {Entry::Kind::link, kept(fs::read_symlink(at.path()))};
    else if (at.is_regular_file())
      entry = {Entry::Kind::file, kept(testing::read_bytes(at.path()))};
    snapshot[at.path().lexically_relative(folder)] = entry;
  }
  return snapshot;
}

void lay_out(const fs::path& folder, const Snapshot& before, const Snapshot& snapshot) {
  const auto has = [](const Snapshot& one, const auto& entry) {
    const auto found = one.find(entry.first);
    return found != one.end() && found->second == entry.second;
  };
  for (const auto& entry : before | std::views::reverse)
    if (!has(snapshot, entry)) fs::remove(folder / entry.first);
  for (const auto& entry : snapshot) {
    if (has(before, entry)) continue;
    const fs::path path = folder / entry.first;
    if (entry.second.kind == Entry::Kind::folder) fs::create_directory(path);
    if (entry.second.kind == Entry::Kind::file) testing::write_bytes(path, *entry.second.text);
    if (entry.second.kind == Entry::Kind::link) fs::create_symlink(*entry.second.text, path);
  }
}

}  // namespace glossa::disk
