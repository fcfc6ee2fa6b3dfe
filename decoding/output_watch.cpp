#include "decoding/output_watch.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/text/utf8.h"

namespace glossa {

void OutputWatch::add(const std::string& source, const std::string& output) {
  constexpr std::size_t most_sources = 1000;
  if (sources_.size() == most_sources || utf8::trimmed(source).empty()) return;
  if (sources_.insert(source).second) ++outputs_[output];
}

std::string OutputWatch::doubt() const {
  constexpr std::size_t fewest_sources = 10;
  if (sources_.size() < fewest_sources) return "";
  const auto& [output, count] = *std::ranges::max_element(outputs_, {}, [](const auto& each) { return each.second; });
  if (2 * count <= std::ssize(sources_)) return "";
  return fmt::format(
      "{} of {} different lines have {}: the model can hardly translate. Hint: train longer or with more text, and "
      "check that the validation loss falls",
      count, sources_.size(), output.empty() ? "an empty translation" : "the same translation");
}

}  // namespace glossa
