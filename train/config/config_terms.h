#pragma once

#include <span>
#include <string>

namespace glossa {

/// A library term used in errors, and the configuration key that sets it.
struct ConfigTerm {
  const char* library;
  const char* config;
};

/// All terms; if two match at one place, the earlier wins.
std::span<const ConfigTerm> config_terms();

/// Rewrites an error for a writer of YAML, not C++: the library names arguments and option members
/// ("[AdamOptions::beta1] expected ..."), the result names keys ("[optim.beta1] expected ...").
std::string in_config_terms(std::string text);

}  // namespace glossa
