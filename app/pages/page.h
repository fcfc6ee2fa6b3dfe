#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// A page of this folder as one file that needs no other: what its `<link rel="stylesheet" href="FILE">` and
/// `<script src="FILE"></script>` name is put in their place, and `json` before the first script, as
/// `<script type="application/json" id="ID">`, where `id` is not empty. Throws for a name that the folder has not.
std::string page(std::string_view name, std::string_view id = {}, std::string_view json = {});

}  // namespace glossa
