#include "data/sampler.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/random.h"

namespace glossa {
namespace {

/// Fisher-Yates shuffle, because std::shuffle differs between libraries.
template <class T>
void shuffle_in_place(std::vector<T>& items, RandomStream& random) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[random.below(left)]);
}

}  // namespace

Sampler::Sampler(const EncodedCorpus& corpus, const SamplerOptions& options) : options_(options) {
  if (options.max_tokens < 1) misuse("SamplerOptions::max_tokens", "expected 1 or more; got {}", options.max_tokens);
  check(corpus.size() > 0, "sampler", "expected at least one pair of sentences; got none");
  for (int i = 0; i < corpus.size(); ++i) {
    source_lengths_.push_back(corpus.source_length(i));
    target_lengths_.push_back(corpus.target_length(i));
  }
}

Sampler::Load Sampler::with(Load load, int sentence) const {
  const std::int64_t source = source_lengths_[static_cast<std::size_t>(sentence)];
  const std::int64_t target = target_lengths_[static_cast<std::size_t>(sentence)];
  return {load.sentences + 1, std::max({load.longest, source, target}), load.rows + source + target};
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

std::vector<std::vector<int>> Sampler::epoch(int epoch, bool shuffle) const {
  RandomStream random(options_.seed, hash_name("data.sampler") + static_cast<std::uint64_t>(epoch));
  std::vector<int> order(source_lengths_.size());
  std::iota(order.begin(), order.end(), 0);
  if (shuffle) shuffle_in_place(order, random);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    return std::tie(target_lengths_[i], source_lengths_[i]) < std::tie(target_lengths_[j], source_lengths_[j]);
  });
  std::vector<std::vector<int>> batches;
  Load load;
  for (const int sentence : order) {
    load = with(load, sentence);
    if (batches.empty() || !fits(load)) {
      batches.emplace_back();
      load = with({}, sentence);
    }
    batches.back().push_back(sentence);
  }
  if (shuffle) shuffle_in_place(batches, random);
  return batches;
}

int Sampler::oversized() const {
  int count = 0;
  for (int i = 0; i < static_cast<int>(source_lengths_.size()); ++i) count += !fits(with({}, i));
  return count;
}

}  // namespace glossa
