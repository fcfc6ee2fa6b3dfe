// The page of a report, in a browser.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/integration/browser.h"
#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
using nlohmann::json;

namespace {

const std::string right = "\uE014", home = "\uE011";  // WebDriver's codes for keys

/// Writes the page of two runs: one stopped and resumed, one with a damaged line of metrics.
void write_report(const TinyRun& tiny) {
  const Strings sets{"train.validate_every=5u", "train.log_every=1u", "decode.max_tokens=64"};
  Strings longer = sets;
  longer.emplace_back("train.max_updates=30");
  succeeded(tiny.train("run", sets));
  succeeded(tiny.resume("run", longer));
  succeeded(tiny.train("other", {"train.validate_every=5u", "train.decode_validation=false", "optim.lr=1e-2"}));
  write_bytes(tiny / "other/metrics.jsonl", read_bytes(tiny / "other/metrics.jsonl") + "</script><b>\n");
  succeeded(glossa_program({"report", tiny / "run", tiny / "other", "--out", tiny / "report.html"}));
}

/// The names of the lines drawn in each training plot, without single points.
std::map<std::string, std::set<std::string>> drawn(Browser& browser) {
  const json plots = json::parse(browser.run(R"(
    return [...document.querySelectorAll("#plots figure")].map((figure) => [figure.dataset.curve,
      [...figure.querySelectorAll("path.line")].filter((path) => path.getTotalLength() > 1)
        .map((path) => path.dataset.series)]);)"));
  std::map<std::string, std::set<std::string>> lines;
  for (const json& plot : plots)
    for (const json& name : plot[1]) lines[plot[0]].insert(name.get<std::string>());
  return lines;
}

/// Texts in plots that overlap or leave their plot.
std::string badly_placed(Browser& browser) {
  return browser.run(R"(
    const bad = [], boxOf = (element) => element.getBoundingClientRect();
    for (const svg of document.querySelectorAll("figure svg")) {
      const outer = boxOf(svg), texts = [...svg.querySelectorAll("text")].map((text) => [text.textContent, boxOf(text)]);
      texts.forEach(([text, a], i) => {
        if (a.left < outer.left - 1 || a.right > outer.right + 1 || a.bottom > outer.bottom + 1) bad.push(text);
        for (const [other, b] of texts.slice(i + 1))
          if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2) bad.push(`${text} on ${other}`);
      });
    }
    return bad;)");
}

}  // namespace

TEST_CASE("a report in a browser shows every curve, fits the window and gives values by keyboard, without complaints") {
  if (!Browser::is_there()) return;
  const TinyRun tiny;
  write_report(tiny);
  Browser browser({.width = 1400, .height = 900});
  for (const int width : {1400, 400}) {
    CAPTURE(width);
    browser.show({.width = width, .height = 900, .dark = width == 400});
    browser.open_file(tiny / "report.html");
    REQUIRE(browser.wait_for("document.querySelectorAll('#plots path.line').length"));
    CHECK_EQ(browser.run("return innerWidth"), std::to_string(width));
    CHECK_EQ(browser.run("return document.documentElement.scrollWidth"), std::to_string(width));
    CHECK_EQ(badly_placed(browser), "[]");
    auto lines = drawn(browser);
    CHECK_EQ(lines["loss"],
             std::set<std::string>{"run training", "run validation", "other training", "other validation"});
    for (const char* curve : {"valid_perplexity", "lr", "grad_norm", "tokens_per_s"})
      CHECK_EQ(lines[curve], std::set<std::string>{"run", "other"});
    for (const char* curve : {"valid_chrf"}) CHECK_EQ(lines[curve], std::set<std::string>{"run"});
    CHECK_EQ(browser.run("return document.querySelectorAll('[data-curve=loss] .mark.resume').length"), "1");
    CHECK_EQ(browser.run("return document.querySelectorAll('#corpora figure path.line').length"), "4");
    CHECK_EQ(browser.text("document.querySelector('#problems').innerText.includes('other') ? 'found' : ''"), "found");
    CHECK_NE(browser.run("return document.querySelectorAll('#samples article').length"), "0");
    CHECK_NE(browser.run("return document.querySelectorAll('#attention-picture td').length"), "0");
    CHECK_EQ(browser.complaints(), Strings{});
    CHECK_EQ(browser.asked_elsewhere("file://"), Strings{});
  }
  // Keys move through the first points of a plot, which show the document's numbers.
  const auto value = [&] {
    return browser.text(
        "document.querySelector('[data-curve=valid_perplexity] .frame').getAttribute('aria-valuetext')");
  };
  const json report =
      json::parse(browser.run("return JSON.parse(document.querySelector('#glossa-report').textContent)"));
  const json& validation = report["runs"][0]["validation"];
  browser.run("document.querySelector('[data-curve=valid_perplexity] .frame').focus()");
  browser.press(home);
  CHECK_EQ(value().substr(0, 14), "update 5, run ");
  browser.press(right);
  CHECK_EQ(value().substr(0, 15), "update 10, run ");
  const double shown = std::stod(value().substr(15));
  CHECK_EQ(shown, doctest::Approx(validation["valid_perplexity"][1].get<double>()).epsilon(1e-3));
  // Over time, and with one run hidden.
  browser.click("input[value=time]");
  browser.press(home);
  REQUIRE(browser.wait_for("document.querySelector('[data-curve=loss] .label:last-of-type')"));
  CHECK_NE(browser.text("document.querySelector('[data-curve=loss] svg').textContent").find("seconds of training"),
           std::string::npos);
  for (int i = 0; i < 20 && browser.wait_for("document.querySelector('.legend input').checked", 0.2); ++i)
    browser.click(".legend input");                                 // a click may miss a moving element
  for (int i = 0; i < 100 && drawn(browser)["lr"].size() > 1; ++i)  // redrawn with the next frame
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_EQ(drawn(browser)["lr"], std::set<std::string>{"other"});
  browser.run("document.querySelector('[data-curve=lr] details').open = true");
  CHECK(browser.wait_for("document.querySelectorAll('[data-curve=lr] tbody tr').length > 1"));
  CHECK_EQ(browser.complaints(), Strings{});
}
