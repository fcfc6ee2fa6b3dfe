#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "autograd/kernels/attention.h"
#include "tests/support/top_folders.h"

namespace fs = std::filesystem;

namespace {

const fs::path tree = GLOSSA_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string all_pages() {
  std::string pages = text_of(tree / "README.md");
  for (const char* folder : {"docs", "docs/tutorial"})
    for (const auto& entry : fs::directory_iterator(tree / folder))
      if (entry.path().extension() == ".md") pages += text_of(entry.path());
  return pages;
}

}  // namespace

TEST_CASE("programs shown in README and docs are those that are built and run") {
  const std::string pages = all_pages();
  for (const char* folder : {"docs/examples", "docs/tutorial"})
    for (const auto& entry : fs::directory_iterator(tree / folder)) {
      if (entry.path().extension() != ".cpp") continue;  // programs in other languages are not built
      INFO(entry.path());
      const std::string program = text_of(entry.path());
      CHECK_NE(pages.find("```cpp\n" + program + "```\n"), std::string::npos);
      CHECK(std::regex_search(program, std::regex("\nint main\\(.*\\) try \\{\n")));  // an Error must not abort it
    }
}

TEST_CASE("the short pieces of docs/cpp.md are those that tests compile and run") {
  const auto without_indentation = [](const std::string& text) {
    return std::regex_replace(text, std::regex("\n +"), "\n");
  };
  const std::string page = text_of(tree / "docs" / "cpp.md");
  const std::string test = without_indentation(text_of(tree / "tests/optim/cpp_page_test.cpp") +
                                               text_of(tree / "tests/exchange/import_run_test.cpp"));
  const std::string opening = "```cpp\n";
  int pieces = 0;
  for (std::size_t at = 0; (at = page.find(opening, at)) != page.npos;) {
    at += opening.size();
    const std::string piece = page.substr(at, page.find("```", at) - at);
    if (piece.find("int main(") != piece.npos) continue;  // a program
    INFO(piece);
    CHECK_NE(test.find("\n" + without_indentation(piece)), std::string::npos);
    ++pieces;
  }
  CHECK_GE(pieces, 3);
}

TEST_CASE("docs/attention.md shows the reference, at most 40 lines, and the thresholds of its paths") {
  const std::string page = text_of(tree / "docs" / "attention.md");
  const std::string reference = text_of(tree / "autograd" / "cases" / "attention_reference.h");
  const auto shown = page.find("```cpp\n" + reference + "```\n");
  CHECK_LT(shown, page.find("\n## "));  // before anything else
  CHECK_LE(std::count(reference.begin(), reference.end(), '\n'), 40);
  for (const std::string& threshold : {"Tq < " + std::to_string(glossa::kernels::few_queries) + " (`few_queries`)",
                                       "Tq Tk ≤ " + std::to_string(glossa::kernels::max_kept_weights) + ", "}) {
    INFO(threshold);
    CHECK_NE(page.find(threshold), std::string::npos);
  }
}

TEST_CASE("README is a first screen and links the index, which links every page of docs and of the tutorial") {
  const std::string readme = text_of(tree / "README.md"), pages = text_of(tree / "docs/README.md");
  CHECK_LE(std::count(readme.begin(), readme.end(), '\n'), 120);
  const auto check_links = [](const fs::path& folder, const std::string& index, const std::string& prefix) {
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".md" && entry.path().filename() != "README.md") {
        INFO(entry.path());
        CHECK_NE(index.find("(" + prefix + entry.path().filename().string()), std::string::npos);
      }
  };
  CHECK_NE(readme.find("(docs/README.md)"), std::string::npos);
  check_links(tree / "docs", pages, "");
  check_links(tree / "docs/tutorial", pages, "tutorial/");
  CHECK_NE(pages.find("(tutorial/README.md)"), std::string::npos);
  check_links(tree / "docs/tutorial", text_of(tree / "docs/tutorial/README.md"), "");
}

TEST_CASE("names that docs/articles.md links to occur in their files") {
  const std::string page = text_of(tree / "docs" / "articles.md");
  const std::regex link(R"(\[`([^`]+)`\]\(\.\./([^)]+)\))");
  int links = 0;
  for (auto match = std::sregex_iterator(page.begin(), page.end(), link); match != std::sregex_iterator(); ++match) {
    const std::string name = (*match)[1], file = (*match)[2];
    INFO(name, " in ", file);
    CHECK_NE((file + "\n" + text_of(tree / file)).find(name), std::string::npos);
    CHECK(fs::exists(tree / file));
    ++links;
  }
  CHECK_GT(links, 50);
}

TEST_CASE("functions, classes and files that the pages for contributors name exist") {
  std::set<std::string> names{"manylinux_2_34"};  // a format of wheels
  const auto add_names_in = [&](const auto& files) {
    for (const fs::directory_entry& file : files) {
      if (!file.is_regular_file() || file.path().extension() == ".md") continue;
      names.insert(file.path().filename().string());
      std::string word;
      for (const char c : text_of(file.path()) + "\n")
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
          word += c;
        else
          names.insert(std::exchange(word, ""));
    }
  };
  add_names_in(fs::directory_iterator(tree));
  for (const std::string& folder : glossa::testing::top_folders())
    if (folder != "docs") add_names_in(fs::recursive_directory_iterator(tree / folder));
  const std::regex code("`([^`\n]+)`"), name(R"((?:\w+::)*(\w+)(?:\(\))?)"),
      file(R"((?:[\w.]+/)*(\w+\.(?:cpp|h|py|cmake)))");
  int found = 0;
  for (const char* page : {"docs/architecture.md", "docs/proof.md", "CONTRIBUTING.md"}) {
    const std::string text = text_of(tree / page);
    for (auto match = std::sregex_iterator(text.begin(), text.end(), code); match != std::sregex_iterator(); ++match) {
      std::smatch part;
      const std::string quoted = (*match)[1];
      if (!std::regex_match(quoted, part, name) && !std::regex_match(quoted, part, file)) continue;
      if (std::regex_search(quoted, std::regex("NAME|FAMILY"))) continue;  // stands for any
      INFO(quoted, " in ", page);
      CHECK(names.contains(part[1]));
      ++found;
    }
  }
  CHECK_GT(found, 300);
}

TEST_CASE("options that docs/articles.md names are in the article's recipe, with their values") {
  const std::regex heading("## Article (\\d):.*"), option(R"(`(?:\w+\.)?(\w+)(: [^`]+)?`)");
  std::istringstream page(text_of(tree / "docs" / "articles.md"));
  std::string recipe;
  int options = 0;
  for (std::string line; std::getline(page, line);) {
    std::smatch article;
    if (std::regex_match(line, article, heading))
      recipe = text_of(tree / "recipes" / ("article-" + article[1].str() + ".yaml"));
    if (recipe.empty() || !line.starts_with("| ")) continue;
    const std::string cell = line.substr(line.rfind('|', line.size() - 2));  // the last one
    for (auto match = std::sregex_iterator(cell.begin(), cell.end(), option); match != std::sregex_iterator();
         ++match) {
      INFO(match->str(), " in ", line);
      const std::string name = (*match)[1], value = (*match)[2];
      CHECK(std::regex_search(recipe, std::regex("\n *" + name + (value.empty() ? ":" : value + " *(#.*)?\n"))));
      ++options;
    }
  }
  CHECK_GT(options, 30);
}

TEST_CASE("the newest version of the changelog is the one that is built") {
  const std::string cmake = text_of(tree / "CMakeLists.txt"), changelog = text_of(tree / "CHANGELOG.md");
  std::smatch built, newest;
  REQUIRE(std::regex_search(cmake, built, std::regex(R"(project\(glossa VERSION (\d+\.\d+\.\d+) )")));
  REQUIRE(std::regex_search(changelog, newest, std::regex(R"(\n## \[(\d+\.\d+\.\d+)\] - 20\d\d-\d\d-\d\d\n)")));
  CHECK_EQ(built[1].str(), newest[1].str());
}
