// The commands, links and recipes of README and docs work.
#include "tests/integration/documents.h"

#include <doctest/doctest.h>

#include <regex>

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// The files that a page links to, except in code blocks.
std::vector<fs::path> links_in(const fs::path& page) {
  static const std::regex link(R"(\]\(([^):#]+)(#[^)]*)?\))");
  std::vector<fs::path> links;
  bool in_block = false;
  for (const std::string& line : lines_of(read_bytes(page))) {
    if (line.starts_with("```")) in_block = !in_block;
    for (auto match = std::sregex_iterator(line.begin(), line.end(), link);
         !in_block && match != std::sregex_iterator(); ++match)
      links.push_back(page.parent_path() / (*match)[1].str());
  }
  return links;
}

}  // namespace

TEST_CASE("the commands in README and docs run, in their order, in a folder that has build/glossa and recipes/") {
  for (const char* allowed : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) setenv(allowed, "1", 1);
  setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);  // also on one core
  std::size_t run = 0;
  for (const fs::path& page : pages()) {
    const TemporaryFolder folder;
    make_like_the_source_tree(folder.path());
    for (const std::string& command : commands_in(page)) {
      CAPTURE(page);
      CAPTURE(command);
      const Outcome outcome =
          run_program({.arguments = {"/bin/bash", "-c", quick(command)}, .input = {}, .folder = folder.path()});
      CHECK_MESSAGE(outcome.status == 0, outcome.err);
      ++run;
    }
  }
  CHECK_GE(run, 7);  // those of docs/training.md alone; fewer would mean that some were missed
}

TEST_CASE("every link to a file in README and docs leads to one") {
  std::vector<fs::path> all = pages();
  std::ranges::copy(tutorial_pages(), std::back_inserter(all));
  std::size_t links = 0;
  for (const fs::path& page : all)
    for (const fs::path& target : links_in(page)) {
      CAPTURE(page);
      CHECK_MESSAGE(fs::exists(target), target);
      ++links;
    }
  CHECK_GE(links, 5);  // those of README's table alone
}

TEST_CASE("every recipe is a valid configuration, and its dump reads back to the same dump") {
  const TemporaryFolder folder;
  std::size_t recipes = 0;
  for (const auto& entry : fs::directory_iterator(GLOSSA_SOURCE_DIR "/recipes")) {
    CAPTURE(entry.path());
    const Outcome first = glossa_program({"train", entry.path(), "--dump-config"});
    REQUIRE_MESSAGE(first.status == 0, first.err);
    write_bytes(folder / "dump.yaml", first.out);
    const Outcome second = glossa_program({"train", folder / "dump.yaml", "--dump-config"});
    CHECK_EQ(second.status, 0);
    CHECK_EQ(second.out, first.out);
    ++recipes;
  }
  CHECK_GE(recipes, 4);
}

TEST_CASE("docs/options.md is what glossa options prints") {
  const Outcome options = glossa_program({"options"});
  CHECK_EQ(options.status, 0);
  CHECK_MESSAGE(options.out == read_bytes(GLOSSA_SOURCE_DIR "/docs/options.md"),
                "run: build/glossa options > docs/options.md");
}

TEST_CASE("without --run, the run's folder is named after the configuration") {
  const TinyRun tiny;
  const Outcome outcome =
      run_program({.arguments = {tested_program(), "train", "tiny.yaml"}, .input = {}, .folder = tiny.path()});
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(fs::exists(tiny / "runs/tiny/checkpoints/last"));
}
