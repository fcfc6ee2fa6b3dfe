#include "base/version.h"

namespace glossa {

constinit const std::string_view program_version = GLOSSA_VERSION;

}  // namespace glossa
