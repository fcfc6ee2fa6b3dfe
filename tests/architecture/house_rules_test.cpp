#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/top_folders.h"

namespace fs = std::filesystem;

namespace {

const fs::path root = GLOSSA_SOURCE_DIR;

const std::set<std::string> rooms{"base",     "autograd",   "layers", "optim",  "data", "decoding", "config", "train",
                                  "exchange", "evaluation", "pages",  "report", "app",  "bench",    "python", "tests"};

struct Source {
  std::string path, room, text;
};

std::string room_of(const std::string& path) { return path.substr(0, path.find('/')); }

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::vector<Source> sources() {
  std::vector<Source> result;
  for (const std::string& room : rooms)
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      result.push_back({fs::relative(entry.path(), root), room, text.str()});
    }
  return result;
}

std::vector<std::string> includes_of(const std::string& text) {
  static const std::regex include(R"(#include ["<]([^">]+)[">])");
  std::vector<std::string> result;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), include); match != std::sregex_iterator(); ++match)
    result.push_back((*match)[1]);
  return result;
}

using Folders = std::set<std::string>;

/// Adds to `folders` the libraries that every program may include.
Folders with_libraries(Folders folders) {
  folders.insert({"pages", "evaluation", "exchange", "train/", "config", "decoding/", "data/", "optim", "layers/",
                  "autograd/", "base/"});
  return folders;
}

/// The folders that each folder may include besides itself, as in docs/architecture.md. "data" stands for the files
/// directly in data/, "data/" also for those in its subfolders.
const std::map<std::string, Folders> may_include{
    {"base", {}},
    {"base/console", {"base"}},
    {"base/formats", {"base"}},
    {"autograd/", {"base"}},
    {"layers/", {"autograd/", "base"}},
    {"optim", {"autograd/", "base"}},
    {"data", {"data/text", "data/tokenizers", "base"}},
    {"data/corpora", {"data", "data/text", "data/tokenizers", "data/toy", "base"}},
    {"data/prepared", {"data", "base"}},
    {"data/text", {"base/formats", "base"}},
    {"data/tokenizers", {"data/text", "base"}},
    {"data/toy", {"data/text", "base"}},
    {"decoding", {"decoding/scores", "data/", "layers", "autograd/", "base"}},
    {"decoding/scores", {"data/", "base"}},
    {"train", {"train/", "config", "decoding/", "data/", "optim", "layers", "autograd/", "base/"}},
    {"config", {"decoding/", "data/", "optim", "layers", "autograd/", "base"}},
    {"train/processes", {"base/console", "base"}},
    {"train/processes/mpi", {"train/processes", "base"}},
    {"train/checkpoint", {"config", "data/", "optim", "autograd/", "base"}},
    {"train/prepared", {"train/checkpoint", "config", "data/", "base/console", "base"}},
    {"train/model", {"train/processes", "config", "data/", "optim", "layers", "autograd/", "base"}},
    {"exchange",
     {"train", "train/checkpoint", "train/model", "train/prepared", "config", "data/", "layers", "autograd/", "base/"}},
    {"evaluation", {"train", "train/checkpoint", "train/prepared", "decoding/", "data/", "base/console", "base"}},
    {"pages", {"base"}},
    {"report", {"pages", "train/", "config", "decoding/", "data/", "base/console", "base"}},
    {"app", with_libraries({"app/commands", "app/command_line"})},
    {"app/command_line", with_libraries({})},
    {"app/commands", with_libraries({"app/command_line", "app/serve", "report"})},
    {"app/serve", with_libraries({})},
    {"bench", {"app/command_line", "train/", "config", "decoding/", "data/", "optim", "layers", "autograd/", "base"}},
    {"python/", with_libraries({"report"})}};

bool prints(const std::string& path) {
  const std::string room = room_of(path);
  return folder_of(path) == "base/console" || room == "train" || room == "app" || room == "bench";
}

/// The reason why `path` may not include `header`; empty if it may.
std::string objection(const std::string& path, const std::string& header) {
  const std::string from = room_of(path), to = room_of(header), near = folder_of(path), there = folder_of(header);
  if (from == "tests") return "";
  const auto known = may_include.find(may_include.contains(near) ? near : from + "/");
  if (known == may_include.end()) return near + " is not a known folder";
  const bool own = near == there || known->first == to + "/";
  if (rooms.contains(to) && !own && !known->second.contains(there) && !known->second.contains(to + "/"))
    return near + " must not include " + there;
  const bool kernel = path.starts_with("autograd/kernels/");
  for (const char* tape : {"variable", "tape", "context", "ops", "grad_check"})
    if (kernel && header == "autograd/" + std::string(tape) + ".h") return "kernels must not include the tape";
  if (header.starts_with("cereal/") && from != "train") return "only train/ includes cereal";
  if (header == "iostream" && !prints(path)) return "libraries do not print";
  const bool has_commands = near == "app/command_line" || near == "app/commands" || near == "bench";
  if (header.starts_with("CLI/") && !has_commands) return "only commands parse a command line";
  if (header == "httplib.h") return "only tests include the HTTP library";
  const bool is_case = near.ends_with("/cases");
  if (there.ends_with("/cases") && !is_case && path != "app/commands/gradcheck.cpp") return "no library includes cases";
  return "";
}

}  // namespace

TEST_CASE("includes follow the architecture") {
  const std::vector<Source> all = sources();
  REQUIRE(all.size() > 100);
  for (const Source& source : all)
    for (const std::string& header : includes_of(source.text)) {
      INFO(source.path, " includes ", header);
      CHECK_EQ(objection(source.path, header), "");
    }
}

TEST_CASE("the include rule objects to forbidden includes and to no others") {
  CHECK_NE(objection("base/safetensors.cpp", "autograd/tensor.h"), "");
  CHECK_NE(objection("base/safetensors.cpp", "base/formats/zip_file.h"), "");
  CHECK_NE(objection("autograd/parameter_file.cpp", "base/formats/open_tensors.h"), "");
  CHECK_NE(objection("autograd/tape.cpp", "layers/linear.h"), "");
  CHECK_NE(objection("optim/adam.cpp", "layers/linear.h"), "");
  CHECK_NE(objection("data/batch.cpp", "autograd/tensor.h"), "");
  CHECK_NE(objection("layers/linear.cpp", "config/config.h"), "");
  CHECK_NE(objection("autograd/kernels/gemm.cpp", "autograd/context.h"), "");
  CHECK_NE(objection("layers/linear.cpp", "cereal/cereal.hpp"), "");
  CHECK_NE(objection("decoding/scores/bleu.cpp", "layers/transformer.h"), "");
  CHECK_NE(objection("decoding/scores/bleu.cpp", "decoding/translator.h"), "");
  CHECK_NE(objection("base/json_line.cpp", "base/console/print.h"), "");
  CHECK_NE(objection("decoding/translator.cpp", "base/console/print.h"), "");
  CHECK_NE(objection("config/config.cpp", "base/console/print.h"), "");
  CHECK_NE(objection("decoding/translator.cpp", "optim/adam.h"), "");
  CHECK_NE(objection("decoding/translator.cpp", "config/config.h"), "");
  CHECK_NE(objection("layers/linear.cpp", "decoding/decoding.h"), "");
  CHECK_NE(objection("train/checkpoint/checkpoint.cpp", "decoding/translator.h"), "");
  CHECK_NE(objection("train/checkpoint/checkpoint.h", "layers/transformer.h"), "");
  CHECK_NE(objection("config/config.cpp", "train/trainer.h"), "");
  CHECK_NE(objection("train/trainer.cpp", "bench/benchmark.h"), "");
  CHECK_NE(objection("app/commands/train.cpp", "bench/benchmark.h"), "");
  CHECK_NE(objection("app/command_line/program.cpp", "app/commands/commands.h"), "");
  CHECK_NE(objection("bench/step.cpp", "app/commands/commands.h"), "");
  CHECK_NE(objection("bench/step.cpp", "report/report.h"), "");
  CHECK_NE(objection("bench/search.cpp", "evaluation/run_evaluation.h"), "");
  CHECK_NE(objection("python/binding/module.cpp", "app/command_line/program.h"), "");
  CHECK_NE(objection("train/trainer.cpp", "app/commands/commands.h"), "");
  CHECK_NE(objection("train/trainer.cpp", "exchange/import_run.h"), "");
  CHECK_NE(objection("train/trainer.cpp", "evaluation/run_evaluation.h"), "");
  CHECK_NE(objection("evaluation/run_evaluation.cpp", "exchange/import_run.h"), "");
  CHECK_NE(objection("evaluation/run_evaluation.cpp", "report/report.h"), "");
  CHECK_NE(objection("exchange/exchange.cpp", "evaluation/run_evaluation.h"), "");
  CHECK_NE(objection("exchange/exchange.cpp", "decoding/translator.h"), "");
  CHECK_NE(objection("train/run.cpp", "app/serve/web.h"), "");
  CHECK_NE(objection("train/run.cpp", "report/report.h"), "");
  CHECK_NE(objection("pages/page.cpp", "report/report.h"), "");
  CHECK_NE(objection("pages/page.cpp", "train/run.h"), "");
  CHECK_NE(objection("evaluation/run_evaluation.cpp", "pages/page.h"), "");
  CHECK_NE(objection("app/serve/web.cpp", "report/report.h"), "");
  CHECK_NE(objection("python/binding/module.cpp", "app/serve/web.h"), "");
  CHECK_NE(objection("app/serve/web.cpp", "httplib.h"), "");
  CHECK_NE(objection("layers/linear.cpp", "layers/cases/layer_case.h"), "");
  CHECK_NE(objection("report/report.cpp", "app/commands/commands.h"), "");
  CHECK_NE(objection("data/text/utf8.cpp", "data/tokenizers/tokenizer.h"), "");
  CHECK_NE(objection("data/batch.cpp", "data/corpora/datasets.h"), "");
  CHECK_NE(objection("train/elsewhere/file.cpp", "train/run.h"), "");
  CHECK_EQ(objection("app/main.cpp", "app/commands/commands.h"), "");
  CHECK_EQ(objection("app/serve/web.cpp", "pages/page.h"), "");
  CHECK_EQ(objection("app/commands/report.cpp", "report/report.h"), "");
  CHECK_EQ(objection("report/report.cpp", "pages/page.h"), "");
  CHECK_EQ(objection("python/binding/exchange.cpp", "report/report.h"), "");
  CHECK_EQ(objection("bench/step.cpp", "app/command_line/arguments.h"), "");
  CHECK_EQ(objection("bench/step.cpp", "train/runtime.h"), "");
  CHECK_EQ(objection("data/batch.cpp", "base/check.h"), "");
  CHECK_EQ(objection("data/text/byte_source.cpp", "base/formats/zip_file.h"), "");
  CHECK_EQ(objection("train/run.cpp", "data/batch.h"), "");
  CHECK_EQ(objection("config/config.h", "data/corpora/data_config.h"), "");
  CHECK_EQ(objection("config/config.h", "decoding/decode_options.h"), "");
  CHECK_EQ(objection("decoding/translator.cpp", "data/corpora/datasets.h"), "");
  CHECK_EQ(objection("evaluation/run_evaluation.cpp", "train/run.h"), "");
  CHECK_EQ(objection("exchange/exchange.cpp", "train/checkpoint/checkpoint.h"), "");
  CHECK_EQ(objection("decoding/attention_json.h", "base/json_line.h"), "");
  CHECK_EQ(objection("evaluation/text_watch.cpp", "base/console/print.h"), "");
}

TEST_CASE("only base/console/, train/, app/ and bench/ print") {
  const std::regex printing(R"(\b(stdout|stderr|cout|cerr)\b|\b(puts|printf|fmt::print)\()");
  CHECK(std::regex_search(std::string("std::fputs(text, stderr);"), printing));
  for (const Source& source : sources()) {
    INFO(source.path);
    if (!prints(source.path) && source.room != "tests") CHECK_FALSE(std::regex_search(source.text, printing));
  }
}

TEST_CASE("only data/corpora/, decoding/ and the rooms above, but not pages/, know keys of a configuration") {
  const std::string exhausted_memory = "base/console/failure.cpp";  // its error is composed in advance
  const std::regex key(R"re("[^"\n]*\b(data|model|optim|train|decode|runtime)\.[a-z][a-z_0-9]*[^"\n]*")re");
  CHECK(std::regex_search(std::string(R"(misuse("optim.beta1", "expected"))"), key));
  CHECK(std::regex_search(std::string(R"(fail("op", "got {}. Hint: data.max_tokens", n))"), key));
  const std::regex allowed(R"re(#include "[^"]*"|hash_name\("data.sampler"\)|\bdata\.pkl)re");  // a random key, a file
  const std::set<std::string> knows_keys{"decoding", "config", "train", "exchange", "evaluation",
                                         "report",   "app",    "bench", "python",   "tests"};
  for (const Source& source : sources()) {
    INFO(source.path);
    if (source.path == exhausted_memory || folder_of(source.path) == "data/corpora") continue;
    if (!knows_keys.contains(source.room))
      CHECK_FALSE(std::regex_search(std::regex_replace(source.text, allowed, ""), key));
  }
}

TEST_CASE("messages quote the words of commands: shell_command writes each command with a path or a value") {
  // A command or an option, then a placeholder in the same sentence. Literals of several lines are joined first.
  const std::regex unquoted(
      R"re("[^"\n]*(\b(glossa|glossa-bench) (train|translate|evaluate|score|average|import|export|inspect|attention|report|serve|gradcheck)\b)re"
      R"re([^".;\n]*|\b(gzip|iconv|mv|cp|rm|tar|unzip|mpirun|python3) -[^".;\n]*|--[a-z-]+[ =][^" {\n]*)\{[^"\n]*"|"\{\} \{\}",\s*[a-z_.]*command\b)re");
  const std::regex line_end("\"\\s*\\n\\s*\"");
  CHECK(std::regex_search(std::string(R"(fail(run, "Hint: glossa train --resume {}", run))"), unquoted));
  CHECK(std::regex_search(std::string(R"(fmt::format("--run {}", run))"), unquoted));
  CHECK(std::regex_search(std::string(R"(fail(run, "got 1. Hint: use --set train.accumulate={}", n))"), unquoted));
  CHECK(std::regex_search(std::string(R"(fmt::format("{} {}", known.command, value))"), unquoted));
  CHECK_FALSE(std::regex_search(std::string(R"(fail(run, "glossa evaluate needs it; got {}", name))"), unquoted));
  for (const Source& source : sources()) {
    if (source.room == "tests") continue;
    INFO(source.path);
    CHECK_FALSE(std::regex_search(std::regex_replace(source.text, line_end, ""), unquoted));
  }
}

TEST_CASE("a file holds one concept: at most 500 lines") {
  for (const Source& source : sources()) {
    const auto lines = std::count(source.text.begin(), source.text.end(), '\n');
    INFO(source.path, " has ", lines, " lines");
    CHECK_LE(lines, 500);
  }
}

TEST_CASE("recorded derivatives name their captures, and no sum depends on the order of threads") {
  const std::regex implicit_capture(R"(record\([^;\[]*\[[=&][,\]])");
  const std::regex reduction(R"(#pragma omp[^\n]*(reduction|atomic))");
  CHECK(std::regex_search(std::string("c.record(op, {x}, y, [=](B& b) {"), implicit_capture));
  CHECK(std::regex_search(std::string("#pragma omp simd reduction(+ : s)"), reduction));
  for (const Source& source : sources()) {
    if (source.room == "tests") continue;
    INFO(source.path);
    CHECK_FALSE(std::regex_search(source.text, implicit_capture));
    CHECK_FALSE(std::regex_search(source.text, reduction));
  }
}

TEST_CASE("the top level has only known files and folders") {
  const std::set<std::string> expected{
      "recipes",        "docs",       "cmake",         "runs",           ".ci",
      ".git",           ".gitignore", ".clang-format", "CMakeLists.txt", "CMakePresets.json",
      "pyproject.toml", "run",        "LICENSE",       "README.md",      "CHANGELOG.md",
      "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("build")) continue;
    INFO("top level: ", name);
    CHECK((rooms.contains(name) || expected.contains(name)));
  }
}

TEST_CASE("every list of the rooms is complete") {
  const Folders not_libraries{"app", "bench", "python", "tests"}, without_unit_tests{"bench", "python", "tests"};
  struct List {
    const char* file;
    const char* pattern;  ///< with % in place of a room's name
    Folders left_out = {};
  };
  const std::vector<List> lists{{"CMakeLists.txt", R"([ (]%[/)])"},
                                {"cmake/install.cmake", R"(install\(DIRECTORY [^)]*\b%\b)", not_libraries},
                                {"cmake/install.cmake", R"(\bglossa_%\b)", not_libraries},
                                {"cmake/levels.cmake", R"((set\(computing|foreach\(part) [^)]*\b%\b)", not_libraries},
                                {"cmake/glossaConfig.cmake.in", R"(set\(glossa_libraries [^)]*\b%\b)", not_libraries},
                                {"docs/architecture.md", R"(\n    %/ )"},
                                {"docs/cpp.md", R"(\n\| `glossa::%` \|)", not_libraries},
                                {"docs/testing.md", R"( \| `%/\*` \|)", without_unit_tests},
                                {"pyproject.toml", R"("%/)", {"bench", "tests"}},
                                {"run", R"(\n  find [^(]*\b%\b)"},
                                {"tests/CMakeLists.txt", R"(\nglossa_test\(% unit\b)", without_unit_tests},
                                {"tests/integration/install_test.cpp", R"([ {]"%"[,}])", not_libraries}};
  Folders with_sources;
  for (const std::string& folder : glossa::testing::top_folders())
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".cpp" && folder != "docs") with_sources.insert(folder);
  CHECK_EQ(with_sources, rooms);
  for (const List& list : lists) {
    std::ostringstream text;
    text << std::ifstream(root / list.file).rdbuf();
    for (const std::string& room : with_sources) {
      INFO(std::string(list.file), " names ", room);
      const std::regex pattern(std::regex_replace(std::string(list.pattern), std::regex("%"), room));
      CHECK_EQ(std::regex_search(text.str(), pattern), !list.left_out.contains(room));
    }
  }
}

TEST_CASE("build files stay short") {
  const auto lines = [](const fs::path& path) {
    std::ifstream file(path);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  auto total = lines(root / "CMakeLists.txt");
  CHECK_LE(total, 210);
  for (const auto& entry : fs::directory_iterator(root / "cmake"))
    if (entry.path().extension() == ".cmake") total += lines(entry.path());
  CHECK_LE(total, 390);
}
