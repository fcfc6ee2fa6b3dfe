#pragma once

namespace glossa {

/// Amount of output on standard error. A command's results, on standard output, do not depend on it.
enum class Verbosity {
  quiet,    ///< -q: warnings and errors
  usual,    ///< also notes and progress
  verbose,  ///< -v: also all details
};

/// Current verbosity.
Verbosity verbosity();

/// Sets the verbosity; call before running a command.
void set_verbosity(Verbosity verbosity);

}  // namespace glossa
