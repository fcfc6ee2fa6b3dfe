#include "train/corpora/language_watch.h"

#include <utility>

#include "data/text/language_evidence.h"
#include "train/console/print.h"

namespace glossa {

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
  has_warned_ = look_like_other(lines_, source_, target_, least);
  if (has_warned_)
    warn(
        "[{}] most lines look like {}, but the run translates {} to {}. Hint: name text in {}, or use a run of the "
        "opposite direction",
        name_, target_, source_, target_, source_);
  lines_.clear();
}

}  // namespace glossa
