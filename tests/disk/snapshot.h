#pragma once

#include <compare>
#include <filesystem>
#include <map>
#include <string>

namespace glossa::disk {

/// An entry of a folder, below a path.
struct Entry {
  enum class Kind { folder, file, link };
  Kind kind = Kind::folder;
  const std::string* text = nullptr;  ///< a file's bytes, a link's target; equal texts are shared (see kept)

  auto operator<=>(const Entry&) const = default;
};

/// All entries below a folder by relative path; a folder comes before its contents.
using Snapshot = std::map<std::string, Entry>;

/// The only copy of a text, kept until the program ends: snapshots share most texts.
const std::string* kept(const std::string& text);

/// A place for test folders: in memory if it has room for files, because thousands are made and removed.
std::filesystem::path fast_folder();

/// The contents of the disk.
Snapshot snapshot_of(const std::filesystem::path& folder);

/// Turns the contents of `folder`, now `before`, into `snapshot`.
void lay_out(const std::filesystem::path& folder, const Snapshot& before, const Snapshot& snapshot);

}  // namespace glossa::disk
