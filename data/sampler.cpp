#include "data/sampler.h"

#include <array>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"

namespace glossa {
namespace {

// Shuffling reads memory in random order. It asks for what it will need this many steps later, so that the processor
// rarely waits: with 40 million pairs, it is four times as fast.
constexpr std::size_t ahead = 64;

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

}  // namespace

Batches::Batches(LargeVector<int> order, std::vector<Extents> extents)
    : order_(std::move(order)), extents_(std::move(extents)) {
  std::span<const int> rest(order_);
  for (const Extents& batch : extents_) {
    const auto size = static_cast<std::size_t>(batch.sentences);
    list_.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
}

void Batches::pop_back() {
  list_.pop_back();
  extents_.pop_back();
}

void Batches::exchange(std::size_t a, std::size_t b) {
  std::swap(list_[a], list_[b]);
  std::swap(extents_[a], extents_[b]);
}

Sampler::Sampler(const PairStore& pairs, const SamplerOptions& options) : options_(options) {
  if (options.max_tokens < 1) misuse("SamplerOptions::max_tokens", "expected 1 or more; got {}", options.max_tokens);
  check(pairs.size() > 0, "sampler", "expected at least one pair of sentences; got none");
  group_ends_ = pairs.group_ends.empty() ? std::vector{pairs.size()} : pairs.group_ends;
  if (options_.weights.empty()) options_.weights.assign(group_ends_.size(), 1);
  if (options_.weights.size() != group_ends_.size())
    misuse("SamplerOptions::weights", "expected a weight for each of {} corpora; got {}", group_ends_.size(),
           options.weights.size());
  double uses = 0;
  for_groups([&](int begin, int end, std::int64_t weight) {
    if (weight < 1) misuse("SamplerOptions::weights", "expected 1 or more; got {}", weight);
    uses += static_cast<double>(weight) * (end - begin);
  });
  if (uses > std::numeric_limits<int>::max())
    misuse("SamplerOptions::weights",
           "expected fewer than 2^31 pairs in an epoch; got {:.3g}. Hint: use smaller weights", uses);
  classify(pairs);
  cut();
}

template <class Use>
void Sampler::for_groups(const Use& use) const {
  for (std::size_t group = 0; group < group_ends_.size(); ++group)
    use(group == 0 ? 0 : group_ends_[group - 1], group_ends_[group], options_.weights[group]);
}

void Sampler::classify(const PairStore& pairs) {
  std::vector<std::vector<std::uint32_t>> table;  // by target, then source: uses, then the class
  const auto entry = [&](int pair) -> std::uint32_t& {
    const auto source = static_cast<std::size_t>(pairs.source_length(pair)),
               target = static_cast<std::size_t>(pairs.target_length(pair));
    if (target >= table.size()) table.resize(target + 1);
    if (source >= table[target].size()) table[target].resize(source + 1);
    return table[target][source];
  };
  for_groups([&](int begin, int end, std::int64_t weight) {
    for (int pair = begin; pair < end; ++pair) entry(pair) += static_cast<std::uint32_t>(weight);
  });
  for (std::size_t target = 0; target < table.size(); ++target)
    for (std::size_t source = 0; source < table[target].size(); ++source)
      if (const std::uint32_t uses = table[target][source]; uses > 0) {
        table[target][source] = static_cast<std::uint32_t>(classes_.size());
        classes_.push_back({static_cast<int>(source), static_cast<int>(target), uses});
      }
  class_of_.resize(static_cast<std::size_t>(pairs.size()));
  parallel_ranges(pairs.size(), 1 << 16, [&](Index begin, Index end) {
    for (Index pair = begin; pair < end; ++pair)
      class_of_[static_cast<std::size_t>(pair)] = entry(static_cast<int>(pair));
  });
}

LargeVector<Sampler::PairUse> Sampler::uses() const {
  LargeVector<PairUse> all;
  std::size_t count = 0;
  for (const LengthClass& lengths : classes_) count += lengths.uses;
  all.reserve(count);
  for_groups([&](int begin, int end, std::int64_t weight) {
    for (std::int64_t use = 0; use < weight; ++use)
      for (int pair = begin; pair < end; ++pair) all.push_back({pair, class_of_[static_cast<std::size_t>(pair)]});
  });
  return all;
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

void Sampler::cut() {
  Load load;
  for (const LengthClass& lengths : classes_)
    for (std::uint32_t use = 0; use < lengths.uses; ++use) {
      load = load.with(lengths.source, lengths.target);
      if (lengths_.empty() || !fits(load)) {
        lengths_.emplace_back();
        load = Load{}.with(lengths.source, lengths.target);
      }
      lengths_.back().add(lengths.source, lengths.target);
    }
}

std::vector<int> Sampler::example(std::size_t i) const {
  std::int64_t begin = 0, left = lengths_[i].sentences;  // uses in the order of length
  for (std::size_t before = 0; before < i; ++before) begin += lengths_[before].sentences;
  std::vector<std::int64_t> wanted;  // of each class
  for (const LengthClass& lengths : classes_) {
    const std::int64_t skipped = std::min<std::int64_t>(begin, lengths.uses);
    begin -= skipped;
    wanted.push_back(std::min(left, lengths.uses - skipped));
    left -= wanted.back();
  }
  std::vector<int> pairs;
  while (std::ssize(pairs) < lengths_[i].sentences)  // again if pairs have several uses
    for (std::size_t pair = 0; pair < class_of_.size() && std::ssize(pairs) < lengths_[i].sentences; ++pair)
      if (wanted[class_of_[pair]] > 0) {
        --wanted[class_of_[pair]];
        pairs.push_back(static_cast<int>(pair));
      }
  return pairs;
}

LargeVector<int> Sampler::sorted(std::span<const PairUse> order) const {
  std::vector<std::uint32_t> next;  // free place of each class
  for (std::uint32_t place = 0; const LengthClass& lengths : classes_) {
    next.push_back(place);
    place += lengths.uses;
  }
  LargeVector<int> places(order.size());
  for (const PairUse& use : order) places[next[use.length_class]++] = use.pair;
  return places;
}

Batches Sampler::epoch(int epoch, bool shuffles) const {
  RandomStream random(options_.seed, hash_name("data.sampler") + static_cast<std::uint64_t>(epoch));
  LargeVector<PairUse> order = uses();
  if (shuffles)
    shuffle(
        order.size(), random, [&](std::size_t a, std::size_t b) { std::swap(order[a], order[b]); },
        [&](std::size_t i) { __builtin_prefetch(&order[i]); });
  Batches batches(sorted(order), lengths_);
  if (shuffles)
    shuffle(
        batches.size(), random, [&](std::size_t a, std::size_t b) { batches.exchange(a, b); }, [](std::size_t) {});
  return batches;
}

int Sampler::oversized() const {
  return static_cast<int>(std::ranges::count_if(lengths_, [&](const Extents& extents) {
    return extents.sentences == 1 && !fits(Load{}.with(extents.source.tokens, extents.target.tokens));
  }));
}

}  // namespace glossa
