#include "train/console/verbosity.h"

namespace glossa {

namespace {

Verbosity of_process = Verbosity::usual;

}  // namespace

Verbosity verbosity() { return of_process; }

void set_verbosity(Verbosity verbosity) { of_process = verbosity; }

}  // namespace glossa
