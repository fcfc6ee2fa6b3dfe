#pragma once

#include <span>

#include "base/check.h"

namespace glossa {

/// A term in the library's errors, and the same in terms of the configuration.
struct ConfigTerm {
  const char* code;
  const char* config;
};

/// Terms for `where`: arguments, members and, if they end in ::, structs whose members have the names of keys. If two
/// match, the earlier one is used.
std::span<const ConfigTerm> place_terms();

/// Whole hints.
std::span<const ConfigTerm> hint_terms();

/// Rewrites an error for users of YAML. The library names C++ arguments and members ("[AdamOptions::beta1] expected
/// ..."); the result names keys ("[optim.beta1] expected ...").
Error in_config_terms(const Error& error);

}  // namespace glossa
