#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/run_history.h"

namespace glossa {

/// The distribution of a figure over runs.
struct Spread {
  std::size_t count = 0;  ///< number of runs that have the figure
  double mean = 0, minimum = 0, maximum = 0;
  double deviation = 0;  ///< sample standard deviation; NaN for a single run
};

/// A figure of runs, such as the BLEU at the best checkpoint, with its spread over a group.
struct GroupFigure {
  std::string name;
  std::optional<Spread> spread;  ///< empty if no run has the figure
};

/// At least two runs whose configurations differ in train.seed only.
struct RunGroup {
  std::vector<std::size_t> runs;  ///< indices, in ascending order

  /// `best_loss`, `best_bleu` and `best_chrf` are from the best checkpoint's validation. If that checkpoint is unknown,
  /// they are from the validation with the least loss. `final_loss`, `final_bleu` and `final_chrf` are from the last
  /// validation. `minutes` is the training time.
  std::vector<GroupFigure> figures;
};

/// Returns the groups among these runs, in the order of their first runs.
std::vector<RunGroup> groups_of(std::span<const RunHistory> runs);

/// Returns the groups' spreads at the best checkpoint, as a table for a terminal; empty without groups.
std::string group_table(std::span<const RunHistory> runs, std::span<const RunGroup> groups);

}  // namespace glossa
