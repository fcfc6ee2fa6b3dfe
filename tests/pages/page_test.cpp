#include "pages/page.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/check.h"
#include "pages/files.h"

namespace {

TEST_CASE("the program embeds every file of pages/ unchanged") {
  namespace fs = std::filesystem;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(GLOSSA_SOURCE_DIR) / "pages")) {
    const std::string extension = entry.path().extension();
    if (extension != ".html" && extension != ".css" && extension != ".js") continue;
    ++files;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto same = [&](const glossa::PageFile& file) {
      return file.name == entry.path().filename().string() && file.text == text.str();
    };
    INFO(entry.path().string());
    CHECK(std::any_of(glossa::page_files.begin(), glossa::page_files.end(), same));
  }
  CHECK_EQ(files, glossa::page_files.size());
}

TEST_CASE("a page needs no other files, and no text in its data ends the script around it") {
  for (const glossa::PageFile& file : glossa::page_files) {
    if (!file.name.ends_with(".html")) continue;
    INFO(std::string(file.name));
    const std::string html = glossa::page(file.name, "data", R"({"text":"</script><!-- <b>"})");
    CHECK_NE(
        html.find(R"(<script type="application/json" id="data">{"text":"\u003c/script>\u003c!-- \u003cb>"}</script>)"),
        html.npos);
    for (const char* outside : {"<link ", "src=\"", "http://", "https://", "url("})
      CHECK_EQ(html.find(outside), html.npos);
  }
  CHECK_THROWS_AS(glossa::page("nowhere.html"), glossa::Error);
}

}  // namespace
