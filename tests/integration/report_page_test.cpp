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
    // Help takes no room until it is asked for.
    CHECK_EQ(
        browser.run("return [...document.querySelectorAll('#options .help')].some(help => help.checkVisibility())"),
        "false");
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

namespace {

/// Opens a page and waits until its script has filled it.
void open_report(Browser& browser, const std::filesystem::path& page, int width) {
  browser.show({.width = width, .height = 900});
  browser.open_file(page);
  REQUIRE(browser.wait_for("document.querySelectorAll('#logs details').length"));
}

/// The label of the vertical axis of a plot.
std::string vertical_axis(Browser& browser, const std::string& curve) {
  return browser.text("document.querySelector('[data-curve=" + curve + "] .label').textContent");
}

}  // namespace

TEST_CASE("a report shows the spread of runs that differ in train.seed only, in one color") {
  if (!Browser::is_there()) return;
  const TinyRun tiny;
  const auto train = [&](const char* run, const char* option) {
    succeeded(tiny.train(run, {"train.validate_every=10u", "decode.max_tokens=64", option}));
  };
  train("a", "train.seed=1");
  train("alone", "optim.lr=1e-2");
  train("b", "train.seed=2");
  const Outcome outcome =
      succeeded(glossa_program({"report", tiny / "a", tiny / "alone", tiny / "b", "--out", tiny / "seeds.html"}));
  const Strings lines = lines_of(outcome.out);
  REQUIRE_EQ(lines.size(), 4);
  CHECK(lines[3].ends_with("  a, b"));
  Browser browser({});
  open_report(browser, tiny / "seeds.html", 1400);
  const json shown = json::parse(browser.run(R"(
    const looks = ["a validation", "alone validation", "b validation"].map((name) =>
      [...document.querySelectorAll("[data-curve=loss] path.line")].find((path) => path.dataset.series.startsWith(name)));
    return [looks.map((path) => [path.getAttribute("class"), path.getAttribute("stroke-dasharray")]),
            [...document.querySelectorAll("table.groups tbody tr")].map((row) => [...row.cells].map((cell) => cell.innerText))];)"));
  const json &looks = shown[0], &rows = shown[1];
  CHECK_EQ(looks[0][0], looks[2][0]);
  CHECK_NE(looks[0][0], looks[1][0]);
  CHECK_NE(looks[0][1], looks[2][1]);
  REQUIRE_EQ(rows.size(), 1);
  CHECK_NE(rows[0][0].get<std::string>().find("a, b"), std::string::npos);
  CHECK_EQ(rows[0][1], "2");
  for (std::size_t i = 2; i < rows[0].size(); ++i)
    CHECK_NE(rows[0][i].get<std::string>().find(" ± "), std::string::npos);
  CHECK_EQ(browser.complaints(), Strings{});
}

TEST_CASE("a report shows once, and not as a problem, that sentences have no attention") {
  if (!Browser::is_there()) return;
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  write_bytes(tiny / "sentences", "\n\n\n");
  succeeded(glossa_program({"report", tiny / "run", "--input", tiny / "sentences"}));
  Browser browser({});
  open_report(browser, tiny / "run/report.html", 400);
  CHECK_EQ(browser.run("return document.querySelector('#problems').hidden"), "true");
  CHECK_EQ(browser.text("document.querySelector('#attention-missing').textContent"),
           "No attention is shown for sentences 1, 2 and 3: the sentence is empty.");
  CHECK_EQ(browser.run("return document.body.innerText.match(/o attention is shown/g).length"), "1");
  CHECK_EQ(browser.run(R"(const color = (id) => getComputedStyle(document.getElementById(id)).color;
                          return color("attention-missing") === color("written"))"),
           "true");
  CHECK_EQ(browser.complaints(), Strings{});
}

TEST_CASE("a report in a narrow window has wide bars and all scores in sight, and an arrow at the end of a cut table") {
  if (!Browser::is_there()) return;
  const TinyRun tiny;
  write_report(tiny);
  Browser browser({});
  const std::string frame = "document.querySelector('#runs .wide')", scroll = frame + ".querySelector('.scroll')";
  const auto arrow = [&] { return browser.text("getComputedStyle(" + frame + ", '::after').content"); };
  open_report(browser, tiny / "report.html", 1400);
  CHECK_EQ(arrow(), "none");
  CHECK_EQ(browser.run("return " + scroll + ".tabIndex"), "-1");
  open_report(browser, tiny / "report.html", 400);
  CHECK_EQ(browser.run("return [...document.querySelectorAll('.track')].every((track) => track.clientWidth > 300)"),
           "true");
  CHECK_EQ(browser.run(R"(return [...document.querySelectorAll("#runs td")].filter((cell) =>
      cell.getBoundingClientRect().right <= innerWidth &&
      getComputedStyle(cell, "::before").content === JSON.stringify(cell.dataset.column)).length)"),
           "18");  // nine values of each run
  open_report(browser, tiny / "report.html", 800);
  REQUIRE(browser.wait_for(frame + ".matches('.more-after')"));
  CHECK_EQ(arrow(), "\"\u203a\"");
  CHECK_EQ(browser.run("return " + scroll + ".tabIndex"), "0");
  // At its end there is no arrow, and the names have not moved.
  browser.run(scroll + ".scrollLeft = 10000");
  REQUIRE(browser.wait_for(frame + ".matches('.more-before:not(.more-after)')"));
  CHECK_EQ(arrow(), "none");
  CHECK_EQ(browser.run("return " + frame + ".querySelector('tbody th').getBoundingClientRect().left === " + frame +
                       ".getBoundingClientRect().left"),
           "true");
  CHECK_EQ(browser.run(scroll + ".scrollLeft = 0; " +
                       R"(return [...document.querySelectorAll("#runs tbody tr")].every((row) =>
      row.querySelector(".name").getBoundingClientRect().right <= row.cells[1].getBoundingClientRect().left))"),
           "true");
  // The options of two runs fit beside the defaults. Every cut table has an arrow.
  open_report(browser, tiny / "report.html", 400);
  CHECK_EQ(browser.run(R"(return [...document.querySelectorAll("#options > .wide > .scroll")]
      .map((e) => e.scrollWidth <= e.clientWidth + 1))"),
           "[true,true]");
  CHECK_EQ(browser.run(R"(return [...document.querySelectorAll(".scroll")].filter((e) =>
      e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && !e.parentElement.matches(".more-before, .more-after")).length)"),
           "0");
}

TEST_CASE("long words and names do not widen a report") {
  if (!Browser::is_there()) return;
  const TinyRun tiny;
  const std::string longest(200, 'w');
  const std::string run = tiny / longest;
  succeeded(tiny.train(longest, {"train.validate_every=10u"}));
  write_bytes(tiny / "sentences", longest + "\n");
  write_bytes(run + "/samples/update-00000010.txt",
              "source     " + longest + "\nreference  " + longest + "\noutput     " + longest + "\n\n");
  succeeded(glossa_program({"report", run, "--input", tiny / "sentences"}));
  Browser browser({});
  open_report(browser, run + "/report.html", 400);
  CHECK_EQ(browser.run("return document.documentElement.scrollWidth"), "400");
}

TEST_CASE("lines whose sizes differ much share a logarithmic axis; a line of one point is seen") {
  if (!Browser::is_there()) return;
  const TinyRun tiny;
  const Strings once{"train.max_updates=2", "train.log_every=2u"};
  for (const char* lr : {"1e-3", "5e-3", "1e-1"}) {
    Strings sets = once;
    sets.push_back(std::string("optim.lr=") + lr);
    succeeded(tiny.train(lr, sets));
  }
  Browser browser({});
  const auto show = [&](const Strings& runs) {
    Strings arguments{"report"};
    for (const std::string& run : runs) arguments.push_back(tiny / run);
    arguments.insert(arguments.end(), {"--out", tiny / "report.html"});
    succeeded(glossa_program(arguments));
    open_report(browser, tiny / "report.html", 1400);
  };
  show({"1e-3", "5e-3"});
  CHECK_EQ(vertical_axis(browser, "lr"), "learning rate");
  show({"1e-3", "1e-1"});
  CHECK_EQ(vertical_axis(browser, "lr"), "learning rate (logarithmic)");
  CHECK_EQ(browser.run(R"(const circles = [...document.querySelectorAll("[data-curve=lr] circle.dot")];
      return circles.length === 2 && Math.abs(circles[0].cy.baseVal.value - circles[1].cy.baseVal.value) > 50)"),
           "true");
  // Ticks of updates are whole numbers.
  CHECK_EQ(browser.run(R"(return [...document.querySelectorAll("[data-curve=lr] .tick")]
      .map((tick) => tick.textContent).filter((text) => text.includes("."))
      .filter((text) => [0.5, 1.5].includes(Number(text))))"),
           "[]");
}

TEST_CASE(
    "a plot's numbers are those measured at each place, and a histogram's bins have their lengths in the middle") {
  if (!Browser::is_there()) return;
  const TinyRun tiny;
  succeeded(tiny.train("two", {"train.max_updates=8", "train.log_every=2u", "train.decode_validation=false"}));
  succeeded(tiny.train("three", {"train.max_updates=9", "train.log_every=3u", "train.decode_validation=false"}));
  succeeded(glossa_program({"report", tiny / "two", tiny / "three", "--out", tiny / "report.html"}));
  Browser browser({});
  open_report(browser, tiny / "report.html", 1400);
  const auto open_numbers = [&](const std::string& curve) {
    browser.run("document.querySelector('[data-curve=" + curve + "] details').open = true");
    REQUIRE(browser.wait_for("document.querySelector('[data-curve=" + curve + "] tbody tr')"));
  };
  const json report =
      json::parse(browser.run("return JSON.parse(document.querySelector('#glossa-report').textContent)"));
  open_numbers("lr");
  CHECK_EQ(browser.run(R"(return [...document.querySelectorAll("[data-curve=lr] tbody tr")]
      .map((row) => [...row.cells].map((cell, i) => i === 0 ? cell.textContent : cell.textContent !== "").join()))"),
           R"(["2,true,false","3,false,true","4,true,false","6,true,true","8,true,false","9,false,true"])");
  // The value of another place has that place.
  browser.run("document.querySelector('[data-curve=lr] .frame').focus()");
  browser.press(home);
  const std::string first =
      browser.text("document.querySelector('[data-curve=lr] .frame').getAttribute('aria-valuetext')");
  CHECK(first.starts_with("update 2, two "));
  CHECK(first.ends_with(" (update 3)"));

  const json& source = report["corpora"][0]["source"];
  REQUIRE_EQ(report["corpora"][0]["bin"], 1);
  open_numbers("lengths");
  CHECK_EQ(browser
               .run(R"(return [...document.querySelectorAll("[data-curve=lengths] tbody tr")]
      .map((row) => Number(row.cells[1].textContent.replace(",", ""))))")
               .substr(0, source["counts"].dump().size() - 1),
           source["counts"].dump().substr(0, source["counts"].dump().size() - 1));
  CHECK_EQ(browser.text("document.querySelector('[data-curve=lengths] tbody th').textContent"), "1");
  // The first level has the place of 1 on the axis in its middle.
  CHECK_EQ(browser.run(R"(const figure = document.querySelector("[data-curve=lengths]");
      const [left, right] = figure.querySelector("path.line").getAttribute("d").match(/^M([\d.]+) [\d.]+H([\d.]+)/).slice(1);
      const [a, b] = [...figure.querySelectorAll("text.tick[text-anchor=middle]")]
          .map((tick) => ({ value: Number(tick.textContent), x: tick.x.baseVal[0].value }));
      const one = a.x + (1 - a.value) * (b.x - a.x) / (b.value - a.value);
      return Math.abs((Number(left) + Number(right)) / 2 - one) < 1)"),
           "true");
}

TEST_CASE("the pages have one format of numbers and one of pieces") {
  if (!Browser::is_there()) return;
  const TinyRun tiny;
  succeeded(tiny.train("run", {"data.tokenizer=sentencepiece", "data.vocab_size=300", "train.validate_every=10u",
                               "decode.max_tokens=20"}));
  const std::string metrics = tiny / "run/metrics.jsonl", end = "\"text\":\"";
  std::string text = read_bytes(metrics);
  const std::size_t at = text.rfind(end) + end.size();
  write_bytes(metrics, text.substr(0, at) +
                           "train.max_updates 1258u reached; 1258 updates, as of 2026-01-31 in a/1234/b" +
                           text.substr(text.find('"', at)));
  succeeded(glossa_program({"report", tiny / "run"}));
  Browser browser({});
  open_report(browser, tiny / "run/report.html", 400);
  CHECK_EQ(browser.text("document.querySelector('#runs p').textContent"),
           "run: train.max_updates 1258u reached; 1,258 updates, as of 2026-01-31 in a/1234/b");
  CHECK_EQ(browser.text("document.querySelector('#runs p code').textContent"), "train.max_updates 1258u");
  // The table has the epochs of the log's last line.
  const std::size_t comma = text.rfind(" epochs, "), before = text.rfind(' ', comma - 1) + 1;
  CHECK_EQ(browser.text("document.querySelector('#runs [data-column=epochs]').textContent"),
           text.substr(before, comma - before));
  CHECK_EQ(browser.run("return glossaScale.message('1258 of 12345678 at 1258.5, 3.1415, 12:3456 and (1258)')"),
           "\"1,258 of 1.23\u00b710\u2077 at 1258.5, 3.1415, 12:3456 and (1,258)\"");

  // A piece within a word has a dot in both lists, and no list has the sign of a space.
  const auto labels = [&](const std::string& selector) {
    return browser.text("[...document.querySelectorAll('" + selector + "')].map((e) => e.textContent).join(' ')");
  };
  const std::string frequent = labels("#corpora .tokens span"), seen = labels("#attention th");
  for (const std::string& list : {frequent, seen, labels("#corpora")}) {
    CHECK_NE(list.find("\u00b7"), std::string::npos);
    CHECK_EQ(list.find("\u2581"), std::string::npos);
  }
  CHECK_NE(labels("#corpora").find("(\u00b7 continues a word)"), std::string::npos);
}
