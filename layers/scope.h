#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// Full name of an item in a scope: SCOPE.NAME, or NAME if the scope is empty, as for a layer that is a whole model.
inline std::string in_scope(const std::string& scope, std::string_view name) {
  std::string full = scope;
  if (!full.empty()) full += '.';
  return full += name;
}

}  // namespace glossa
