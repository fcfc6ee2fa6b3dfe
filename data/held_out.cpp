#include "data/held_out.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <unordered_set>

#include "base/check.h"
#include "base/parallel.h"

namespace glossa {
namespace {

/// The `count`-th smallest of the different hashes, or the largest if there are fewer.
std::uint64_t limit_of(std::span<const std::uint64_t> hashes, std::size_t count) {
  std::set<std::uint64_t> smallest;
  for (const std::uint64_t hash : hashes) {
    if (smallest.size() >= count && hash >= *smallest.rbegin()) continue;
    smallest.insert(hash);
    if (smallest.size() > count) smallest.erase(std::prev(smallest.end()));
  }
  return smallest.empty() ? 0 : *smallest.rbegin();
}

}  // namespace

HeldOutPairs choose_held_out(std::span<const std::uint64_t> hashes, const HeldOut& held_out,
                             const std::function<std::pair<std::string_view, std::string_view>(std::size_t)>& text,
                             const std::string& name, std::string_view where) {
  const auto wanted = static_cast<std::size_t>(held_out.pairs());
  const std::uint64_t limit = limit_of(hashes, wanted + 1);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < hashes.size(); ++i)
    if (hashes[i] <= limit) order.push_back(i);
  const auto key = [&](std::size_t i) { return std::tuple_cat(std::tuple(hashes[i]), text(i)); };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });

  HeldOutPairs chosen;
  std::int64_t different = 0;  // different sources, counted up to one more than the number to hold out
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool is_further = k > 0 && text(order[k]).first == text(order[k - 1]).first;
    different += !is_further;
    if (different > held_out.pairs()) break;
    (is_further ? chosen.further : different <= held_out.valid ? chosen.validation : chosen.test).push_back(order[k]);
  }
  if (different <= held_out.pairs())
    misuse(where,
           "expected more distinct source sentences in {} than the {} held out for validation and testing; got {}. "
           "Hint: use more text, or hold out fewer",
           name, held_out.pairs(), different);
  for (auto* part : {&chosen.validation, &chosen.test, &chosen.further}) std::ranges::sort(*part);
  return chosen;
}

std::vector<bool> HeldOutPairs::leave(std::size_t count) const {
  std::vector<bool> leaves(count);
  for (const auto* part : {&validation, &test, &further})
    for (const std::size_t i : *part) leaves[i] = true;
  return leaves;
}

void count_held_out(const HeldOutPairs& chosen, const HeldOut& held_out, const CorpusReport& whole,
                    CorpusReport& training, CorpusReport& validation, CorpusReport& test) {
  training = whole;
  training.same_source = std::ssize(chosen.further);
  training.held_out = held_out.pairs();
  training.pairs = whole.pairs - std::ssize(chosen.validation) - std::ssize(chosen.test) - std::ssize(chosen.further);
  const auto read = whole.lines == 0 && whole.units > 0 ? &CorpusReport::units : &CorpusReport::lines;
  validation.*read = held_out.valid;
  validation.pairs = std::ssize(chosen.validation);
  test.*read = held_out.test;
  test.pairs = std::ssize(chosen.test);
}

std::int64_t different_sources(const ParallelCorpus& corpus) {
  return std::ssize(std::unordered_set<std::string_view>(corpus.source.begin(), corpus.source.end()));
}

SplitCorpus hold_out(ParallelCorpus corpus, const HeldOut& held_out, std::string_view where) {
  const std::vector<std::uint64_t> hashes =
      parallel_map(corpus.source.size(), 4096, [&](std::size_t i) { return content_hash(corpus.source[i]); });
  const HeldOutPairs chosen = choose_held_out(
      hashes, held_out,
      [&](std::size_t i) { return std::pair<std::string_view, std::string_view>(corpus.source[i], corpus.target[i]); },
      corpus.name, where);

  SplitCorpus split;
  split.training = split.validation = split.test = corpus.without_pairs();
  split.validation.name += " (held out)";
  split.test.name += " (held out)";
  const std::vector<bool> leaves = chosen.leave(corpus.source.size());
  for (const std::size_t i : chosen.validation) split.validation.take(corpus, i);
  for (const std::size_t i : chosen.test) split.test.take(corpus, i);
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (!leaves[i]) split.training.take(corpus, i);
  count_held_out(chosen, held_out, corpus.report, split.training.report, split.validation.report, split.test.report);
  return split;
}

}  // namespace glossa
