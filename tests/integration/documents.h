#pragma once

#include <filesystem>

#include "tests/integration/tiny_run.h"

namespace glossa::testing {

/// `pages` returns README, the other top-level pages and, sorted by name, the pages of docs/. `tutorial_pages` returns
/// those of docs/tutorial/, in chapter order.
std::vector<std::filesystem::path> pages();
std::vector<std::filesystem::path> tutorial_pages();

/// The lines of a page's ```sh blocks that call a program of build/, in order. A `ninja ... &&` in front of a call is
/// removed.
Strings commands_in(const std::filesystem::path& page);

/// Makes a command quick by appending options: training gets a small model, few updates and a small toy corpus; a
/// benchmark gets one step; gradcheck gets one operation or model. The last --set of a key counts.
std::string quick(std::string command);

/// Creates, in an empty folder, build/ with the built programs (the tested one as glossa) and recipes/.
void make_like_the_source_tree(const std::filesystem::path& folder);

}  // namespace glossa::testing
