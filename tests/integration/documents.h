#pragma once

#include <filesystem>

#include "tests/integration/tiny_run.h"

namespace glossa::testing {

/// README and the other pages at the top, then those of docs/, by name; those of docs/tutorial/ apart, in the order of
/// its chapters.
std::vector<std::filesystem::path> pages();
std::vector<std::filesystem::path> tutorial_pages();

/// The lines of a page's ```sh blocks that call a program of build/, in order, without the ninja that builds it.
Strings commands_in(const std::filesystem::path& page);

/// The command made quick: the same options, a smaller model and few updates, less of a toy corpus; one timed step; one
/// operation or model proved. In --set the last wins.
std::string quick(std::string command);

/// Makes build/ with what was built, glossa being the tested program, and recipes/ in an empty folder.
void make_like_the_source_tree(const std::filesystem::path& folder);

}  // namespace glossa::testing
