#pragma once

#include <compare>
#include <filesystem>
#include <map>
#include <string>

namespace glossa::disk {

/// What a folder holds, below a path.
struct Entry {
  enum class Kind { folder, file, link };
  Kind kind = Kind::folder;
  const std::string* text = nullptr;  ///< a file's bytes, what a link says; equal texts are one (see kept)

  auto operator<=>(const Entry&) const = default;
};

/// All entries below a folder by their paths relative to it; a folder comes before what is in it.
using Picture = std::map<std::string, Entry>;

/// The one copy of a text, for as long as the program runs: pictures share most of theirs.
const std::string* kept(const std::string& text);

/// Where folders for tests are made: in memory where there is room for files, because thousands are made and removed.
std::filesystem::path fast_folder();

/// What is on the disk.
Picture picture_of(const std::filesystem::path& folder);

/// Makes what is below `folder`, where `before` lies now, into `picture`.
void lay_out(const std::filesystem::path& folder, const Picture& before, const Picture& picture);

}  // namespace glossa::disk
