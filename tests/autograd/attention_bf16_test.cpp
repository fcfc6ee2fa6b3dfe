// Attention on values in bf16 against attention in float on the same, rounded numbers.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "autograd/ops.h"
#include "tests/support/restore_runtime.h"
#include "tests/support/sanitized.h"

using namespace glossa;

namespace {

using Elements = std::vector<float>;

enum class Arrangement { separate, one_three_times, self, cross };

/// A call of attention with random lengths, gaps, masks and operands. Gap rows hold NaN.
struct DrawnCall {
  Arrangement inputs = Arrangement::separate;
  AttentionOptions options;
  Index width = 0;  // of a head
  std::vector<RowSpan> queries, keys;
  Index query_rows = 0, key_rows = 0;
  std::vector<float> mask;  // empty: none
  Tensor<float> mask_tensor;
  bool requests_weights = false;
  std::vector<Elements> operands;
  Elements dy;
  std::vector<Shape> shapes;

  DrawnCall(std::uint64_t seed, bool is_long) {
    RandomStream random(seed, "calls of attention");
    const auto below = [&](Index n) { return static_cast<Index>(random.below(static_cast<std::uint64_t>(n))); };
    inputs = static_cast<Arrangement>(below(4));
    options = {.heads = 1 + below(3), .causal = below(2) == 0, .dropout = below(3) == 0 ? 0.25 : 0};
    if (inputs != Arrangement::one_three_times && below(3) == 0) {
      options.key_heads = options.heads;
      options.heads *= 1 + below(4);
    }
    width = 1 + below(20);
    const bool alike = inputs == Arrangement::one_three_times || inputs == Arrangement::self;
    const auto length = [&] { return below(3) == 0 ? 1 + below(3) : 4 + below(40); };
    for (Index b = is_long ? 2 : 1 + below(4) + (below(6) == 0 ? 32 : 0); b > 0; --b) {
      const bool in_tiles = is_long && b == 1;
      const Index rows = in_tiles ? 257 + below(60) : length(), columns = in_tiles ? 257 + below(60) : length();
      queries.push_back({query_rows, rows});
      keys.push_back({key_rows, alike ? rows : columns});
      query_rows += rows + below(3);
      key_rows = alike ? query_rows : key_rows + columns + below(3);
    }
    requests_weights = !is_long && below(3) == 0;
    if (!is_long && below(3) == 0) draw_mask(random);
    draw_operands(random);
    options.alibi = below(3) == 0;
  }

  std::string text() const {
    return fmt::format(
        "inputs {}, {} heads of {}, {} of keys, causal {}, dropout {}, {} sequences, first {} x {}, mask {}, weights "
        "{}",
        static_cast<int>(inputs), options.heads, width, options.groups(), options.causal, options.dropout,
        queries.size(), queries[0].length, keys[0].length, !mask.empty(), requests_weights);
  }

 private:
  /// Blocks a quarter of the keys, and all keys of query 1.
  void draw_mask(RandomStream& random) {
    const auto longest = [](const auto& spans) { return std::ranges::max(spans, {}, &RowSpan::length).length; };
    const Index rows = longest(queries), columns = longest(keys);
    for (Index i = 0; i < rows * columns; ++i)
      mask.push_back(i / columns == 1 || random.below(4) == 0 ? -std::numeric_limits<float>::infinity() : 0.5f);
    mask_tensor = {mask, {rows, columns}};
  }

  void add_operand(RandomStream& random, const std::vector<RowSpan>& spans, Index rows, Index cols) {
    shapes.push_back({rows, cols});
    Elements& numbers = operands.emplace_back(static_cast<std::size_t>(rows * cols), NAN);
    for (const RowSpan& span : spans)
      for (Index i = span.offset * cols; i < (span.offset + span.length) * cols; ++i)
        numbers[i] = rounded(static_cast<float>(random.normal())).widened();
  }

  void draw_operands(RandomStream& random) {
    const Index d = options.heads * width, of_keys = options.groups() * width;
    switch (inputs) {
      case Arrangement::separate:
        add_operand(random, queries, query_rows, d);
        add_operand(random, keys, key_rows, of_keys);
        add_operand(random, keys, key_rows, of_keys);
        break;
      case Arrangement::one_three_times:
        add_operand(random, queries, query_rows, d);
        break;
      case Arrangement::self:
        add_operand(random, queries, query_rows, d + 2 * of_keys);
        break;
      case Arrangement::cross:
        add_operand(random, queries, query_rows, d);
        add_operand(random, keys, key_rows, 2 * of_keys);
        break;
    }
    for (Index i = 0; i < query_rows * d; ++i) dy.push_back(static_cast<float>(random.normal()));
  }
};

struct AttentionOutcome {
  Elements y, weights;
  std::vector<Elements> gradients;
};

AttentionOutcome run_call(const DrawnCall& call, Precision precision, int team) {
  set_threads(team);
  Context<float> c;
  c.set_wiping(true);
  c.begin({.training = true, .update = 3, .precision = precision});
  std::vector<Variable<float>> x;
  for (std::size_t i = 0; i < call.operands.size(); ++i) x.push_back(c.input({call.operands[i], call.shapes[i]}));
  const RowLayout query{.rows = call.query_rows, .sequences = call.queries};
  const RowLayout key{.rows = call.key_rows, .sequences = call.keys};
  const Tensor<float>* const mask = call.mask.empty() ? nullptr : &call.mask_tensor;
  Tensor<float> weights;
  Tensor<float>* const wanted = call.requests_weights ? &weights : nullptr;
  const auto attend = [&] {
    switch (call.inputs) {
      case Arrangement::separate:
        return attention(x[0], x[1], x[2], query, key, call.options, mask, wanted);
      case Arrangement::one_three_times:
        return attention(x[0], x[0], x[0], query, query, call.options, mask, wanted);
      case Arrangement::self:
        return self_attention(x[0], query, call.options, mask, wanted);
      default:
        return cross_attention(x[0], x[1], query, key, call.options, mask, wanted);
    }
  };
  const Variable<float> y = attend();
  const auto copy = [](const Tensor<const float>& from) { return Elements(from.span().begin(), from.span().end()); };
  AttentionOutcome outcome{.y = copy(y.value()), .weights = {}, .gradients = {}};
  if (wanted) outcome.weights = copy(weights);
  c.backward(y, Tensor<const float>{call.dy, y.shape()});
  for (const Variable<float>& input : x) outcome.gradients.push_back(copy(input.grad()));
  return outcome;
}

/// The largest difference, relative to the largest number or 0.1; NaN if one of the numbers is.
double worst_difference(const Elements& a, const Elements& b) {
  double largest = 0.1, worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::fabs(double{b[i]}));
    const double error = std::fabs(double{a[i]} - double{b[i]});
    if (!(error <= worst)) worst = error;
  }
  return worst / largest;
}

/// Compares a call in bf16 with float, and with another number of threads.
void check_call(const DrawnCall& call, int team) {
  CAPTURE(call.text());
  CAPTURE(team);
  const AttentionOutcome in_float = run_call(call, Precision::full, 1), got = run_call(call, Precision::bf16, 1);
  Elements expected = in_float.y;
  for (float& number : expected) number = rounded(number).widened();
  CHECK(got.y == expected);
  CHECK(got.weights == in_float.weights);
  for (std::size_t i = 0; i < got.gradients.size(); ++i) {
    CAPTURE(i);
    if (call.requests_weights)  // in float
      CHECK(got.gradients[i] == in_float.gradients[i]);
    else
      CHECK(worst_difference(got.gradients[i], in_float.gradients[i]) < 0.01);
  }
  const AttentionOutcome other = run_call(call, Precision::bf16, team);
  CHECK(other.y == got.y);
  CHECK(other.weights == got.weights);
  CHECK(other.gradients == got.gradients);
}

}  // namespace

TEST_CASE_FIXTURE(testing::OneThread,
                  "attention in bf16 is attention in float, rounded: gaps, few queries, masks, weights, threads") {
  for (std::uint64_t seed = 0; seed < (testing::sanitized ? 60 : 400); ++seed)
    check_call(DrawnCall(seed, /*is_long=*/false), 1 << (1 + seed % 3));
}

TEST_CASE_FIXTURE(testing::OneThread, "attention of long sequences in bf16 is attention in float, rounded") {
  for (std::uint64_t seed = 0; seed < (testing::sanitized ? 2 : 12); ++seed)
    check_call(DrawnCall(seed, /*is_long=*/true), 1 << (1 + seed % 3));
}

TEST_CASE_FIXTURE(testing::OneThread, "in bf16, equal keys give no gradient to queries") {
  for (const Index keys : {3, 7, 41}) {
    CAPTURE(keys);
    Context<float> c;
    c.begin({.precision = Precision::bf16});
    const RowSpan query{0, 6}, key{0, keys};
    const Elements ones(48, 1);
    const auto q = c.input({ones, {6, 8}}), k = full(c, {keys, 8}, 0.5), v = full(c, {keys, 8}, 2);
    c.backward(sum(attention(q, k, v, {.rows = 6, .sequences = {&query, 1}}, {.rows = keys, .sequences = {&key, 1}},
                             {.heads = 2})));
    for (const float dq : q.grad().span()) CHECK(std::fabs(dq) < 1e-5f);
  }
}
