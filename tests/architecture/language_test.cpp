// Telltale patterns of prose that has to be read twice; CONTRIBUTING.md has the rules.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path project = GLOSSA_SOURCE_DIR;

/// The part of a line that is prose: a comment of a source, or a line of a page.
std::string prose_of(const std::string& line, bool is_page) {
  if (is_page) return line;
  const std::size_t comment = line.find("//");
  return comment == line.npos || line.find("://") == comment - 1 ? "" : line.substr(comment);
}

/// All lines of comments and pages that match `pattern`.
std::vector<std::string> matches(const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  const auto search = [&](const fs::path& path) {
    const bool is_page = path.extension() == ".md";
    if (!is_page && path.extension() != ".h" && path.extension() != ".cpp") return;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(prose_of(line, is_page), regex)) found.push_back(path.string() + ": " + line);
  };
  for (const char* folder : {"app", "train", "data", "layers", "optim", "autograd", "tests", "docs"})
    for (const auto& entry : fs::recursive_directory_iterator(project / folder))
      if (entry.path().filename() != "language_test.cpp") search(entry.path());
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) search(project / page);
  return found;
}

struct Telltale {
  const char* pattern;
  std::size_t limit;  // lines that match today: it may only fall
};

}  // namespace

TEST_CASE("prose has few patterns that have to be read twice, and ever fewer") {
  const Telltale telltales[] = {
      {R"(\b[Ww]ho(ever)? (can|wants|has|asks|reads|goes|does|is)\b)", 1},
      {R"(^///? (What|Who|Where|Whether) )", 12},
      {R"(\bso many\b)", 8},
      {R"(\b(told|tells)\b)", 9},
      {R"(, too\b)", 7},
      {R"(\bthere is none\b)", 0},
      {R"(\bgoes on\b)", 2},
      {R"(\bgiven on\b)", 0},
  };
  for (const Telltale& telltale : telltales) {
    const std::vector<std::string> found = matches(telltale.pattern);
    std::string lines;
    for (const std::string& line : found) lines += line + "\n";
    INFO(telltale.pattern, " matches ", found.size(), " lines:\n", lines);
    CHECK_LE(found.size(), telltale.limit);
  }
}
