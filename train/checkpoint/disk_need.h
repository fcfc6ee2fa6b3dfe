#pragma once

#include <string>

namespace glossa {

/// Checks the space for `files` further checkpoints of a run, each of `bytes` bytes, against `free` bytes. Throws if
/// not even one fits. Returns a warning if only some fit, else empty text.
std::string check_disk(const std::string& run, double files, double bytes, double free);

}  // namespace glossa
