// Telltale patterns of prose that has to be read twice; CONTRIBUTING.md has the rules.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

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
  for (const char* folder : {"app", "report", "python", "train", "base", "data", "layers", "optim", "autograd", "tests",
                             "docs", "bench", "recipes", "cmake"})
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
