#pragma once

#include <string>

namespace glossa {

/// The local time now, in a format of strftime.
std::string local_time(const char* format);

}  // namespace glossa
