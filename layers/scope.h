#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// The full name of something in a scope: SCOPE.NAME, or NAME if the scope is empty, as for a layer that is a whole
/// model.
inline std::string in_scope(const std::string& scope, std::string_view name) {
  std::string full = scope;
  if (!full.empty()) full += '.';
  return full += name;
}

}  // namespace glossa
