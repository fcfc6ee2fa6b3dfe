#pragma once

#include <filesystem>
#include <memory>

#include "base/tensor_file.h"

namespace glossa {

/// Opens a tensor file. The file's first bytes determine its format. Throws for an unknown format, and passes on the
/// errors of the format's reader.
std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path);

}  // namespace glossa
