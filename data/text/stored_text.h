#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/formats/zip_file.h"

namespace glossa {

// A text's path names a file, or a member of a zip archive as if the archive were a folder: `corpus.zip/corpus.en`.

/// A member of a zip archive.
struct ArchiveMember {
  std::string archive, member;
};

/// Returns the member that a path names, even if the archive lacks it. Returns nothing if no part of the path is an
/// existing archive (.zip).
std::optional<ArchiveMember> archive_member(const std::string& path);

/// Opens an archive. The most recently opened archive is kept, because its members are often opened one after another.
std::shared_ptr<const ZipFile> open_archive(const std::string& path);

/// The file on the disk that contains the text: the file at the path, or the archive in the path.
std::string file_of_text(const std::string& path);

/// True if the file or member exists.
bool text_exists(const std::string& path);

/// Returns `path` if it exists, otherwise `path` with the ending of a packed text; nothing if neither exists.
std::optional<std::string> find_text(const std::string& path);

/// Unpacked size of a text in bytes; estimated for a packed text. 0 if the text does not exist.
double text_bytes(const std::string& path);

}  // namespace glossa
