#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// Returns the page `name` of this folder as one self-contained file. Replaces each `<link rel="stylesheet"
/// href="FILE">` and `<script src="FILE"></script>` with the content of FILE. Unless `id` is empty, inserts `json`
/// before the first script, as `<script type="application/json" id="ID">`. Throws if the folder does not have this
/// page.
std::string page(std::string_view name, std::string_view id = {}, std::string_view json = {});

}  // namespace glossa
