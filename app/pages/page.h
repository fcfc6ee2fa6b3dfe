#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// Makes a page of this folder one self-contained file: each `<link rel="stylesheet" href="FILE">` and `<script
/// src="FILE"></script>` is replaced by the file's content. Unless `id` is empty, `json` precedes the first script as
/// `<script type="application/json" id="ID">`. Throws for a name not in the folder.
std::string page(std::string_view name, std::string_view id = {}, std::string_view json = {});

}  // namespace glossa
