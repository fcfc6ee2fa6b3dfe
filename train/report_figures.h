#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/training_observer.h"

namespace glossa {

/// The numbers of a report, by their keys in metrics.jsonl, in its order; without update and epoch. Those of a further
/// validation corpus have a name behind a colon, such as `valid_loss:NAME`.
using Figures = std::vector<std::pair<std::string, double>>;
Figures figures_of(const TrainingReport& report);
Figures figures_of(const ValidationReport& report);

/// The figures of the first validation corpus for people.
std::string scores_of(const ValidationReport& report);

/// The report as a line of the log.
LogLine line_of(const TrainingReport& report);
LogLine line_of(const ValidationReport& report);

}  // namespace glossa
