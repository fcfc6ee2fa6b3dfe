#pragma once

namespace glossa {

/// How much the program tells on standard error. What a command is for, on standard output, does not depend on it.
enum class Verbosity {
  quiet,    ///< -q: warnings and errors
  usual,    ///< and notes, and how far it is
  verbose,  ///< -v: and what else there is to know
};

/// That of the process.
Verbosity verbosity();

/// Before a command runs.
void set_verbosity(Verbosity verbosity);

}  // namespace glossa
