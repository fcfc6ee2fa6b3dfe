#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "autograd/worse.h"
#include "layers/cases/small_transformer.h"
#include "tests/support/restore_runtime.h"

namespace glossa::test {

inline constexpr int vocabulary = 13, pad = 1, start = 2;

using glossa::testing::OneThread;

/// Sequence `id` of an endless corpus, with lengths from 1 to 7 and tokens from 3 on.
inline std::vector<int> sequence(int id, int side) {
  std::vector<int> tokens(1 + static_cast<std::size_t>(5 * id + 3 * side) % 7);
  for (std::size_t t = 0; t < tokens.size(); ++t)
    tokens[t] = 3 + static_cast<int>((7 * id + 3 * t + 5 * side) % (vocabulary - 3));
  return tokens;
}

/// One side of a batch as rows.
struct Side {
  std::vector<RowSpan> spans;
  std::vector<std::uint32_t> sequence_ids;
  std::vector<int> ids, goals;  // goals: only for the target
  RowLayout layout() const { return {static_cast<Index>(ids.size()), spans, sequence_ids}; }
};

inline constexpr int packed = -1;

/// The sequences with the given ids: packed, or padded to `extra` more tokens than the longest one has.
inline Side make_side(const std::vector<int>& numbers, int side, int extra) {
  std::size_t box = 0;
  for (const int id : numbers) box = std::max(box, sequence(id, side).size() + static_cast<std::size_t>(extra));
  Side result;
  for (const int id : numbers) {
    const std::vector<int> tokens = sequence(id, side);
    const std::size_t offset = result.ids.size();
    result.spans.push_back({static_cast<Index>(offset), static_cast<Index>(tokens.size())});
    result.sequence_ids.push_back(static_cast<std::uint32_t>(id));
    result.goals.insert(result.goals.end(), tokens.begin(), tokens.end());
    if (side == 1) result.ids.push_back(start);
    result.ids.insert(result.ids.end(), tokens.begin(), tokens.end() - side);  // the target is read one token later
    if (extra == packed) continue;
    result.ids.resize(offset + box, pad);
    result.goals.resize(offset + box, pad);
  }
  return result;
}

struct Pair {
  Side source, target;
  Pair(const std::vector<int>& numbers, int extra)
      : source(make_side(numbers, 0, extra)), target(make_side(numbers, 1, extra)) {}
};

inline const std::vector<int> numbers{4, 0, 6, 3, 1};  // ids of a batch's sequences

inline TransformerOptions small_options(Index width = 8) {
  TransformerOptions options = small_transformer(
      vocabulary, 0.1, {.width = width, .heads = 2, .feed_forward = 2 * width, .norm = NormPlace::pre}, 16);
  options.stack.residual_dropout = 0.2;
  options.stack.attention_dropout = 0.3;
  options.tied = Tied::all;
  return options;
}

/// Results of a training step; logits are listed by sequence, without padding.
template <class T>
struct Outcome {
  double loss = 0, nll = 0;
  Index count = 0;
  std::vector<std::vector<T>> logits = {};  // in the order of the batch
  std::vector<std::vector<T>> grads = {};   // of the parameters in name order

  bool same_bits(const Outcome& other) const {
    const auto same = [](const std::vector<T>& a, const std::vector<T>& b) {
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
    };
    return loss == other.loss && nll == other.nll && std::ranges::equal(logits, other.logits, same) &&
           std::ranges::equal(grads, other.grads, same);
  }
};

template <class T>
struct Model {
  ParameterStore<T> store;
  Transformer<T> network;
  Context<T> context;

  explicit Model(const TransformerOptions& options, std::uint64_t seed = 1) : network(store, options) {
    store.allocate(seed);
  }

  CrossEntropy<T> loss(const Pair& batch, const Variable<T>& logits) const {
    return cross_entropy(logits, batch.target.goals, pad, 0.1);
  }

  Variable<T> logits(const Pair& batch) {
    return network(context, batch.source.ids, batch.source.layout(), batch.target.ids, batch.target.layout());
  }

  Outcome<T> step(const Pair& batch, StepOptions options = {.training = true, .update = 0}) {
    context.begin(options);
    store.clear_grads();
    const Variable<T> y = logits(batch);
    const CrossEntropy<T> cost = loss(batch, y);
    y.retain_grad();  // its value is read afterwards
    context.backward(cost.sum);
    store.fill_unset_grads();
    Outcome<T> result{.loss = cost.sum.value()[0], .nll = cost.nll_sum, .count = cost.count};
    const Index v = y.shape().cols();
    for (const RowSpan& span : batch.target.spans) {
      const T* first = y.value().data + span.offset * v;
      result.logits.emplace_back(first, first + span.length * v);
    }
    for (const Parameter<T>* p : store.parameters())
      result.grads.emplace_back(p->grad.data, p->grad.data + p->value.size());
    return result;
  }
};

/// Largest |a - b| divided by the largest |b|; infinite for NaN or different lengths.
template <class A, class B>
double distance(const std::vector<A>& a, const std::vector<B>& b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0, largest = 1e-30;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = worse(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    largest = std::max(largest, std::abs(static_cast<double>(b[i])));
  }
  return worst / largest;
}

/// Checks that two outcomes differ by at most `limit` times each tensor's maximum. Sequence i of `a` is sequence
/// order[i] of `b`.
template <class A, class B>
void check_close(const Outcome<A>& a, const Outcome<B>& b, double limit, const std::vector<std::size_t>& order) {
  CHECK(a.count == b.count);
  CHECK(std::abs(a.loss - b.loss) <= limit * std::abs(b.loss));
  CHECK(std::abs(a.nll - b.nll) <= limit * std::abs(b.nll));
  REQUIRE(a.logits.size() == order.size());
  REQUIRE(a.grads.size() == b.grads.size());
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(distance(a.logits[i], b.logits[order[i]]) <= limit);
  for (std::size_t i = 0; i < a.grads.size(); ++i) {
    CAPTURE(i);
    CHECK(distance(a.grads[i], b.grads[i]) <= limit);
  }
}

}  // namespace glossa::test
