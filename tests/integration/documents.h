#pragma once

#include <filesystem>

#include "tests/integration/tiny_run.h"

namespace glossa::testing {

/// README and the other top-level pages, then those of docs/, by name; those of docs/tutorial/ separately, in chapter
/// order.
std::vector<std::filesystem::path> pages();
std::vector<std::filesystem::path> tutorial_pages();

/// The lines of a page's ```sh blocks that call a program of build/, in order, except the ninja that builds it.
Strings commands_in(const std::filesystem::path& page);

/// The command made quick: the same options, but a smaller model, few updates and less of a toy corpus; one timed step;
/// one operation or model checked. In --set the last wins.
std::string quick(std::string command);

/// Creates build/ with what was built, using the tested program as glossa, and recipes/ in an empty folder.
void make_like_the_source_tree(const std::filesystem::path& folder);

}  // namespace glossa::testing
