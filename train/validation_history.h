#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace glossa {

/// Figures of one validation, by their keys in metrics.jsonl.
using ValidationFigures = std::map<std::string, double>;

/// Reads the validations in a run's metrics, in order. Skips damaged lines and an incomplete last line.
std::vector<ValidationFigures> validation_history(const std::filesystem::path& run);

/// Returns the update of the newest validation in a run's metrics; 0 if none.
std::int64_t last_validation(const std::filesystem::path& run);

/// Returns the labels of the loss and scores that are better in the last validation than in all others: "loss", "BLEU".
/// Empty if there are fewer than two validations.
std::vector<std::string> best_at_last(std::span<const ValidationFigures> history);

/// Warns about averaging the checkpoints of `updates` (newest first) if the validation loss still fell clearly from the
/// oldest to the newest. The older checkpoints then lie far from the optimum that the newer ones approach. A
/// checkpoint's loss is that of the last validation at or before it. Returns empty text if there is no reason to warn,
/// or if the losses are unknown.
std::string doubt_of_mean(std::span<const ValidationFigures> history, std::span<const std::int64_t> updates);

}  // namespace glossa
