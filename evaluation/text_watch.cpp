#include "evaluation/text_watch.h"

#include <utility>

#include "base/console/print.h"
#include "data/text/languages.h"

namespace glossa {

LengthWatch::LengthWatch(std::int64_t usual, std::string name) : usual_(usual), name_(std::move(name)) {}

void LengthWatch::add(std::string_view line) {
  if (usual_ == 0 || has_warned_) return;
  lengths_.add(line);
  if (lengths_.lines() < next_) return;
  next_ *= 10;
  compare();
}

void LengthWatch::compare() {
  constexpr std::int64_t fewest_lines = 10;
  const std::int64_t median = lengths_.quantile(0.5);
  if (usual_ == 0 || has_warned_ || lengths_.lines() < fewest_lines || median <= usual_) return;
  has_warned_ = true;
  warn(
      "[{}] half of the first {} lines have {} words or more, but 95 % of the training text has at most {}; "
      "translations may be cut short. Hint: split lines into sentences, or train on longer text, which a small "
      "data.max_length leaves out",
      name_, lengths_.lines(), median, usual_);
}

LanguageWatch::LanguageWatch(std::string source, std::string target, std::string name)
    : source_(std::move(source)), target_(std::move(target)), name_(std::move(name)) {}

void LanguageWatch::add(std::string_view line) {
  constexpr std::size_t most_lines = 200;
  if (is_done_) return;
  lines_.emplace_back(line);
  if (lines_.size() == most_lines) compare();
}

void LanguageWatch::compare() {
  constexpr double least = 0.5;
  if (std::exchange(is_done_, true)) return;
  if (look_like_other(lines_, source_, target_, least))
    warn(
        "[{}] most lines look like {}, but the run translates {} to {}. Hint: name text in {}, or use a run of the "
        "opposite direction",
        name_, target_, source_, target_, source_);
  lines_.clear();
}

}  // namespace glossa
