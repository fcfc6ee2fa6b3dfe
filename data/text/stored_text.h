#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/formats/zip_file.h"

namespace glossa {

// A text's path names a file, or a member of a zip archive as if the archive was a folder: `corpus.zip/corpus.en`.

/// A member of a zip archive.
struct ArchiveMember {
  std::string archive, member;
};

/// Returns the member that a path names; none if no part of the path is an existing archive (.zip). The archive may
/// lack the member.
std::optional<ArchiveMember> archive_member(const std::string& path);

/// Opens an archive. The one opened last is kept, because the members of one are often opened one after another.
std::shared_ptr<const ZipFile> open_archive(const std::string& path);

/// The file on the disk that has the text: the path, or the archive in it.
std::string file_of_text(const std::string& path);

/// True if the file or member is there.
bool text_exists(const std::string& path);

/// Returns `path` if it is there, else `path` with the ending of a packed text; none if neither is there.
std::optional<std::string> find_text(const std::string& path);

/// Bytes of the text, unpacked; estimated for a packed one. 0 if it is not there.
double text_bytes(const std::string& path);

}  // namespace glossa
