#pragma once

#include <span>
#include <string>

namespace glossa {

/// A library term used in errors, and the configuration key that sets it.
struct ConfigTerm {
  const char* library;
  const char* config;
};

/// All terms. If two match at the same place, the earlier one is used.
std::span<const ConfigTerm> config_terms();

/// Rewrites an error for users of YAML. The library names C++ arguments and members ("[AdamOptions::beta1] expected
/// ..."); the result names keys ("[optim.beta1] expected ...").
std::string in_config_terms(std::string text);

}  // namespace glossa
