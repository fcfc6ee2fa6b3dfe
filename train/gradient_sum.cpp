#include "train/gradient_sum.h"

#include <algorithm>

namespace glossa {

namespace {
// Limits on the floats received at a time: maximum from one process's sum and from all sums, minimum from one sum.
constexpr Index max_at_once = 1 << 18, all_at_once = 1 << 22, min_at_once = 1 << 14;
}  // namespace

GradientSum::GradientSum(ParameterStore<float>& parameters, const Job& job)
    : parameters_(parameters), job_(job), sum_(std::ssize(parameters.grads())) {}

void GradientSum::add_up(std::int64_t count, std::span<const Index> bounds,
                         const std::function<void(std::int64_t)>& backward) {
  const auto [begin, end] = job_.part_of(count);
  std::span<const PartialSum<float>> own;
  if (begin < end) sum_.begin(count, begin);
  for (std::int64_t i = begin; i < end; ++i) {
    parameters_.clear_grads();
    backward(i);
    parameters_.fill_unset_grads();
    if (i + 1 < end)
      sum_.add(parameters_.grads());
    else
      own = sum_.finish(parameters_.grads());
  }
  if (!job_.is_several()) return;  // the parameters already have the sum
  if (begin == end) {
    parameters_.clear_grads();
    parameters_.fill_unset_grads();
  }
  exchange(own, count, bounds);
}

void GradientSum::exchange(std::span<const PartialSum<float>> own, std::int64_t count, std::span<const Index> bounds) {
  // Round k exchanges the k-th partial sum of each process that has one.
  std::vector<std::vector<PartialSum<float>>> all;
  std::vector<std::vector<int>> senders;
  for (int rank = 0; rank < job_.count(); ++rank) {
    const auto [begin, end] = job_.part_of(count, rank);
    all.push_back(subtrees(begin, end, count));
    senders.resize(std::max(senders.size(), all.back().size()));
    if (rank == job_.rank()) continue;
    for (std::size_t k = 0; k < all.back().size(); ++k) senders[k].push_back(rank);
  }
  Index foreign = 0, longest = 0;
  for (const std::vector<int>& ranks : senders) foreign += std::ssize(ranks);
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) longest = std::max(longest, bounds[r + 1] - bounds[r]);
  const Index step = std::clamp(all_at_once / std::max<Index>(1, foreign), min_at_once, max_at_once);
  received_.resize(static_cast<std::size_t>(foreign * step));

  const Index begin = bounds[job_.rank()], end = bounds[job_.rank() + 1];
  for (Index from = 0; from < longest; from += step) {
    const Index first = std::min(begin + from, end), last = std::min(first + step, end), length = last - first;
    float* place = received_.data();
    for (std::size_t k = 0; k < senders.size(); ++k) {
      const std::span<const float> sum = k < own.size() ? own[k].sum : std::span<float>();
      job_.exchange(sum, bounds, from, from + step, senders[k], std::span(place, received_.data() + received_.size()));
      for (const int rank : senders[k]) {
        all[rank][k].sum = {place, static_cast<std::size_t>(length)};
        place += length;
      }
    }
    for (std::size_t k = 0; k < own.size(); ++k) all[job_.rank()][k].sum = own[k].sum.subspan(first, length);
    std::vector<PartialSum<float>> tree;
    for (const std::vector<PartialSum<float>>& of_rank : all)
      for (const PartialSum<float>& sum : of_rank) push_partial_sum(tree, sum, count);
    if (tree.front().sum.data() != parameters_.grads().data() + first)
      std::ranges::copy(tree.front().sum, parameters_.grads().begin() + first);
  }
}

}  // namespace glossa
