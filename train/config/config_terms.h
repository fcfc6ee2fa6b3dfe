#pragma once

#include <span>
#include <string>

namespace glossa {

/// What the library calls something in its errors, and the key that sets it in a configuration.
struct ConfigTerm {
  const char* library;
  const char* config;
};

/// All of them; where two match at one place the earlier counts.
std::span<const ConfigTerm> config_terms();

/// An error's text for somebody who writes YAML, not C++: the library names arguments and members of its options
/// ("[AdamOptions::beta1] expected ..."), the result names keys ("[optim.beta1] expected ...").
std::string in_config_terms(std::string text);

}  // namespace glossa
