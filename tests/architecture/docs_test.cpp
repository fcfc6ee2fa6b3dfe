#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fs = std::filesystem;

namespace {

const fs::path root = GLOSSA_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string all_pages() {
  std::string pages = text_of(root / "README.md");
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") pages += text_of(entry.path());
  return pages;
}

}  // namespace

TEST_CASE("programs shown in README and docs are those that are built and run") {
  const std::string pages = all_pages();
  for (const auto& entry : fs::directory_iterator(root / "docs" / "examples")) {
    INFO(entry.path());
    CHECK_NE(pages.find("```cpp\n" + text_of(entry.path()) + "```\n"), std::string::npos);
  }
}

TEST_CASE("README links every page of docs") {
  const std::string readme = text_of(root / "README.md");
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") {
      INFO(entry.path());
      CHECK_NE(readme.find("docs/" + entry.path().filename().string()), std::string::npos);
    }
}
