#include "decoding/decoding.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "decoding/batch_search.h"

namespace glossa {

namespace {

struct SearchBatch {
  std::span<const Index> sources;
  SampleRange samples;
  Index of_turn = 0;  // number of sentences or samples in all batches of its turn (see Searcher::watch)

  Index size() const { return std::ssize(sources) * samples.count; }
};

void check_search(std::span<const std::vector<int>> sources, const DecodeOptions& options, Index n,
                  std::span<const std::int64_t> numbers) {
  check(options.beam >= 1, "decode.beam", "expected at least 1; got {}", options.beam);
  check(std::isfinite(options.alpha), "decode.alpha", "expected a finite number; got {}", options.alpha);
  check(options.max_length_factor >= 0 && std::isfinite(options.max_length_factor), "decode.max_length_factor",
        "expected a finite number of at least 0; got {}", options.max_length_factor);
  if (n < 1 || n > options.beam) misuse("n_best", "expected 1 to {} translations (the beam); got {}", options.beam, n);
  if (options.sample && options.beam > 1)
    misuse("decode.beam", "expected 1 with decode.sample: true; got {}", options.beam);
  check(numbers.empty() || numbers.size() == sources.size(), "decode",
        "expected a number for each of {} sources; got {}", sources.size(), numbers.size());
}

/// Divides the sources into batches; `order` has their indices, longest first. A batch has as many sources as
/// `max_tokens` allows, but at least one. If not all samples of a source fit in one batch, divides its samples.
std::vector<SearchBatch> batches_of(std::span<const Index> order, std::span<const std::vector<int>> sources,
                                    Index samples, const DecodeOptions& options) {
  std::vector<SearchBatch> batches;
  while (!order.empty()) {
    const Index longest = std::max<Index>(1, std::ssize(sources[order.front()]));
    const Index fitting = std::max<Index>(1, options.max_tokens / (options.beam * longest));  // sentences or samples
    const std::size_t count = std::min(order.size(), static_cast<std::size_t>(std::max<Index>(1, fitting / samples)));
    for (Index first = 0; first < samples; first += fitting)
      batches.push_back({order.first(count), {first, std::min(fitting, samples - first)}});
    order = order.subspan(count);
  }
  return batches;
}

/// Returns the batches of one searcher. Batches are sorted by length, so they go to the searchers in turn, which
/// balances the work.
std::vector<SearchBatch> own_batches(std::span<const SearchBatch> batches, const SearchDivision& division) {
  const auto count = static_cast<std::size_t>(division.count), index = static_cast<std::size_t>(division.index);
  std::vector<SearchBatch> own;
  while (index < batches.size()) {
    const std::span<const SearchBatch> turn = batches.first(std::min(count, batches.size()));
    own.push_back(turn[index]);
    for (const SearchBatch& batch : turn) own.back().of_turn += batch.size();
    batches = batches.subspan(turn.size());
  }
  return own;
}

}  // namespace

double penalized(double log_probability, Index length, const DecodeOptions& options) {
  const double n = static_cast<double>(length);
  switch (options.length_penalty) {
    case LengthPenalty::none:
      return log_probability;
    case LengthPenalty::power:
      return log_probability / std::pow(n, options.alpha);
    case LengthPenalty::gnmt:
      return log_probability / std::pow((5 + n) / 6, options.alpha);
  }
  return log_probability;
}

ExcludedTokens::ExcludedTokens(const DecodeOptions& options, const SpecialIds& specials, Index vocabulary)
    : min_length_(options.min_length), late_(options.forbidden.begin(), options.forbidden.end()) {
  late_.insert(late_.end(), {specials.pad, specials.bos});
  early_ = late_;
  early_.push_back(specials.eos);
  for (std::vector<int>* tokens : {&early_, &late_}) {
    std::ranges::sort(*tokens);
    tokens->erase(std::unique(tokens->begin(), tokens->end()), tokens->end());
  }
  check(late_.front() >= 0 && late_.back() < vocabulary, "decode.forbidden", "expected tokens from 0 to {}; got {}",
        vocabulary - 1, late_.front() < 0 ? late_.front() : late_.back());
}

template <class T>
Searcher<T>::Searcher() = default;
template <class T>
Searcher<T>::~Searcher() = default;

template <class T>
std::vector<Hypothesis> Searcher<T>::decode(const Ensemble<T>& models, std::span<const std::vector<int>> sources,
                                            const SpecialIds& specials, const DecodeOptions& options,
                                            std::span<const std::int64_t> numbers) {
  std::vector<Hypothesis> best;
  for (std::vector<Hypothesis>& found : n_best(models, sources, specials, options, 1, numbers))
    best.push_back(std::move(found.front()));
  return best;
}

template <class T>
std::vector<std::vector<Hypothesis>> Searcher<T>::sample(const Ensemble<T>& models,
                                                         std::span<const std::vector<int>> sources,
                                                         const SpecialIds& specials, DecodeOptions options, Index count,
                                                         std::span<const std::int64_t> numbers) {
  check(count >= 1, "sample", "expected at least 1 sample; got {}", count);
  options.sample = true;
  options.beam = 1;
  std::vector<std::vector<Hypothesis>> results(sources.size());
  auto found = search(models, sources, specials, options, 1, count, numbers);
  for (std::size_t i = 0; i < found.size(); ++i)
    results[i / static_cast<std::size_t>(count)].push_back(std::move(found[i].front()));
  return results;
}

template <class T>
std::vector<std::vector<Hypothesis>> Searcher<T>::search(const Ensemble<T>& models,
                                                         std::span<const std::vector<int>> sources,
                                                         const SpecialIds& specials, const DecodeOptions& options,
                                                         Index n, Index samples,
                                                         std::span<const std::int64_t> numbers) {
  check_search(sources, options, n, numbers);
  std::vector<Index> order(sources.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return sources[a].size() > sources[b].size(); });
  const std::vector<SearchBatch> batches = own_batches(batches_of(order, sources, samples, options), division_);

  // Transposes the weights once per search, but not for a few sentences, where this would cost more than it saves. In
  // bf16 it always pays, because otherwise each step would pack the weights.
  std::size_t ids = 0;
  for (const std::vector<int>& source : sources) ids += source.size();
  std::optional<PreparedWeights<T>> weights;
  if (ids * static_cast<std::size_t>(samples) >= 1024 || options.precision == Precision::bf16) weights.emplace();
  while (std::ssize(searches_) < threads()) searches_.emplace_back(contexts_.emplace_back());
  for (Context<T>& context : contexts_) context.set_prepared_weights(weights ? &*weights : nullptr);
  std::vector<std::vector<Hypothesis>> results(sources.size() * static_cast<std::size_t>(samples));
  std::mutex watching;
  const auto search_batch = [&](Index i) {
    BatchSearch<T>& search = searches_[thread_index()];
    const SearchBatch& batch = batches[i];
    const SampleRange range = batch.samples;
    search.begin(models, specials, options, n, batch.sources, sources, numbers, range);
    while (!search.is_done()) search.step();
    for (Index place = 0; place < batch.size(); ++place) {
      std::vector<Hypothesis>& found =
          results[batch.sources[place / range.count] * samples + range.first + place % range.count];
      for (Index rank = 0; rank < search.found(place); ++rank) found.push_back(search.hypothesis(place, rank));
    }
    if (!watch_) return;
    const std::scoped_lock lock(watching);
    watch_(batch.of_turn);
  };
  // With enough batches, each runs on one thread, without waiting at every op. Otherwise, all threads work on one
  // batch.
  if (std::ssize(batches) >= 2 * threads())
    parallel_for(std::ssize(batches), search_batch);
  else
    for (Index i = 0; i < std::ssize(batches); ++i) search_batch(i);
  division_.complete(results);
  return results;
}

template class Searcher<float>;
template class Searcher<double>;

}  // namespace glossa
