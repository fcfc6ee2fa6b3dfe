#include "data/corpora/corpus_places.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/atomic_file.h"
#include "base/check.h"
#include "data/found_corpora.h"
#include "data/parallel_corpus.h"
#include "data/text/stored_text.h"
#include "data/text/text_file.h"

namespace glossa {
namespace {

namespace fs = std::filesystem;

fs::path record_of(const fs::path& run) { return run / "origin.txt"; }

fs::path current_folder() {
  std::error_code deleted;
  return fs::current_path(deleted);
}

/// Returns the absolute, normalized path without a trailing slash. The file need not exist.
fs::path from_root(const fs::path& path) {
  const fs::path normal = (current_folder() / path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool is_several(const std::string& name, const DataConfig& languages) {
  return names_several(name, languages.source, languages.target);
}

bool has_corpus(const std::string& name, const DataConfig& languages) {
  if (is_several(name, languages)) return has_several(name, languages.source, languages.target);
  if (is_one_file(name)) return find_text(name).has_value();
  return find_text(name + "." + languages.source) || find_text(name + "." + languages.target);
}

}  // namespace

std::string CorpusPlaces::record(const fs::path& run) {
  std::error_code none;
  return fs::is_regular_file(record_of(run), none) ? read_file(record_of(run)) : "";
}

CorpusPlaces::CorpusPlaces(const fs::path& run, const std::string& record) : run_(from_root(run)) {
  if (record.empty()) return;
  std::istringstream lines(record);
  std::string working_folder, run_folder;
  std::getline(lines, working_folder);
  std::getline(lines, run_folder);
  if (!fs::path(working_folder).is_absolute() || !fs::path(run_folder).is_absolute())
    fail(
        record_of(run).string(),
        "expected two lines, the paths of the folder in which training began and of the run; got others. Hint: correct "
        "or remove the file");
  working_folder_ = working_folder;
  run_folder_ = run_folder;
}

fs::path CorpusPlaces::beside_run(const fs::path& then) const {
  return from_root(run_ / then.lexically_relative(run_folder_));
}

std::vector<fs::path> CorpusPlaces::candidates(const fs::path& name) const {
  std::vector<fs::path> all;
  const auto add = [&](const fs::path& path) {
    if (std::ranges::find(all, path) == all.end()) all.push_back(path);
  };
  if (is_recorded()) {
    const fs::path then = (working_folder_ / name).lexically_normal();
    add(then);
    add(beside_run(then));
  }
  add(from_root(name));
  return all;
}

std::string CorpusPlaces::find(const std::string& name, const DataConfig& languages) const {
  if (run_.empty()) return name;
  std::vector<std::string> paths;
  for (const fs::path& path : candidates(name)) {
    if (has_corpus(path.string(), languages)) return path == from_root(name) ? name : path.string();
    const bool is_whole = is_one_file(name) || is_several(path.string(), languages);
    paths.push_back(is_whole ? path.string() : path.string() + "." + languages.source);
  }
  if (paths.size() == 1) return name;  // the reader reports a missing corpus
  fail(name, "cannot find the run's corpus: looked for {}. Hint: move it to one of these places",
       fmt::join(paths, ", "));
}

fs::path CorpusPlaces::working_folder() const {
  std::error_code none;
  if (!is_recorded()) return current_folder();
  const fs::path moved = beside_run(working_folder_);
  return !fs::is_directory(working_folder_, none) && fs::is_directory(moved, none) ? moved : working_folder_;
}

void record_origin(const fs::path& run, const fs::path& working_folder) {
  const std::string text = from_root(working_folder).string() + "\n" + from_root(run).string() + "\n";
  // A deleted working folder, or a folder with a line feed in its name, cannot be recorded.
  if (text.starts_with('/') && std::ranges::count(text, '\n') == 2) write_file_atomically(record_of(run), text);
}

}  // namespace glossa
