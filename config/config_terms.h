#pragma once

#include <span>

#include "base/check.h"

namespace glossa {

/// A term in the library's errors, and its equivalent in the configuration.
struct ConfigTerm {
  const char* code;
  const char* config;
};

/// Returns the terms for the places in errors: arguments, members and structs. A struct's term ends in `::` and is
/// replaced by a section; its members are named like keys. If two terms match, the earlier one is used.
std::span<const ConfigTerm> place_terms();

/// Returns the terms for complete hints.
std::span<const ConfigTerm> hint_terms();

/// Rewrites an error for users of YAML. The library names C++ arguments and members ("[AdamOptions::beta1] expected
/// ..."); the result names keys ("[optim.beta1] expected ...").
Error in_config_terms(const Error& error);

}  // namespace glossa
