// Attention in tiles beside attention that keeps its weights: the same numbers, whatever the lengths.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/cases/sample.h"
#include "autograd/kernels/attention.h"
#include "autograd/kernels/lanes.h"
#include "autograd/parallel.h"

using namespace glossa;

namespace {

constexpr Index all_kept = std::numeric_limits<Index>::max(), all_in_tiles = 0;

struct Lengths {
  Index rows, keys;
};

/// A call of attention on sequences one after the other, with random operands and a random gradient of the result.
template <class T>
struct Call {
  std::vector<Lengths> lengths;
  Index heads, key_width, value_width;
  bool causal = false;
  double dropout = 0;
  bool add = false;  // gradients are added to ones
  std::vector<T> q{}, k{}, v{}, dy{};

  struct Result {
    std::vector<T> y, dq, dk, dv;
  };

  void draw() {
    Index rows = 0, keys = 0;
    for (const Lengths& sequence : lengths) rows += sequence.rows, keys += sequence.keys;
    RandomStream random(1, "attention");
    const auto fill = [&](std::vector<T>& numbers, Index count) {
      numbers.resize(static_cast<std::size_t>(count));
      for (T& x : numbers) x = static_cast<T>(random.normal());
    };
    fill(q, rows * heads * key_width);
    fill(k, keys * heads * key_width);
    fill(v, keys * heads * value_width);
    fill(dy, rows * heads * value_width);
  }

  Result run(Index max_kept) const {
    std::vector<RowSpan> row_spans, key_spans;
    std::vector<std::uint32_t> ids;
    std::vector<Index> cells{0};
    Index rows = 0, keys = 0;
    for (const Lengths& sequence : lengths) {
      row_spans.push_back({rows, sequence.rows});
      key_spans.push_back({keys, sequence.keys});
      ids.push_back(static_cast<std::uint32_t>(17 + rows));
      rows += sequence.rows, keys += sequence.keys;
    }
    kernels::AttentionShape<T> shape{.query = {.rows = rows, .sequences = row_spans, .sequence_ids = ids},
                                     .key = {.rows = keys, .sequences = key_spans},
                                     .heads = heads,
                                     .key_width = key_width,
                                     .value_width = value_width,
                                     .causal = causal,
                                     .scale = T(0.4),
                                     .max_kept = max_kept};
    for (std::size_t b = 0; b < lengths.size(); ++b)
      cells.push_back(cells.back() + (shape.in_tiles(static_cast<Index>(b))
                                          ? 0
                                          : lengths[b].keys * kernels::padded<T>(lengths[b].rows)));
    shape.cells = cells;
    std::vector<std::uint8_t> keep;
    if (dropout > 0) {
      shape.dropout = kernels::DropoutSite({3, 4}, 5, dropout);
      shape.keep_scale = static_cast<T>(shape.dropout->keep_scale());
      keep.resize(static_cast<std::size_t>(heads * cells.back()));
      kernels::attention_dropout_mask(keep, heads, cells, kernels::Lanes<T>::count, *shape.dropout, shape.query,
                                      shape.key);
      shape.keep = keep;
    }
    const T nan = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> weights(static_cast<std::size_t>(heads * cells.back()), nan), scratch(shape.scratch_size(), nan);
    std::vector<T> log_sums(static_cast<std::size_t>(heads * rows), nan);
    const auto columns = [&](auto& numbers, Index width) {
      return kernels::Columns<std::remove_reference_t<decltype(numbers[0])>>{numbers.data(), heads * width, add};
    };
    const kernels::AttentionColumns<const T> x{columns(q, key_width), columns(k, key_width), columns(v, value_width)};
    const T before = add ? T(1) : nan;
    Result result{std::vector<T>(dy.size(), nan), std::vector<T>(q.size(), before), std::vector<T>(k.size(), before),
                  std::vector<T>(v.size(), before)};
    const kernels::AttentionSaved<T> saved{weights.data(), log_sums.data()};
    const kernels::Columns<const T> y{result.y.data(), heads * value_width};
    kernels::attention_forward(shape, x, saved, kernels::Columns<T>{result.y.data(), heads * value_width},
                               scratch.data());
    const kernels::Columns<const T> d_out = columns(dy, value_width);
    kernels::attention_backward(
        shape, x, saved, y, d_out,
        {columns(result.dq, key_width), columns(result.dk, key_width), columns(result.dv, value_width)},
        scratch.data());
    return result;
  }
};

/// The largest difference; infinite where one is not a number.
template <class T>
double difference(const std::vector<T>& a, const std::vector<T>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    most = d <= most ? most : d == d ? d : std::numeric_limits<double>::infinity();
  }
  return most;
}

template <class T>
void check_near(const typename Call<T>::Result& a, const typename Call<T>::Result& b, double tolerance) {
  CHECK(difference(a.y, b.y) < tolerance);
  CHECK(difference(a.dq, b.dq) < tolerance);
  CHECK(difference(a.dk, b.dk) < tolerance);
  CHECK(difference(a.dv, b.dv) < tolerance);
}

const std::vector<std::vector<Lengths>> batches{
    {{64, 64}},
    {{65, 63}},
    {{5, 1}},
    {{300, 300}},
    {{40, 700}},
    {{530, 70}},
    {{257, 128}, {70, 259}},
    {{100, 100}, {2, 300}, {9, 4}, {0, 5}, {200, 0}, {130, 130}},
};

}  // namespace

TEST_CASE("attention in tiles: the same as attention that keeps its weights, value and gradients, dropout included") {
  for (const std::vector<Lengths>& batch : batches)
    for (const bool causal : {false, true})
      for (const double dropout : {0.0, 0.3, 1.0}) {
        CAPTURE(batch.front().rows);
        CAPTURE(causal);
        CAPTURE(dropout);
        Call<double> call{
            .lengths = batch, .heads = 3, .key_width = 5, .value_width = 8, .causal = causal, .dropout = dropout};
        call.add = causal;
        call.draw();
        const auto kept = call.run(all_kept);
        check_near<double>(call.run(all_in_tiles), kept, 1e-11);
        check_near<double>(call.run(100 * 100), kept, 1e-11);  // some so, some so
      }
}

TEST_CASE("attention in tiles, in float: as near as rounding allows") {
  Call<float> call{
      .lengths = {{700, 700}}, .heads = 9, .key_width = 16, .value_width = 16, .causal = true, .dropout = 0.1};
  call.draw();
  check_near<float>(call.run(all_in_tiles), call.run(all_kept), 1e-4);
}

TEST_CASE("attention in tiles: any number of threads gives the same bits, with one head too") {
  const int before = threads();
  for (const Index heads : {1, 3, 8}) {
    Call<float> call{.lengths = {{600, 600}, {90, 700}},
                     .heads = heads,
                     .key_width = 16,
                     .value_width = 8,
                     .causal = heads == 3,
                     .dropout = 0.3};
    call.draw();
    set_threads(1);
    const auto one = call.run(all_in_tiles);
    for (const int count : {2, 4}) {
      set_threads(count);
      const auto several = call.run(all_in_tiles);
      CHECK(same_bits(several.y, one.y));
      CHECK(same_bits(several.dq, one.dq));
      CHECK(same_bits(several.dk, one.dk));
      CHECK(same_bits(several.dv, one.dv));
    }
  }
  set_threads(before);
}

TEST_CASE("attention in tiles: what is blocked is not read") {
  // Of 150 keys a causal query sees those up to its own: the last 20 keys hold NaN, and so do the last 20 queries.
  Call<double> call{.lengths = {{150, 150}}, .heads = 2, .key_width = 4, .value_width = 4, .causal = true};
  call.draw();
  const std::size_t width = 8, seen = 130 * width;
  Call<double> with_nan = call;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::vector<double>* x : {&with_nan.k, &with_nan.v})
    std::fill(x->begin() + static_cast<std::ptrdiff_t>(seen), x->end(), nan);
  // Only the first 130 queries ask for anything.
  for (Call<double>* c : {&call, &with_nan})
    std::fill(c->dy.begin() + static_cast<std::ptrdiff_t>(seen), c->dy.end(), 0.0);
  const auto plain = call.run(all_in_tiles), blocked = with_nan.run(all_in_tiles);
  const auto first = [&](const std::vector<double>& x) {
    return std::vector<double>(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(seen));
  };
  CHECK(difference(first(plain.y), first(blocked.y)) == 0);
  CHECK(difference(first(plain.dq), first(blocked.dq)) == 0);
}
