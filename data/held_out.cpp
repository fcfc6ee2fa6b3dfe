#include "data/held_out.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "autograd/check.h"
#include "data/fingerprint.h"

namespace glossa {
namespace {

/// The part that a pair goes to, and no part for the copy of one that is held out.
enum class Part { training, validation, test, none };

/// The part of each pair: the different pairs in the order of their hashes, the first for validation, the next for
/// testing. Returns how many different pairs there are.
std::int64_t assign(const ParallelCorpus& corpus, const HeldOut& held_out, std::vector<Part>& parts) {
  std::vector<std::uint64_t> hashes(corpus.source.size());
  for (std::size_t i = 0; i < hashes.size(); ++i)
    hashes[i] = Fingerprint().add(corpus.source[i]).add(corpus.target[i]).value();
  const auto key = [&](std::size_t i) { return std::tie(hashes[i], corpus.source[i], corpus.target[i]); };
  std::vector<std::size_t> order(hashes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return std::pair(key(a), a) < std::pair(key(b), b); });

  parts.assign(hashes.size(), Part::training);
  std::int64_t different = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool is_copy = k > 0 && key(order[k]) == key(order[k - 1]);
    different += !is_copy;
    if (different > held_out.pairs()) continue;
    parts[order[k]] = is_copy ? Part::none : different <= held_out.valid ? Part::validation : Part::test;
  }
  return different;
}

}  // namespace

SplitCorpus hold_out(ParallelCorpus corpus, const HeldOut& held_out, std::string_view where) {
  std::vector<Part> parts;
  const std::int64_t different = assign(corpus, held_out, parts);
  if (different <= held_out.pairs())
    misuse(where, "expected less to hold out than the different pairs of {}, {}; got {}/{}", corpus.name, different,
           held_out.valid, held_out.test);

  SplitCorpus split;
  for (ParallelCorpus* part : {&split.training, &split.validation, &split.test}) {
    part->name = corpus.name;
    part->source_name = corpus.source_name;
    part->target_name = corpus.target_name;
  }
  split.validation.name += " (held out)";
  split.test.name += " (held out)";
  split.training.report = corpus.report;
  split.training.report.pairs = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == Part::none) {
      ++split.training.report.copies;
      continue;
    }
    ParallelCorpus& part = parts[i] == Part::training     ? split.training
                           : parts[i] == Part::validation ? split.validation
                                                          : split.test;
    part.lines.push_back(corpus.line(i));
    part.source.push_back(std::move(corpus.source[i]));
    part.target.push_back(std::move(corpus.target[i]));
    ++part.report.pairs;
  }
  split.training.report.held_out = held_out.pairs();
  split.validation.report.lines = held_out.valid;
  split.test.report.lines = held_out.test;
  return split;
}

}  // namespace glossa
