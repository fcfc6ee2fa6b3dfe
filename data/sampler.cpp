#include "data/sampler.h"

#include <array>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"

namespace glossa {
namespace {

// The loops below read memory in random order. They ask for what they will need this many steps later, so that the
// processor rarely waits: with 40 million pairs, they are four times as fast.
constexpr std::size_t ahead = 16;

/// Fisher-Yates shuffle, because std::shuffle differs between libraries. `prefetch(i)` announces a use of item i.
template <class Exchange, class Prefetch>
void shuffle(std::size_t count, RandomStream& random, const Exchange& exchange, const Prefetch& prefetch) {
  std::array<std::size_t, ahead> drawn{};  // for the next steps, in turn
  std::size_t to_draw = count;
  const auto draw = [&] {
    if (to_draw <= 1) return;
    std::size_t& place = drawn[to_draw % ahead];
    place = random.below(to_draw--);
    prefetch(place);
  };
  for (std::size_t k = 0; k < ahead; ++k) draw();
  for (std::size_t left = count; left > 1; --left) {
    exchange(left - 1, drawn[left % ahead]);
    draw();
  }
}

/// Calls `use(k, source length, target length)` for the pairs in `order`, from position `begin` to `end`.
template <class Use>
void for_lengths(const PairStore& pairs, std::span<const int> order, std::size_t begin, std::size_t end,
                 const Use& use) {
  for (std::size_t k = begin; k < end; ++k) {
    if (k + ahead < end) pairs.prefetch_lengths(order[k + ahead]);
    use(k, pairs.source_length(order[k]), pairs.target_length(order[k]));
  }
}

/// Sorts pairs stably by the length of a side, with all threads: each counts the lengths in its part of `order`, and
/// then moves this part.
template <class Length>
void sort_by(const PairStore& pairs, std::vector<int>& order, const Length& length) {
  const Index parts = threads(), count = std::ssize(order), grain = (count + parts - 1) / parts;
  std::vector<std::vector<std::size_t>> next(static_cast<std::size_t>(parts));  // by part and length
  const auto of_part = [&](Index begin) -> std::vector<std::size_t>& {
    return next[static_cast<std::size_t>(begin / grain)];
  };
  parallel_ranges(count, grain, [&](Index begin, Index end) {
    std::vector<std::size_t>& counts = of_part(begin);
    for_lengths(pairs, order, static_cast<std::size_t>(begin), static_cast<std::size_t>(end),
                [&](std::size_t, int source, int target) {
                  const auto l = static_cast<std::size_t>(length(source, target));
                  if (l >= counts.size()) counts.resize(l + 1);
                  ++counts[l];
                });
  });
  std::size_t longest = 0, position = 0;
  for (const auto& counts : next) longest = std::max(longest, counts.size());
  for (std::size_t l = 0; l < longest; ++l)
    for (auto& counts : next)
      if (l < counts.size()) position += std::exchange(counts[l], position);
  std::vector<int> sorted(order.size());
  parallel_ranges(count, grain, [&](Index begin, Index end) {
    std::vector<std::size_t>& places = of_part(begin);
    for_lengths(pairs, order, static_cast<std::size_t>(begin), static_cast<std::size_t>(end),
                [&](std::size_t k, int source, int target) {
                  sorted[places[static_cast<std::size_t>(length(source, target))]++] = order[k];
                });
  });
  order = std::move(sorted);
}

}  // namespace

Batches::Batches(const PairStore& pairs, std::vector<int> order, std::span<const int> sizes)
    : order_(std::move(order)), extents_(sizes.size()) {
  std::span<const int> rest(order_);
  for (const int size : sizes) {
    list_.push_back(rest.first(static_cast<std::size_t>(size)));
    rest = rest.subspan(static_cast<std::size_t>(size));
  }
  parallel_ranges(std::ssize(list_), 256, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      for_lengths(pairs, list_[i], 0, list_[i].size(),
                  [&](std::size_t, int source, int target) { extents_[i].add(source, target); });
  });
}

void Batches::pop_back() {
  list_.pop_back();
  extents_.pop_back();
}

void Batches::exchange(std::size_t a, std::size_t b) {
  std::swap(list_[a], list_[b]);
  std::swap(extents_[a], extents_[b]);
}

Sampler::Sampler(const PairStore& pairs, const SamplerOptions& options) : pairs_(pairs), options_(options) {
  if (options.max_tokens < 1) misuse("SamplerOptions::max_tokens", "expected 1 or more; got {}", options.max_tokens);
  check(pairs.size() > 0, "sampler", "expected at least one pair of sentences; got none");
}

bool Sampler::fits(const Load& load) const {
  switch (options_.rule) {
    case BatchRule::longest_side:
      return load.sentences * load.longest <= options_.max_tokens;
    case BatchRule::tokens:
      return load.rows <= options_.max_tokens;
    case BatchRule::sentences:
      return load.sentences <= options_.max_tokens;
  }
  return false;
}

Batches Sampler::epoch(int epoch, bool shuffles) const {
  RandomStream random(options_.seed, hash_name("data.sampler") + static_cast<std::uint64_t>(epoch));
  std::vector<int> order(static_cast<std::size_t>(pairs_.size()));
  std::iota(order.begin(), order.end(), 0);
  if (shuffles)
    shuffle(
        order.size(), random, [&](std::size_t a, std::size_t b) { std::swap(order[a], order[b]); },
        [&](std::size_t i) { __builtin_prefetch(&order[i]); });
  sort_by(pairs_, order, [](int source, int) { return source; });
  sort_by(pairs_, order, [](int, int target) { return target; });
  std::vector<int> sizes;
  Load load;
  for_lengths(pairs_, order, 0, order.size(), [&](std::size_t, int source, int target) {
    load = load.with(source, target);
    if (sizes.empty() || !fits(load)) {
      sizes.push_back(0);
      load = Load{}.with(source, target);
    }
    ++sizes.back();
  });
  Batches batches(pairs_, std::move(order), sizes);
  if (shuffles)
    shuffle(
        batches.size(), random, [&](std::size_t a, std::size_t b) { batches.exchange(a, b); }, [](std::size_t) {});
  return batches;
}

int Sampler::oversized(const Batches& batches) const {
  int count = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Extents& extents = batches.extents(i);
    count += extents.sentences == 1 && !fits(Load{}.with(extents.source.tokens, extents.target.tokens));
  }
  return count;
}

}  // namespace glossa
