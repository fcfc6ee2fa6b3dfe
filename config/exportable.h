#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace glossa {

/// A format that `glossa export` can write.
using ExportFormat = TrainConfig::Exportable;

/// Numbers of tokens on the two sides.
struct VocabularySizes {
  std::int64_t source = 0, target = 0;
};

/// Returns the options of `config` that a format cannot express, in table order. In each result, `before` is the
/// option's value, and `after` the value that the format needs. Empty for ExportFormat::none. Checks the sizes of
/// separate vocabularies only if `sizes` is given.
std::vector<OptionDifference> export_obstacles(const Config& config, ExportFormat format,
                                               const std::optional<VocabularySizes>& sizes = {});

/// Returns a line that lists which formats can express `config`, with the first obstacle: "exports: Marian yes, Hugging
/// Face no; see model.norm, ...". `glossa export` lists all of them.
std::string possible_exports(const Config& config, const VocabularySizes& sizes);

/// Throws a misuse error at `where` unless each of `formats` can express `config`. The error lists all obstacles. The
/// hint names the options to train with, then any format that can express `config`, and finally `otherwise`.
void check_exportable(std::string_view where, const Config& config, const std::vector<ExportFormat>& formats,
                      const std::optional<VocabularySizes>& sizes, std::string_view otherwise);

/// As above, for the format that train.exportable names. The error is at train.exportable.
void check_exportable(const Config& config, const std::optional<VocabularySizes>& sizes = {});

}  // namespace glossa
