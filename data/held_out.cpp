#include "data/held_out.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "data/text/fingerprint.h"

namespace glossa {
namespace {

/// Part that a pair goes to; none for further pairs of a held-out source.
enum class Part { training, validation, test, none };

/// Assigns a part to each pair. Of the different sources, in order of their hashes, the first are for validation and
/// the next for testing. Returns the number of different sources.
std::int64_t assign(const ParallelCorpus& corpus, const HeldOut& held_out, std::vector<Part>& parts) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& source : corpus.source) hashes.push_back(Fingerprint().add(source).value());
  std::vector<std::size_t> order(hashes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return std::tie(hashes[i], corpus.source[i], corpus.target[i]); };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });

  parts.assign(hashes.size(), Part::training);
  std::int64_t different = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool is_further = k > 0 && corpus.source[order[k]] == corpus.source[order[k - 1]];
    different += !is_further;
    if (different > held_out.pairs()) continue;
    parts[order[k]] = is_further ? Part::none : different <= held_out.valid ? Part::validation : Part::test;
  }
  return different;
}

}  // namespace

std::int64_t different_sources(const ParallelCorpus& corpus) {
  return std::ssize(std::unordered_set<std::string_view>(corpus.source.begin(), corpus.source.end()));
}

SplitCorpus hold_out(ParallelCorpus corpus, const HeldOut& held_out, std::string_view where) {
  std::vector<Part> parts;
  const std::int64_t different = assign(corpus, held_out, parts);
  if (different <= held_out.pairs())
    misuse(where,
           "expected more distinct source sentences in {} than the {} held out for validation and testing; got {}. "
           "Hint: use more text, or hold out fewer",
           corpus.name, held_out.pairs(), different);

  SplitCorpus split;
  split.training = split.validation = split.test = corpus.without_pairs();
  split.validation.name += " (held out)";
  split.test.name += " (held out)";
  split.training.report = corpus.report;
  split.training.report.pairs = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == Part::none) {
      ++split.training.report.same_source;
      continue;
    }
    ParallelCorpus& part = parts[i] == Part::training     ? split.training
                           : parts[i] == Part::validation ? split.validation
                                                          : split.test;
    part.take(corpus, i);
  }
  split.training.report.held_out = held_out.pairs();
  const auto read = corpus.report.lines == 0 && corpus.report.units > 0 ? &CorpusReport::units : &CorpusReport::lines;
  split.validation.report.*read = held_out.valid;
  split.test.report.*read = held_out.test;
  return split;
}

}  // namespace glossa
