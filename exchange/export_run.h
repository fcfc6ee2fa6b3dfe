#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "train/run.h"

namespace glossa {

/// Paths to write a model to, in order; empty paths are left out.
struct ExportPaths {
  std::string safetensors = {};  ///< path of a weights file, as export_parameters writes it
  std::string huggingface = {};  ///< path of a folder, as export_huggingface writes it
  std::string marian = {};       ///< path of a folder, as export_marian writes it
};

/// Called after each path is written, with the path and the model's update.
using Exported = std::function<void(const std::string& path, std::int64_t update)>;

/// Exports a run's model. Prints notes on settings that a format cannot express. Throws a misuse error before writing
/// anything if a folder is not free. If the model cannot be exported to all requested folders, throws a misuse error
/// before writing the first folder. Throws as load_run does.
void export_run(
    const RunName& name, const ExportPaths& paths, const Exported& written = [](const auto&...) {});

}  // namespace glossa
