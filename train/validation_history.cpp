#include "train/validation_history.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/json_line.h"
#include "data/text/text_file.h"
#include "train/run_log.h"

namespace glossa {

namespace {

/// Returns the loss of the last validation at or before an update.
std::optional<double> loss_by(std::span<const ValidationFigures> history, std::int64_t update) {
  std::optional<double> loss;
  double latest = 0;
  for (const ValidationFigures& figures : history)
    if (const double at = figures.at("update"); at >= latest && at <= static_cast<double>(update)) {
      latest = at;
      loss = figures.at("valid_loss");
    }
  return loss;
}

}  // namespace

std::vector<ValidationFigures> validation_history(const std::filesystem::path& run) {
  std::vector<ValidationFigures> history;
  std::error_code ignored;
  if (!std::filesystem::exists(metrics_file(run), ignored)) return history;
  std::istringstream text(read_file(metrics_file(run)));
  for (std::string line; std::getline(text, line) && !text.eof();)
    if (auto figures = numbers_in_json(line);
        figures && figures->contains("valid_loss") && figures->contains("update") && is_whole(figures->at("update")))
      history.push_back(std::move(*figures));
  return history;
}

std::int64_t last_validation(const std::filesystem::path& run) {
  const std::vector<ValidationFigures> history = validation_history(run);
  return history.empty() ? 0 : static_cast<std::int64_t>(history.back().at("update"));
}

std::vector<std::string> best_at_last(std::span<const ValidationFigures> history) {
  struct Figure {
    const char *key, *label;
    bool larger_is_better;
  };
  constexpr Figure all[] = {{"valid_loss", "loss", false},
                            {"valid_bleu", "BLEU", true},
                            {"valid_chrf", "chrF", true},
                            {"valid_exact_match", "exact match", true}};
  std::vector<std::string> best;
  if (history.size() < 2) return best;
  for (const auto& [key, label, larger_is_better] : all) {
    if (!history.back().contains(key)) continue;
    const double last = history.back().at(key);
    const auto is_worse = [&, key = key, larger = larger_is_better](const ValidationFigures& figures) {
      const auto value = figures.find(key);
      return value == figures.end() || (larger ? last > value->second : last < value->second);
    };
    if (std::ranges::all_of(history.first(history.size() - 1), is_worse)) best.push_back(label);
  }
  return best;
}

std::string doubt_of_mean(std::span<const ValidationFigures> history, std::span<const std::int64_t> updates) {
  // Measured on short runs of the toy language: a mean of three was worse than the newest while the loss fell by 15 %
  // and more. Near convergence, checkpoints differ by about 1 %.
  constexpr double steep = 0.05;
  if (updates.size() < 2) return "";
  const auto newest = loss_by(history, updates.front()), oldest = loss_by(history, updates.back());
  if (!newest || !oldest || !(*newest < (1 - steep) * *oldest)) return "";
  return fmt::format(
      "the validation loss fell from {:.3f} to {:.3f} across the averaged checkpoints, so their mean may be worse than "
      "the newest. Hint: compare both with glossa evaluate, or average fewer",
      *oldest, *newest);
}

}  // namespace glossa
