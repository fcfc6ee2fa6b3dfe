// Telltale patterns of prose that has to be read twice; CONTRIBUTING.md has the rules.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/top_folders.h"

namespace fs = std::filesystem;

namespace {

const fs::path project = GLOSSA_SOURCE_DIR;

struct Text {
  std::string place, text;
};

/// All lines of the project's files. The toy language's sources are left out: they are lists of its words.
std::vector<Text> lines() {
  std::vector<Text> all;
  const auto read = [&](const fs::path& path) {
    if (path.string().find("/toy/") != std::string::npos || path.filename() == "language_test.cpp") return;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) all.push_back({path.string(), line});
  };
  const std::regex kinds(R"(\.(h|cpp|md|html|css|js|yaml|py|cmake|txt)|)");  // or none: a script
  for (const std::string& folder : glossa::testing::top_folders())
    for (const auto& entry : fs::recursive_directory_iterator(project / folder))
      if (entry.is_regular_file() && std::regex_match(entry.path().extension().string(), kinds)) read(entry.path());
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CMakeLists.txt", "run"})
    read(project / name);
  return all;
}

/// The prose: comments and string literals of C++ sources, all of other files.
std::vector<Text> prose() {
  const std::regex literal_or_comment(R"("(\\.|[^"\\])*"|//.*)");
  std::vector<Text> all;
  for (const auto& [place, line] : lines()) {
    if (!place.ends_with(".h") && !place.ends_with(".cpp")) {
      all.push_back({place, line});
      continue;
    }
    if (line.find_first_of("\"/") == line.npos) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), literal_or_comment), end; at != end; ++at)
      all.push_back({place, at->str()});
  }
  return all;
}

/// Comments of sources. If `trailing`, only those that follow code on their line.
std::vector<Text> comments(bool trailing) {
  const std::regex cpp(R"(^((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'|[^"/]|/(?!/))*)(//.*))");
  const std::regex script(R"(^((?:"[^"]*"|[^"#])*)(# .*))");
  std::vector<Text> all;
  for (const auto& [place, line] : lines()) {
    const bool is_cpp = place.ends_with(".h") || place.ends_with(".cpp");
    if (!is_cpp && !place.ends_with(".py") && !place.ends_with(".cmake") && !place.ends_with("CMakeLists.txt"))
      continue;
    if (line.find(is_cpp ? "//" : "# ") == line.npos) continue;
    std::smatch parts;
    if (!std::regex_search(line, parts, is_cpp ? cpp : script)) continue;
    if (trailing && parts.str(1).find_first_not_of(' ') == std::string::npos) continue;
    all.push_back({place, parts.str(2)});
  }
  return all;
}

/// Those texts that are in the rooms below decoding, or else the others.
std::vector<Text> in_lower_rooms(const std::vector<Text>& texts, bool lower) {
  const auto is_lower = [](const Text& text) {
    for (const char* room : {"base", "data", "layers", "optim", "autograd"})
      if (text.place.starts_with((project / room / "").string())) return true;
    return false;
  };
  std::vector<Text> chosen;
  for (const Text& text : texts)
    if (is_lower(text) == lower) chosen.push_back(text);
  return chosen;
}

/// A pattern, and the number of texts that match it today: it may only fall. Every match contains `part`; looking for
/// it first is faster.
struct Telltale {
  const char* pattern;
  const char* part;
  std::size_t limit;
};

void check_count(const Telltale& telltale, const std::vector<Text>& texts) {
  const std::regex regex(telltale.pattern);
  std::string found;
  std::size_t count = 0;
  for (const auto& [place, text] : texts) {
    if (text.find(telltale.part) == text.npos || !std::regex_search(text, regex)) continue;
    found += place + ": " + text + "\n";
    ++count;
  }
  INFO(std::string(telltale.pattern), " matches ", count, " texts:\n", found);
  CHECK_LE(count, telltale.limit);
}

}  // namespace

TEST_CASE("prose has few patterns that have to be read twice, and ever fewer") {
  const std::vector<Text> texts = prose();
  CHECK_GT(texts.size(), 10000);
  for (const Telltale& telltale : {
           Telltale{R"(\b[Ww]ho(ever)? (can|wants|has|asks|reads|goes|does|is)\b)", "ho", 0},
           Telltale{R"(^\s*("""|"|///?<? |# |[*-] )?(\*\*)?(What|Who|Where|Whether) )", "Wh", 2},  // a question, twice
           Telltale{R"(\bso many\b)", "so many", 1},  // a rule of CONTRIBUTING.md quotes it
           Telltale{R"(\btold\b)", "told", 1},        // a rule of CONTRIBUTING.md quotes it
           Telltale{R"(\btells?\b(?!\())", "tell", 0},
           Telltale{R"(\bin place of (read|[a-z]+ed)\b)", "in place of", 0},  // "instead of being read"
           Telltale{R"(, too\b)", ", too", 1},                                // a comment says ", too large"
           Telltale{R"(\bthere is none\b)", "there is none", 0},
           Telltale{R"(\bgoes on\b)", "goes on", 0},
           Telltale{R"(\bgiven on\b)", "given on", 0},
       })
    check_count(telltale, texts);
}

TEST_CASE("comments have noun phrases in place of object relatives and fragments") {
  const char* const relative = R"(\bwhat (is|was|it|follows|the)\b|\b[Ww]hatever\b)";
  const char* const fragment = R"(^(///?<?|#) (of|by|as) )";
  const std::vector<Text> all = comments(false), trailing = comments(true);
  CHECK_GT(all.size(), 5000);
  CHECK_GT(trailing.size(), 1000);
  check_count({relative, "hat", 0}, in_lower_rooms(all, true));
  check_count({relative, "hat", 11}, in_lower_rooms(all, false));
  check_count({fragment, " ", 0}, in_lower_rooms(trailing, true));
  check_count({fragment, " ", 60}, in_lower_rooms(trailing, false));
}

TEST_CASE("spelling is American, in identifiers as well") {
  const std::vector<Text> texts = lines();
  for (const Telltale& telltale : {
           Telltale{R"(([Cc]olou|[Bb]ehaviou|[Ff]avou|[Nn]eighbou)r)", "our", 0},
           Telltale{R"([Cc]entre)", "entre", 0},
           Telltale{R"(learnt)", "learnt", 0},
           Telltale{R"(labelled(?!by))", "labelled", 0},
           Telltale{
               R"((normal|initial|capital|vector|penal|random|optim|recogn|organ|serial|token|summar)is(e|i[nsz]))",
               "is", 0},
       })
    check_count(telltale, texts);
}
