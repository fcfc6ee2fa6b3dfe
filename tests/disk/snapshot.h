#pragma once

#include <compare>
#include <filesystem>
#include <map>
#include <string>

namespace glossa::disk {

/// A file, link or folder in a Snapshot.
struct Entry {
  enum class Kind { folder, file, link };
  Kind kind = Kind::folder;
  const std::string* text = nullptr;  ///< a file's bytes or a link's target; equal texts are shared (kept())

  auto operator<=>(const Entry&) const = default;
};

/// All entries below a folder, keyed by relative path, so a folder comes before its contents.
using Snapshot = std::map<std::string, Entry>;

/// Returns the only copy of a text, which is kept until the program ends. Saves memory, as snapshots share most texts.
const std::string* kept(const std::string& text);

/// A place for test folders, in memory if possible, because thousands of folders are made and removed.
std::filesystem::path fast_folder();

/// Reads all entries below a folder.
Snapshot snapshot_of(const std::filesystem::path& folder);

/// Changes the contents of `folder`, which are now `before`, to `snapshot`.
void lay_out(const std::filesystem::path& folder, const Snapshot& before, const Snapshot& snapshot);

}  // namespace glossa::disk
