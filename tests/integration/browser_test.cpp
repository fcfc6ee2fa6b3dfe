// The tests' own browser: it reports a page correctly and forgets it when it loads the next.
#include "tests/integration/browser.h"

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.h"

using namespace glossa::testing;
using Strings = std::vector<std::string>;

namespace {

constexpr const char* page = R"(<!doctype html><html lang="en"><title>Page</title>
<label>In <input></label><button>Go</button><p></p>
<script>
document.querySelector("button").onclick = () => setTimeout(() => {
  document.querySelector("p").textContent = document.querySelector("input").value;
}, 50);
</script></html>)";

}  // namespace

TEST_CASE("a page is typed into, clicked and read, in a window of the given size") {
  if (!Browser::is_there()) return;
  const TemporaryFolder folder;
  folder.write("page.html", page);
  Browser browser({.width = 400, .height = 600, .dark = true});
  browser.open_file(folder / "page.html");
  CHECK_EQ(browser.run("return innerWidth"), "400");
  CHECK_EQ(browser.run("return matchMedia('(prefers-color-scheme: dark)').matches"), "true");
  browser.type("input", "नमस्ते <b>");
  browser.click("button");
  REQUIRE(browser.wait_for("document.querySelector('p').textContent"));
  CHECK_EQ(browser.text("document.querySelector('p').textContent"), "नमस्ते <b>");
  CHECK_FALSE(browser.wait_for("document.querySelector('nothing')", 0.1));
  CHECK_THROWS_AS(browser.click("nothing"), std::runtime_error);
  CHECK_THROWS_AS(browser.run("throw Error('so')"), std::runtime_error);
  browser.screenshot(folder / "page.png");
  CHECK(read_bytes(folder / "page.png").starts_with("\x89PNG\r\n"));
  CHECK_EQ(browser.complaints(), Strings{});
  CHECK_EQ(browser.asked(), Strings{"file://" + (folder / "page.html").string()});
}

TEST_CASE("a page's complaints and requests are recorded, and forgotten with the next page") {
  if (!Browser::is_there()) return;
  const TemporaryFolder folder;
  folder.write("page.html", page);
  folder.write("bad.html",
               R"(<!doctype html><img src="http://elsewhere.example/x.png" alt=""><script>nobody()</script>)");
  Browser browser({.width = 1400, .height = 900});
  browser.open_file(folder / "bad.html");
  REQUIRE(browser.wait_for("performance.getEntriesByType('resource').length"));
  CHECK_EQ(browser.asked_elsewhere("file://"), Strings{"http://elsewhere.example/x.png"});
  const Strings complaints = browser.complaints();
  CHECK_EQ(complaints.size(), 2);
  const auto mentions = [&](const char* part) {
    return std::any_of(complaints.begin(), complaints.end(),
                       [&](const std::string& text) { return text.find(part) != text.npos; });
  };
  CHECK(mentions("nobody is not defined"));
  CHECK(mentions("x.png"));
  browser.open_file(folder / "page.html");
  CHECK_EQ(browser.complaints(), Strings{});
  CHECK_EQ(browser.asked_elsewhere("file://"), Strings{});
}
