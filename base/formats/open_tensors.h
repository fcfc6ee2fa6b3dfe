#pragma once

#include <filesystem>
#include <memory>

#include "base/tensor_file.h"

namespace glossa {

/// Opens a tensor file in the format that its first bytes indicate. Throws for an unknown format or if the format's
/// reader throws.
std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path);

}  // namespace glossa
