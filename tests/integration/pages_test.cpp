// The pages in a browser. They show the program's numbers on a phone and on a wide screen, without browser errors and
// without requests to other hosts.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <ranges>
#include <regex>

#include "tests/integration/browser.h"
#include "tests/integration/serve_client.h"
#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
using nlohmann::json;

namespace {

/// A run that has learned the shortest sentences by heart, which takes 5 s; with sanitizers, one trained briefly.
const TinyRun& tiny() {
  static const TinyRun tiny;
  static const Outcome trained =
      tiny.train("run", {"model.width=64", "model.heads=4", "model.feed_forward=64", "model.decoder_layers=2",
                         "model.dropout=0", "data.max_length=60", "model.max_positions=60", "optim.lr=5e-3",
                         "decode.beam=4", "train.save_every=0", "runtime.threads=2", "train.validate_every=10000u",
                         program_is_sanitized() ? "train.max_updates=50" : "train.max_updates=800"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  return tiny;
}

std::string translated(const std::string& line) {
  return lines_of(succeeded(glossa_program({"translate", tiny() / "run"}, line + "\n")).out).front();
}

constexpr const char* arrow_right = "\uE014";
constexpr const char* arrow_down = "\uE015";

/// The headings and cells of the table of weights, as JSON.
const std::string columns = "[...document.querySelectorAll('thead th')].map(th => th.textContent)";
const std::string rows = "[...document.querySelectorAll('tbody th')].map(th => th.textContent)";
const std::string cells =
    "[...document.querySelectorAll('tbody tr')].map(tr => [...tr.querySelectorAll('td')].map(td => td.textContent))";

const std::string table_is_beside_choosers =
    "document.querySelector('.attention figure').getBoundingClientRect().left > "
    "document.querySelector('.attention-choosers').getBoundingClientRect().right";

std::string json_list(const std::vector<std::string>& strings) {
  return fmt::format(
      "[{}]",
      fmt::join(strings | std::views::transform([](const std::string& text) { return fmt::format("\"{}\"", text); }),
                ","));
}

std::string address(const Served& server) { return fmt::format("http://127.0.0.1:{}", server.port()); }

/// The lines of the translation that the page shows, as JSON.
const std::string shown = "[...document.getElementById('translation').children].map(line => line.textContent)";

bool shows(Browser& browser, const Strings& translations) {
  return browser.wait_for(
      fmt::format("!document.querySelector('.stale') && JSON.stringify({}) === `{}`", shown, json_list(translations)));
}

/// Checks that hold for every page in every window.
void check_sound(Browser& browser, const std::string& origin) {
  CHECK_EQ(browser.complaints(), Strings{});
  CHECK_EQ(browser.asked_elsewhere(origin), Strings{});
  CHECK_EQ(browser.run("return document.documentElement.scrollWidth <= innerWidth"), "true");
  // No text is cut off, except in tables that scroll and before an ellipsis.
  CHECK_EQ(browser.run(R"(return [...document.querySelectorAll("body *")].filter(e =>
      e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 1 && getComputedStyle(e).overflowX !== "visible" &&
      getComputedStyle(e).overflowX !== "auto" && getComputedStyle(e).textOverflow !== "ellipsis")
      .map(e => e.outerHTML.slice(0, 80)))"),
           "[]");
}

}  // namespace

TEST_CASE("glossa attention --html shows what glossa attention prints, in every window") {
  if (!Browser::is_there()) return;
  const std::string html = tiny() / "attention.html", text = "hello world\nhow are you\n";
  succeeded(glossa_program({"attention", tiny() / "run", "--html", html}, text));
  Browser browser({});
  for (const int width : {400, 1400})
    for (const bool dark : {false, true}) {
      CAPTURE(width);
      CAPTURE(dark);
      browser.show({.width = width, .height = 900, .dark = dark});
      browser.open_file(html);
      REQUIRE(browser.wait_for("document.querySelector('tbody td')"));
      CHECK_EQ(browser.run("return " + columns), R"(["hello","world","</s>"])");
      CHECK_EQ(browser.run("return " + table_is_beside_choosers), width == 1400 ? "true" : "false");
      check_sound(browser, "file://" + html);
    }
  CHECK_EQ(browser.asked(), Strings{"file://" + html});

  // The row of a word, in the mean of the layer shown first, as the command prints it:
  //     namaste           hello         91%  world          5%  </s>          4%
  const auto check_head = [&](const Strings& more) {
    Strings arguments{"attention", tiny() / "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Strings said = lines_of(succeeded(glossa_program(arguments, "hello world\n")).out);
    CHECK_EQ(browser.run("return " + rows + ".length"), std::to_string(said.size() - 1));
    for (std::size_t i = 1; i < said.size(); ++i) {
      std::istringstream words(said[i]);
      std::string query, key, weight;
      words >> query;
      CHECK_EQ(browser.text(fmt::format("{}[{}]", rows, i - 1)), query);
      while (words >> key >> weight) {
        std::string shown = browser.text(fmt::format("{0}[{1}][{2}.indexOf('{3}')]", cells, i - 1, columns, key));
        CHECK_EQ((shown == "<1" ? "0" : shown) + "%", weight);
      }
    }
  };
  check_head({});
  browser.click(".attention-heads label:nth-of-type(4)");  // the mean, then heads 0, 1, 2
  check_head({"--head", "2"});
  browser.click(".chooser:nth-of-type(2) label:nth-of-type(2)");
  check_head({"--head", "2", "--layer", "1"});

  // With the keyboard alone: from the chosen head to the mean, then into the table.
  const Strings before = {browser.run("return " + cells)};
  browser.press(arrow_right);
  CHECK_EQ(browser.run("return document.activeElement.type + document.activeElement.checked"), "\"radiotrue\"");
  browser.press("\t");  // the layer was clicked; the heads are next
  browser.press(arrow_right);
  CHECK_NE(browser.run("return " + cells), before.front());
  browser.press("\t");
  browser.press(arrow_down);
  browser.press(arrow_right);
  const std::string cell = browser.text("document.activeElement.textContent");
  CHECK_EQ(cell, browser.text(cells + "[1][1]"));
  CHECK_EQ(browser.text("document.querySelector('.attention-text').textContent"),
           browser.text(rows + "[1]") + " looks at world: " + cell + " %");

  browser.run(
      "const s = document.getElementById('sentence'); s.selectedIndex = 1; s.dispatchEvent(new Event('change'))");
  CHECK_EQ(browser.run("return " + columns), R"(["how","are","you","</s>"])");
  for (const int part : {1, 2, 3}) {
    browser.click(fmt::format(".chooser:nth-of-type(1) label:nth-of-type({})", part));
    const std::string output = translated("how are you");
    Strings words = lines_of(std::regex_replace(output, std::regex(" "), "\n"));
    if (part == 2) words.insert(words.begin(), "<s>");
    if (part == 3) words.push_back("</s>");
    CHECK_EQ(browser.run("return " + rows), part == 1 ? R"(["how","are","you","</s>"])" : json_list(words));
  }
  check_sound(browser, "file://" + html);
}

TEST_CASE("the page of attention shows any text as text") {
  if (!Browser::is_there()) return;
  const std::string html = tiny() / "hostile.html";
  const std::string line = R"(hello </script><img src=x onerror=nobody()> <!-- "'`${nobody()})";
  succeeded(glossa_program({"attention", tiny() / "run", "--html", html}, line + "\n"));
  Browser browser({.width = 400});
  browser.open_file(html);
  REQUIRE(browser.wait_for("document.querySelector('tbody td')"));
  CHECK_EQ(browser.text("document.getElementById('source').textContent"), line);
  CHECK_EQ(browser.run("return document.images.length"), "0");
  check_sound(browser, "file://" + html);
}

TEST_CASE("attention looks the same on every page") {
  if (!Browser::is_there()) return;
  const std::string html = tiny() / "attention.html", report = tiny() / "report.html";
  const std::string text = "hello world\nhow are you\n";
  succeeded(glossa_program({"attention", tiny() / "run", "--html", html}, text));
  write_bytes(tiny() / "sentences", text);
  succeeded(glossa_program({"report", tiny() / "run", "--input", tiny() / "sentences", "--out", report}));
  Browser browser({});
  const auto look = [&](const Strings& selectors) {
    REQUIRE(browser.wait_for("document.querySelector('.attention tbody td')"));
    return browser.text(json_list(selectors) + R"(.map(selector => {
        const style = getComputedStyle(document.querySelector(selector));
        return [selector, ...["margin", "padding", "border", "borderRadius", "fontSize", "fontWeight", "textAlign",
                              "color", "backgroundColor"].map(key => style[key])].join("; ");
      }).join("\n"))");
  };
  const Strings picture{"select:has(option)",        ".attention .chooser",    ".attention .chooser legend",
                        ".attention .chooser label", ".attention-heads label", ".attention figure",
                        ".attention figcaption",     ".attention-text",        ".attention table",
                        ".attention tbody th",       ".attention thead th",    ".attention tbody td"};
  const Strings sentence{"#sentence", ".attention-sentence", ".attention-pair", ".attention-pair dt", "#translation"};
  browser.open_file(html);
  const std::string picture_there = look(picture), sentence_there = look(sentence);
  browser.open_file(report);
  CHECK_EQ(look(picture), picture_there);
  CHECK_EQ(look(sentence), sentence_there);
  Served server({tiny() / "run"});
  browser.open(address(server));
  REQUIRE(browser.wait_for("document.getElementById('to').value === 'hi'"));
  browser.press("hello world");
  CHECK_EQ(look(picture), picture_there);
}

TEST_CASE("the translator translates during typing, and shows where it looked") {
  if (!Browser::is_there()) return;
  Served server({tiny() / "run"});
  const std::string url = address(server);
  Browser browser({});
  for (const int width : {400, 1400})
    for (const bool dark : {false, true}) {
      CAPTURE(width);
      CAPTURE(dark);
      browser.show({.width = width, .height = 900, .dark = dark});
      browser.open(url);
      REQUIRE(browser.wait_for("document.getElementById('to').value === 'hi'"));
      CHECK_EQ(browser.text("document.activeElement.id"), "text");
      const std::string model = browser.text("document.getElementById('model').textContent");
      CHECK(std::regex_match(model,
                             std::regex(R"(Model of [0-9.]+K parameters, trained on toy/train for [0-9,]+ updates\. )"
                                        R"(Validation with beam 4: BLEU [0-9.]+, chrF2 [0-9.]+\.)")));
      browser.press("hello world");
      CHECK(shows(browser, {translated("hello world")}));
      if (!program_is_sanitized()) CHECK_EQ(translated("hello world"), "namaste vishva");
      REQUIRE(browser.wait_for("document.querySelector('.word-lines line')"));
      CHECK_EQ(browser.run("return " + columns), R"(["hello","world","</s>"])");
      CHECK(browser.wait_for("/^translated in [0-9.]+ m?s$/.test(document.getElementById('took').textContent)"));
      CHECK_EQ(browser.run("return " + table_is_beside_choosers), width == 1400 ? "true" : "false");
      check_sound(browser, url);
    }

  // The best and three others, as the command prints them.
  const Strings best =
      lines_of(succeeded(glossa_program({"translate", tiny() / "run", "--nbest", "4"}, "hello world\n")).out);
  CHECK_EQ(browser.run("return document.querySelectorAll('#alternatives li').length"), std::to_string(best.size()));
  for (std::size_t i = 0; i < best.size(); ++i) {
    const std::string item = fmt::format("document.querySelectorAll('#alternatives li')[{}]", i);
    const std::string text = browser.text(item + ".querySelector('bdi').textContent");
    CHECK_NE(best[i].find("||| " + text + " |||"), std::string::npos);
    CHECK(browser.wait_for("/^<?[0-9]+ %$/.test(" + item + ".querySelector('small').textContent)"));
  }

  // The shown probabilities fall; the choice of part, layer and head is explained.
  CHECK_EQ(
      browser.run("const shown = [...document.querySelectorAll('#alternatives small')].map(e => parseInt(e.textContent"
                  ".replace('<1', '0'))); return shown.every((p, i) => i === 0 || p <= shown[i - 1])"),
      "true");
  CHECK(browser.text("document.querySelector('.attention-hint').textContent")
            .starts_with("Cross: each translated word looks at the source. "));

  // A word of the output, reached by the keyboard, shows the words that it looked at, and only its own lines.
  browser.run("document.querySelector('.word-lines ol:last-child button').focus()");
  browser.press(arrow_down);
  const std::string word = browser.text("document.activeElement.textContent");
  CHECK_EQ(word, browser.text(rows + "[1]"));
  CHECK(browser.text("document.querySelector('.word-lines-text').textContent").starts_with(word + " looked at: "));
  CHECK_EQ(browser.run("return document.querySelectorAll('.word-lines ol:first-child .attention-shade').length"), "3");
  CHECK_EQ(browser.run("return [...document.querySelectorAll('.word-lines line')]"
                       ".every(line => line.style.display === 'none' || line.getAttribute('y2') === '1.5')"),
           "true");
  check_sound(browser, url);
}

TEST_CASE("the translator shows the line with the caret, and each line in its place") {
  if (!Browser::is_there()) return;
  Served server({tiny() / "run"});
  const std::string url = address(server);
  Browser browser({.width = 400});
  browser.open(url);
  REQUIRE(browser.wait_for("document.getElementById('to').value === 'hi'"));
  browser.type("#text", "hello world\n\nhow are you");
  CHECK(shows(browser, {translated("hello world"), "", translated("how are you")}));
  CHECK(browser.wait_for(columns + ".join() === 'how,are,you,</s>'"));
  CHECK(browser.text("document.getElementById('seen-heading').textContent").ends_with(", line 3"));
  browser.type("#text", "\uE010\uE013\uE013");  // End, then up twice
  CHECK(browser.wait_for(columns + ".join() === 'hello,world,</s>'"));
  CHECK(browser.text("document.getElementById('seen-heading').textContent").ends_with(", line 1"));
  check_sound(browser, url);

  browser.run("document.getElementById('text').select()");
  browser.press("\uE017");  // Delete
  CHECK(shows(browser, {}));
  CHECK(browser.wait_for("document.getElementById('seen').hidden && document.getElementById('others').hidden"));
  browser.type("#text", "<img src=x onerror=nobody()> ${nobody()}");
  REQUIRE(browser.wait_for("document.querySelector('.word-lines line')"));
  CHECK_EQ(browser.run("return document.images.length"), "0");
  check_sound(browser, url);
}

TEST_CASE("the translator shows one sentence of a line, marks guesses everywhere and names unknown words") {
  if (!Browser::is_there()) return;
  Served server({tiny() / "run", "--split-sentences", "on", "--beam", "2"});
  const std::string url = address(server);
  Browser browser({.width = 400});
  browser.open(url);
  REQUIRE(browser.wait_for("document.getElementById('to').value === 'hi'"));
  browser.type("#text", "hello world .  How are zyx ?\nhow are you");
  REQUIRE(browser.wait_for("document.querySelectorAll('#translation .sentence').length === 3"));
  CHECK_EQ(browser.run("return document.querySelector('#translation [aria-current]') === "
                       "document.querySelectorAll('#translation .sentence')[2]"),
           "true");
  CHECK_NE(browser.text("document.getElementById('model').textContent").find("Validation with beam 4: "),
           std::string::npos);
  const auto heading = [&] { return browser.text("document.getElementById('seen-heading').textContent"); };
  CHECK_EQ(heading(), "Attention, line 2");
  browser.click("#translation .sentence:nth-of-type(2)");
  CHECK_EQ(heading(), "Attention, line 1, sentence 2");
  REQUIRE(browser.wait_for(columns + ".join() === '<unk>,are,<unk>,<unk>,</s>'"));
  browser.run("const t = document.getElementById('text'); t.setSelectionRange(3, 3); t.click()");
  REQUIRE(browser.wait_for(columns + "[0] === 'hello'"));
  CHECK_EQ(heading(), "Attention, line 1, sentence 1");
  CHECK_EQ(browser.text("document.getElementById('others-heading').textContent"), "Alternatives, line 1, sentence 1");
  CHECK_EQ(browser.text("document.getElementById('unknown').textContent").find("Unknown to the model: "), 0);
  CHECK_NE(browser.text("document.getElementById('unknown').textContent").find("zyx"), std::string::npos);

  // Every word below 50 % is marked, in every line and in the alternatives.
  const std::string request = R"({"q": ["hello world .  How are zyx ?", "how are you"], "source": "en",
                                  "target": "hi", "alternatives": 3, "sentences": true})";
  const json answer = json::parse(ask(server.port(), post("/translate", request)).body);
  const auto guesses = [](const json& translation) {
    const std::vector<double> probabilities = translation["probabilities"];
    std::size_t count = 0;
    for (std::size_t i = 0; i < probabilities.size(); ++i)
      count += translation["output"][i] != "</s>" && probabilities[i] < 0.5;
    return count;
  };
  std::size_t shown = 0, others = 0;
  for (const json& line : answer["sentences"])
    for (const json& sentence : line) shown += guesses(sentence["translations"][0]);
  for (const json& translation : answer["sentences"][0][0]["translations"]) others += guesses(translation);
  CHECK_GT(shown, 0);
  CHECK_GT(others, 0);
  const auto marked = [&](const char* where) {
    return browser.run(std::string("return document.querySelectorAll('") + where + " .doubt').length");
  };
  CHECK_EQ(marked("#translation"), std::to_string(shown));
  CHECK_EQ(marked("#alternatives"), std::to_string(others));
  check_sound(browser, url);
}

TEST_CASE("the attention of a long sentence fits the window: a table below the choosers, and lines that scroll") {
  if (!Browser::is_there()) return;
  Served server({tiny() / "run"});
  Browser browser({});
  browser.open(address(server));
  REQUIRE(browser.wait_for("document.getElementById('to').value === 'hi'"));
  std::string line = "hello";
  for (int i = 0; i < 50; ++i) line += " world";
  browser.type("#text", line);
  REQUIRE(browser.wait_for(columns + ".length === 52"));
  CHECK_EQ(browser.run("return " + table_is_beside_choosers), "false");
  CHECK_EQ(browser.run("const e = document.querySelector('.attention .scroll'); return e.scrollWidth <= e.clientWidth"),
           "true");
  CHECK_EQ(browser.run("const e = document.querySelector('.word-lines'); "
                       "return e.clientHeight < 500 && e.scrollHeight > 1000"),
           "true");
  check_sound(browser, address(server));
}

TEST_CASE("the translator shows the answer to the text typed last, and reports errors") {
  if (!Browser::is_there()) return;
  Served server({tiny() / "run"});
  const std::string url = address(server);
  Browser browser({.width = 400});
  browser.open(url);
  REQUIRE(browser.wait_for("document.getElementById('to').value === 'hi'"));
  // The first answer arrives last, even if its request was aborted.
  browser.run(R"(
      const answered = fetch, held = [];
      window.fetch = async (path, options) => {
        const answer = await answered(path, {...options, signal: undefined});
        if (path === "translate" && !window.first) {
          window.first = new Promise(go => { window.letGo = go; });
          await window.first;
        }
        return answer;
      };)");
  browser.type("#text", "hello");
  REQUIRE(browser.wait_for("window.first"));
  browser.type("#text", " world");
  CHECK(shows(browser, {translated("hello world")}));
  browser.run("window.letGo()");
  browser.run("return new Promise(done => setTimeout(done, 200))");
  CHECK(shows(browser, {translated("hello world")}));
  check_sound(browser, url);

  // Too long to be read at once: translated in pieces, each with its own attention.
  browser.open(url);
  REQUIRE(browser.wait_for("document.getElementById('to').value === 'hi'"));
  std::string line = "hello";
  for (int i = 0; i < 600; ++i) line += " world";
  browser.run("const t = document.getElementById('text'); t.value = '" + line +
              "'; t.dispatchEvent(new Event('input'))");
  REQUIRE(browser.wait_for("document.querySelectorAll('#translation .sentence').length > 2", 60));
  CHECK(shows(browser, {translated(line)}));
  CHECK(browser.wait_for("document.querySelector('#picture').checkVisibility()"));

  // The server refuses maps that are too large.
  browser.run(R"(
      window.fetch = async () => new Response('{"error": "expected a shorter sentence"}', {status: 413});
      document.querySelectorAll("#translation .sentence")[1].click())");
  REQUIRE(browser.wait_for("document.getElementById('blind').textContent"));
  CHECK_EQ(browser.run("return document.querySelector('#picture').checkVisibility()"), "false");
  CHECK_EQ(browser.text("document.getElementById('blind').textContent"),
           "Not shown for this text: expected a shorter sentence");
  browser.open(url);
  REQUIRE(browser.wait_for("document.getElementById('to').value === 'hi'"));

  server.program().signal(SIGKILL);
  server.program().wait();
  browser.type("#text", " hello");
  REQUIRE(browser.wait_for("document.getElementById('error').textContent"));
  CHECK(browser.text("document.getElementById('error').textContent").starts_with("The server does not answer"));
  CHECK_EQ(browser.asked_elsewhere(url), Strings{});
}

TEST_CASE("words that the model guessed are marked") {
  if (!Browser::is_there()) return;
  const std::string html = tiny() / "doubts.html";
  succeeded(glossa_program({"attention", tiny() / "run", "--html", html}, "hello world\n"));
  Browser browser({});
  browser.open_file(html);
  REQUIRE(browser.wait_for("document.querySelector('tbody td')"));
  // Pieces of a word multiply; a text with other spaces has no marks.
  browser.run(R"(const show = text => {
        const p = document.body.appendChild(document.createElement("p"));
        const said = glossaDoubts(p, text, {output: ["\u2581ein", "\u2581Ha", "us", ".", "</s>"],
                                            probabilities: [0.9, 0.7, 0.7, 0.9, 0.1]});
        return [p.innerHTML, said !== ""];
      };
      window.shown = [show("ein Haus."), show("ein  Haus.")];)");
  CHECK_EQ(browser.run("return window.shown"),
           R"([["ein <span class=\"doubt\" title=\"44 %\">Haus.</span>",true],["ein  Haus.",false]])");
  CHECK_EQ(browser.text("glossaPieces.hint(['\u2581a', 'b', '\u2581'])"), "\u00b7 continues a word, \u2423 is a space");
}
