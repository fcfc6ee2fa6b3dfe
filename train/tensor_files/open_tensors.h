#pragma once

#include <filesystem>
#include <memory>

#include "files/tensor_file.h"

namespace glossa {

/// Opens a tensor file; its first bytes determine the format. Throws for unknown formats, and as the readers do.
std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path);

}  // namespace glossa
