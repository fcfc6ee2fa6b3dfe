#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/training_observer.h"

namespace glossa {

/// The numbers of a report except its update and epoch. Keys and order are those of metrics.jsonl. For validation
/// corpora after the first, keys end with a colon and the corpus name, such as `valid_loss:NAME`.
using Figures = std::vector<std::pair<std::string, double>>;
Figures figures_of(const TrainingReport& report);
Figures figures_of(const ValidationReport& report);

/// Formats the figures of the first validation corpus for people.
std::string scores_of(const ValidationReport& report);

/// Formats the report as a line of the log.
LogLine line_of(const TrainingReport& report);
LogLine line_of(const ValidationReport& report);

}  // namespace glossa
