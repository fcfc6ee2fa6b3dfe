#include "data/found_corpora.h"

#include <fmt/ranges.h>
#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/folder.h"
#include "data/parallel_corpus.h"
#include "data/text/stored_text.h"
#include "data/text/unpacker.h"

namespace glossa {
namespace {

namespace fs = std::filesystem;

bool is_archive(const std::string& name) {
  std::error_code none;
  return name.ends_with(".zip") && fs::is_regular_file(name, none);
}

bool is_folder(const std::string& name) {
  std::error_code none;
  return fs::is_directory(name, none);
}

/// Treatment of folders that cannot be read: as an error, or like empty folders.
enum class Unreadable { refused, skipped };

/// Adds the paths that match a pattern. If the folder in the pattern exists, its name is taken literally, even if it
/// contains wildcards.
void add_matches(const fs::path& pattern, Unreadable unreadable, std::set<std::string>& paths) {
  const fs::path folder = pattern.parent_path();
  std::error_code failure;
  if (folder.empty() || is_folder(folder)) {
    for (const std::string& name : names_in(folder, failure))
      if (::fnmatch(pattern.filename().c_str(), name.c_str(), FNM_PERIOD) == 0) paths.insert(folder / name);
  } else {
    const auto is_fatal = [](const char*, int error) { return static_cast<int>(error != ENOENT && error != ENOTDIR); };
    glob_t found{};
    const int code =
        ::glob(pattern.c_str(), GLOB_NOSORT, unreadable == Unreadable::refused ? +is_fatal : nullptr, &found);
    if (code == 0) paths.insert(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (code != 0 && code != GLOB_NOMATCH) failure = std::make_error_code(std::errc::permission_denied);
  }
  check(!failure || unreadable == Unreadable::skipped, pattern.string(),
        "cannot read a folder of this pattern: {}. Hint: check its permissions", failure.message());
}

/// Paths that match the pattern, alone or followed by one of these endings, packed or not.
std::set<std::string> matches(const std::string& pattern, const std::vector<std::string>& endings,
                              Unreadable unreadable) {
  std::set<std::string> paths;
  add_matches(pattern, unreadable, paths);
  for (const std::string& ending : endings) {
    add_matches(pattern + ending, unreadable, paths);
    for (const std::string_view packed : packed_endings)
      add_matches(pattern + ending + std::string(packed), unreadable, paths);
  }
  return paths;
}

/// True for an archive's members that are not files, are hidden, or describe files for the Finder of macOS.
bool is_hidden(const std::string& member) {
  const std::string name = fs::path(member).filename();
  return name.empty() || name.starts_with('.') || member.starts_with("__MACOSX/");
}

std::vector<std::string> endings_of(const std::string& source, const std::string& target) {
  return {"." + source, "." + target};
}

/// Assigns files to corpora.
class Sorter {
 public:
  explicit Sorter(std::vector<std::string> endings) : endings_(std::move(endings)) {}

  void add_folder(const std::string& folder) {
    std::error_code failure;
    const std::vector<std::string> names = names_in(folder, failure);
    check(!failure, folder, "cannot read the folder: {}. Hint: check its permissions", failure.message());
    for (const std::string& name : names) {
      const fs::path path = fs::path(folder) / name;
      if (name.starts_with('.')) continue;
      if (is_folder(path))
        ignored_.insert(path);
      else
        add_file(path);
    }
  }

  void add_archive(const std::string& archive) {
    const auto file = open_archive(archive);
    for (const auto& member : file->entries())
      if (!is_hidden(member.first)) add_text(archive + "/" + member.first);
  }

  void add_pattern(const std::string& pattern) {
    for (const std::string& path : matches(pattern, endings_, Unreadable::refused))
      if (is_folder(path))
        add_folder(path);
      else
        add_file(path);
  }

  FoundCorpora found() const { return {{names_.begin(), names_.end()}, {ignored_.begin(), ignored_.end()}}; }

 private:
  void add_file(const std::string& path) {
    if (is_archive(path))
      add_archive(path);
    else
      add_text(path);
  }

  void add_text(const std::string& path) {
    const std::string name(unpacked_name(path));
    if (is_one_file(name)) return add(name, name, path);
    for (const std::string& ending : endings_)
      if (name.ends_with(ending)) return add(name.substr(0, name.size() - ending.size()), name, path);
    ignored_.insert(path);
  }

  /// Adds a corpus that contains the text at `path`.
  void add(const std::string& corpus, const std::string& text, const std::string& path) {
    const auto [first, is_new] = texts_.emplace(text, archive_member(path) ? path : find_text(text).value_or(path));
    if (!is_new || first->second != path)
      fail(text, "expected one file of this text; got {} and {}. Hint: remove one of them", first->second, path);
    names_.insert(corpus);
  }

  std::vector<std::string> endings_;  // endings that denote the languages
  std::set<std::string> names_, ignored_;
  std::map<std::string, std::string> texts_;  // paths by name, without the ending of a packed text
};

}  // namespace

bool names_several(const std::string& name, const std::string& source_language, const std::string& target_language) {
  for (const std::string& ending : endings_of(source_language, target_language))
    if (const auto side = find_text(name + ending); side && !is_folder(*side)) return false;
  if (is_folder(name) || is_archive(name)) return true;
  return name.find_first_of("*?[") != name.npos && !find_text(name);
}

bool has_several(const std::string& name, const std::string& source_language, const std::string& target_language) {
  return text_exists(name) || !matches(name, endings_of(source_language, target_language), Unreadable::skipped).empty();
}

FoundCorpora find_corpora(const std::string& name, const std::string& source_language,
                          const std::string& target_language) {
  Sorter sorter(endings_of(source_language, target_language));
  if (is_folder(name))
    sorter.add_folder(name);
  else if (is_archive(name))
    sorter.add_archive(name);
  else
    sorter.add_pattern(name);
  FoundCorpora found = sorter.found();
  if (!found.names.empty()) return found;
  constexpr std::size_t most = 5;
  std::vector<std::string> some = found.ignored;
  if (some.size() > most) {
    some.resize(most);
    some.push_back("...");
  }
  fail(name, "expected corpora of {} and {}; got {}. Hint: the names of files end in .{} and .{}, .tsv or .tmx",
       source_language, target_language,
       some.empty() ? "no file" : fmt::format("only files such as {}", fmt::join(some, ", ")), source_language,
       target_language);
}

}  // namespace glossa
