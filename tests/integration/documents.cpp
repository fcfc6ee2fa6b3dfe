#include "tests/integration/documents.h"

#include <algorithm>

namespace glossa::testing {

namespace fs = std::filesystem;

namespace {

const fs::path root = GLOSSA_SOURCE_DIR;

std::vector<fs::path> pages_of(const fs::path& folder) {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::ranges::sort(pages);
  return pages;
}

}  // namespace

std::vector<fs::path> pages() {
  std::vector<fs::path> pages = pages_of(root / "docs");
  for (const char* name : {"CHANGELOG.md", "CONTRIBUTING.md", "README.md"}) pages.insert(pages.begin(), root / name);
  return pages;
}

std::vector<fs::path> tutorial_pages() { return pages_of(root / "docs/tutorial"); }

Strings commands_in(const fs::path& page) {
  Strings commands;
  bool in_block = false;
  for (std::string line : lines_of(read_bytes(page))) {
    if (line.starts_with("```")) in_block = line == "```sh";
    if (line.starts_with("ninja ") && line.find(" && ") != line.npos) line.erase(0, line.find(" && ") + 4);
    const auto calls = [&](const char* program) { return line.find(program) != line.npos; };
    const bool runs = calls("build/glossa ") || calls("build/glossa-bench ") || calls("build/tutorial_");
    if (in_block && runs) commands.push_back(line);
  }
  return commands;
}

std::string quick(std::string command) {
  const auto has = [&](const char* text) { return command.find(text) != command.npos; };
  if (has("build/glossa train ") || has("build/glossa-bench train ")) {
    command +=
        " --set train.max_updates=20 --set train.validate_every=10u --set model.width=32 --set model.feed_forward=32"
        " --set model.encoder_layers=1 --set model.decoder_layers=2";
    if (!has("data.train") && !has("--resume")) command += " --set data.train=toy:10000";
  }
  if (has("build/glossa-bench step") || has("build/glossa-bench profile")) command += " --steps 1";
  if (command.ends_with("build/glossa gradcheck")) command += " --only linear";
  if (command.ends_with("gradcheck --only article")) command += "-0";
  return command;
}

void make_like_the_source_tree(const fs::path& folder) {
  fs::create_directory(folder / "build");
  fs::create_symlink(tested_program(), folder / "build/glossa");
  fs::create_symlink(benchmarks(), folder / "build/glossa-bench");
  for (const auto& entry : fs::directory_iterator(fs::path(GLOSSA_BINARY).parent_path()))
    if (entry.path().filename().string().starts_with("tutorial_"))
      fs::create_symlink(entry.path(), folder / "build" / entry.path().filename());
  fs::create_directory_symlink(root / "recipes", folder / "recipes");
}

}  // namespace glossa::testing
