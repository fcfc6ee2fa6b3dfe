#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/training_observer.h"

namespace glossa {

/// The numbers of a report without its update and epoch, by their keys in metrics.jsonl and in the same order. Keys of
/// a further validation corpus end with a colon and its name, such as `valid_loss:NAME`.
using Figures = std::vector<std::pair<std::string, double>>;
Figures figures_of(const TrainingReport& report);
Figures figures_of(const ValidationReport& report);

/// Formats the figures of the first validation corpus for people.
std::string scores_of(const ValidationReport& report);

/// Formats the report as a line of the log.
LogLine line_of(const TrainingReport& report);
LogLine line_of(const ValidationReport& report);

}  // namespace glossa
