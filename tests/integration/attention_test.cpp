// `glossa attention`, and the alignments of translate.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;

namespace {

struct AttendingRun {
  AttendingRun() {
    succeeded(tiny.train("run", {"train.max_updates=150", "model.width=32", "optim.lr=5e-3", "model.dropout=0"}));
  }

  Outcome run(const char* command, const Strings& more, const std::string& input = {}) const {
    Strings arguments{command, tiny / "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return glossa_program(arguments, input);
  }

  TinyRun tiny;
};

}  // namespace

TEST_CASE("attention is shown for every readable line, as text, JSON and a page") {
  const AttendingRun fixture;
  const std::string text = "hello world\n\nhow are you\n";
  const std::string translated = succeeded(fixture.run("translate", {}, "hello world\nhow are you\n")).out;
  const Outcome json = fixture.run("attention", {"--json"}, text);
  CHECK_EQ(json.status, 1);
  CHECK_NE(json.err.find("standard input:2"), json.err.npos);
  const Strings lines = lines_of(json.out);
  REQUIRE_EQ(lines.size(), 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const nlohmann::json maps = nlohmann::json::parse(lines[i]);
    CHECK_EQ(maps.at("line"), i == 0 ? 1 : 3);
    CHECK_EQ(maps.at("translation"), lines_of(translated)[i]);
    const auto layers = maps.at("cross").get<std::vector<std::vector<std::vector<std::vector<float>>>>>();
    REQUIRE_FALSE(layers.empty());
    for (const auto& layer : layers)
      for (const auto& head : layer) {
        REQUIRE_EQ(head.size(), maps.at("output").size());
        for (const auto& row : head) {
          REQUIRE_EQ(row.size(), maps.at("source").size());
          double sum = 0;
          for (const float weight : row) sum += double{weight};
          CHECK_EQ(sum, doctest::Approx(1).epsilon(1e-5));
        }
      }
  }
  const Outcome printed = fixture.run("attention", {}, text);
  CHECK_EQ(printed.status, 1);
  CHECK(printed.out.starts_with("1: hello world  ->  " + lines_of(translated)[0] + "\n"));
  CHECK_NE(printed.out.find("%"), printed.out.npos);

  const Outcome split = succeeded(fixture.run("attention", {}, "how are you\nhello world \uFF01how are you\n"));
  CHECK_NE(split.out.find("\n2.1: hello world \uFF01  ->  "), split.out.npos);
  CHECK_NE(split.out.find("\n2.2: how are you  ->  " + lines_of(translated)[1] + "\n"), split.out.npos);
  CHECK_NE(split.err.find("[standard input:2] has 2 sentences"), split.err.npos);
  const Outcome parts = succeeded(fixture.run("attention", {"--json"}, "hello \uFF01how are you\n"));
  REQUIRE_EQ(lines_of(parts.out).size(), 2);
  const nlohmann::json second = nlohmann::json::parse(lines_of(parts.out)[1]);
  CHECK_EQ(second.at("line"), 1);
  CHECK_EQ(second.at("sentence"), 2);
  CHECK_EQ(second.at("text"), "how are you");

  const std::string page = fixture.tiny / "page.html";
  const Outcome drawn = fixture.run("attention", {"--html", page}, text);
  CHECK_EQ(drawn.status, 1);
  CHECK_NE(drawn.err.find("standard input:2"), drawn.err.npos);
  const std::string html = read_bytes(page), start = "id=\"glossa-attention\">";
  const std::size_t from = html.find(start) + start.size();
  const nlohmann::json shown = nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
  REQUIRE_EQ(shown.size(), 2);
  for (std::size_t i = 0; i < 2; ++i) CHECK_EQ(shown[i], nlohmann::json::parse(lines[i]));
}

TEST_CASE("attention refuses options, files and lines that it cannot show") {
  const AttendingRun fixture;
  check_refused(fixture.run("attention", {"--layer", "7"}, "hello\n"), 2, {"[--layer]", "got 7"});
  check_refused(fixture.run("attention", {"--head", "-1"}, "hello\n"), 2, {"[--head]", "got -1"});
  check_refused(fixture.run("attention", {"--head", "0", "--json"}, "hello\n"), 2, {"[--head]"});
  check_refused(fixture.run("attention", {"--html", fixture.tiny / "nowhere/page.html"}, "hello\n"), 1, {"nowhere"});
  std::string many;
  for (int i = 0; i < 201; ++i) many += "hello\n";
  check_error(fixture.run("attention", {"--html", fixture.tiny / "page.html"}, many), 2, {"[--html]", "200"});
  CHECK_FALSE(std::filesystem::exists(fixture.tiny / "page.html"));
  std::string longest;
  for (int i = 0; i < 3000; ++i) longest += "hello ";
  CHECK_NE(fixture.run("attention", {}, longest + "\n").err.find("model.max_positions"), std::string::npos);
}

TEST_CASE("alignments are added to translations in every format") {
  const AttendingRun fixture;
  const std::string text = "hello world\n\nhow are you\n";
  const Strings plain = lines_of(succeeded(fixture.run("translate", {}, text)).out);
  const Strings aligned = lines_of(succeeded(fixture.run("translate", {"--alignment"}, text)).out);
  REQUIRE_EQ(aligned.size(), 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(aligned[i].starts_with(plain[i] + " ||| "));
  CHECK_EQ(aligned[1], " ||| ");
  CHECK_NE(aligned[0].find("-0"), std::string::npos);
  const Strings moses = lines_of(succeeded(fixture.run("translate", {"--alignment", "--nbest", "2"}, text)).out);
  REQUIRE_EQ(moses.size(), 5);
  for (const std::string& line : moses) CHECK(line.find(" ||| ", line.rfind("||| ") - 1) != line.npos);
  const std::string json = succeeded(fixture.run("translate", {"--alignment", "--format", "json"}, text)).out;
  const auto first = nlohmann::json::parse(lines_of(json).front()).at("translations").at(0);
  std::string pairs;
  for (const auto& pair : first.at("alignment"))
    pairs += (pairs.empty() ? "" : " ") + pair[0].dump() + "-" + pair[1].dump();
  CHECK_EQ(aligned[0], plain[0] + " ||| " + pairs);
  check_refused(fixture.run("translate", {"--alignment", "--alignment-layer", "9"}, "hello\n"), 2,
                {"[--alignment-layer]", "got 9"});
  check_refused(fixture.run("translate", {"--alignment-layer", "0"}, "hello\n"), 2, {"[--alignment-layer]"});
}
