// The chapters of docs/tutorial: their programs print what the pages show.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "tests/integration/documents.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const fs::path chapters = fs::path(GLOSSA_SOURCE_DIR) / "docs/tutorial";

struct Chapter {
  const char* name;
  double tolerance;  ///< of its numbers, for other processors
};

/// Chapters that train in float print different digits on each kind of processor, and may stop at different updates.
constexpr Chapter in_order[] = {{"1_tape", 0},       {"2_attention", 0},   {"3_layer", 0}, {"4_loss", 0},
                                {"5_training", 0.3}, {"6_decoding", 0.15}, {"7_modern", 0}};

/// The block of the page that follows "It prints".
std::string printed_on(const fs::path& page) {
  const std::string text = read_bytes(page);
  const std::size_t sentence = text.find("\nIt prints"), open = text.find("\n```\n", sentence);
  REQUIRE_NE(sentence, text.npos);
  REQUIRE_NE(open, text.npos);
  const std::size_t begin = open + 5;
  return text.substr(begin, text.find("```\n", begin) - begin);
}

/// Splits a text at spaces; each line end counts as a word.
Strings words_and_line_ends(const std::string& text) {
  Strings words;
  for (const std::string& line : lines_of(text)) {
    for (std::size_t begin = 0; (begin = line.find_first_not_of(' ', begin)) != line.npos;) {
      const std::size_t end = std::min(line.find(' ', begin), line.size());
      words.push_back(line.substr(begin, end - begin));
      begin = end;
    }
    words.push_back("\n");
  }
  return words;
}

/// True if two words are equal, or numbers with equally many decimals that differ by at most `tolerance`.
bool agree(const std::string& a, const std::string& b, double tolerance) {
  if (a == b) return true;
  const auto decimals = [](const std::string& word) {
    return word.find('.') == word.npos ? 0 : word.size() - word.find('.');
  };
  char *end_a, *end_b;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  const bool numbers = end_a != a.c_str() && end_b != b.c_str() && std::string(end_a) == end_b;
  return numbers && decimals(a) > 0 && decimals(a) == decimals(b) && std::abs(x - y) <= tolerance + 1e-9;
}

}  // namespace

TEST_CASE("in a folder like the source tree, the tutorial's commands run in order and print what the pages show") {
  const TemporaryFolder folder;
  make_like_the_source_tree(folder.path());
  for (const Chapter& chapter : in_order) {
    const fs::path page = chapters / (std::string(chapter.name) + ".md");
    const std::string program = std::string("build/tutorial_") + chapter.name;
    std::size_t compared = 0;
    for (const std::string& command : commands_in(page)) {
      CAPTURE(command);
      const Outcome outcome =
          run_program({.arguments = {"/bin/bash", "-c", quick(command)}, .input = {}, .folder = folder.path()});
      CHECK_MESSAGE(outcome.status == 0, outcome.err);
      if (command != program) continue;
      const Strings got = words_and_line_ends(outcome.out), shown = words_and_line_ends(printed_on(page));
      REQUIRE_MESSAGE(got.size() == shown.size(), outcome.out);
      for (std::size_t i = 0; i < got.size(); ++i)
        CHECK_MESSAGE(agree(got[i], shown[i], chapter.tolerance), got[i], " is not ", shown[i], " in\n", outcome.out);
      ++compared;
    }
    CHECK_MESSAGE(compared == 1, page);
  }
}

TEST_CASE("every chapter of the tutorial is run, and its program is short") {
  std::size_t programs = 0;
  for (const auto& entry : fs::directory_iterator(chapters)) {
    if (entry.path().extension() != ".cpp") continue;
    INFO(entry.path());
    CHECK_LE(lines_of(read_bytes(entry.path())).size(), 65);
    CHECK(std::ranges::any_of(in_order, [&](const Chapter& chapter) { return entry.path().stem() == chapter.name; }));
    ++programs;
  }
  CHECK_EQ(programs, std::size(in_order));
}
