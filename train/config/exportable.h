#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "train/config/config.h"

namespace glossa {

/// A kind of folder that `glossa export` writes a model to.
using ExportFormat = TrainConfig::Exportable;

/// Numbers of tokens on both sides.
struct VocabularySizes {
  std::int64_t source = 0, target = 0;
};

/// Returns the options of `config` that a format cannot express, in table order, each with its value and the value
/// needed; nothing for ExportFormat::none. Two vocabularies can only be compared if their sizes are given.
std::vector<OptionDifference> export_obstacles(const Config& config, ExportFormat format,
                                               const std::optional<VocabularySizes>& sizes = {});

/// Throws misuse at `where`, listing all obstacles, unless each of `formats` can express `config`. The hint has the
/// options to train with, the other format if it can express `config`, and last `otherwise`.
void check_exportable(std::string_view where, const Config& config, const std::vector<ExportFormat>& formats,
                      const std::optional<VocabularySizes>& sizes, std::string_view otherwise);

/// Throws misuse at train.exportable, as above, unless the format that this option names can express `config`.
void check_exportable(const Config& config, const std::optional<VocabularySizes>& sizes = {});

}  // namespace glossa
