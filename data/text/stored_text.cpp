#include "data/text/stored_text.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>
#include <mutex>
#include <string_view>

#include "base/check.h"
#include "data/text/unpacker.h"

namespace glossa {
namespace {

namespace fs = std::filesystem;

/// Size of a member's content in bytes. Returns nothing if the member is missing or the archive is damaged. The text's
/// reader reports these errors.
std::optional<std::uint64_t> member_bytes(const ArchiveMember& place) {
  try {
    const auto archive = open_archive(place.archive);
    if (const auto found = archive->entries().find(place.member); found != archive->entries().end())
      return found->second.size;
  } catch (const Error&) {
  }
  return {};
}

std::optional<std::uint64_t> stored_bytes(const std::string& path) {
  if (const auto place = archive_member(path)) return member_bytes(*place);
  std::error_code none;
  const auto size = fs::file_size(path, none);
  return none ? std::nullopt : std::optional<std::uint64_t>(size);
}

}  // namespace

std::optional<ArchiveMember> archive_member(const std::string& path) {
  constexpr std::string_view ending = ".zip";
  for (std::size_t at = 0; (at = path.find(".zip/", at)) != path.npos; at += ending.size()) {
    const std::string archive = path.substr(0, at + ending.size());
    std::error_code none;
    if (fs::is_regular_file(archive, none)) return ArchiveMember{archive, path.substr(archive.size() + 1)};
  }
  return {};
}

std::shared_ptr<const ZipFile> open_archive(const std::string& path) {
  static std::mutex mutex;
  static std::string last_identity;
  static std::shared_ptr<const ZipFile> last;
  struct stat s {};
  const bool is_there = ::stat(path.c_str(), &s) == 0;
  const std::string identity = fmt::format("{} {} {} {}.{} {}.{}", path, s.st_ino, s.st_size, s.st_mtim.tv_sec,
                                           s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
  const std::lock_guard lock(mutex);
  if (!is_there || identity != last_identity || !last) {
    last = nullptr;
    last = std::make_shared<const ZipFile>(path, ZipFile::any_growth);
    last_identity = identity;
  }
  return last;
}

std::string file_of_text(const std::string& path) {
  const auto place = archive_member(path);
  return place ? place->archive : path;
}

bool text_exists(const std::string& path) {
  std::error_code none;
  return archive_member(path) ? stored_bytes(path).has_value() : fs::exists(path, none);
}

std::optional<std::string> find_text(const std::string& path) {
  if (text_exists(path)) return path;
  for (const std::string_view ending : packed_endings)
    if (std::string packed = path + std::string(ending); text_exists(packed)) return packed;
  return {};
}

double text_bytes(const std::string& path) {
  constexpr double unpacked = 3;
  return static_cast<double>(stored_bytes(path).value_or(0)) * (is_packed(path) ? unpacked : 1);
}

}  // namespace glossa
