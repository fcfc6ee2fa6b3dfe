// Fused ops give the same numbers and gradients as plain ops.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "autograd/objective.h"
#include "autograd/ops.h"

using namespace glossa;

namespace {

using Operands = std::span<const Variable<double>>;
using Function = std::function<Variable<double>(Operands)>;

constexpr RowSpan spans[] = {{0, 6}, {6, 2}}, memory_spans[] = {{0, 3}, {3, 5}};
const RowLayout layout{.rows = 8, .sequences = spans}, memory{.rows = 8, .sequences = memory_spans};

/// Compares value (times a random cotangent) and gradients at random inputs of these shapes, in training.
void check_same(const std::vector<Shape>& shapes, const Function& fused, const Function& plain) {
  RandomStream random(1, "fused");
  Arena arena;
  std::vector<Tensor<double>> inputs;
  for (const Shape& shape : shapes) {
    inputs.push_back({arena.allocate_array<double>(shape.size()), shape});
    for (double& x : inputs.back().span()) x = random.normal();
  }
  const GradCheckFunction functions[] = {[&](Context<double>&, Operands x) { return fused(x); },
                                         [&](Context<double>&, Operands x) { return plain(x); }};
  Objective first(functions[0], inputs, {}, {.training = true}), second(functions[1], inputs, {}, {.training = true});
  const std::vector<CheckedTensor> a = first.gradients(), b = second.gradients();
  REQUIRE(first.outputs().size() == second.outputs().size());
  for (std::size_t i = 0; i < first.outputs().size(); ++i)
    CHECK(std::fabs(first.outputs()[i] - second.outputs()[i]) < 1e-13);
  for (std::size_t input = 0; input < shapes.size(); ++input) {
    double difference = 0, largest = 0;
    for (std::size_t i = 0; i < a[input].grad.size(); ++i) {
      difference = std::max(difference, std::fabs(a[input].grad[i] - b[input].grad[i]));
      largest = std::max(largest, std::fabs(b[input].grad[i]));
    }
    CAPTURE(input);
    CHECK(difference < 1e-13 * (1 + largest));
    CHECK(largest > 0);
  }
}

/// softmax(q k^T / sqrt(K)) v, sequence by sequence and head by head, side by side again.
Variable<double> plain_attention(const Variable<double>& q, const Variable<double>& k, const Variable<double>& v,
                                 const RowLayout& query, const RowLayout& key, const AttentionOptions& options) {
  const Index width = q.shape().cols() / options.heads;
  std::vector<Variable<double>> sequences;
  for (Index b = 0; b < query.sequence_count(); ++b) {
    const RowSpan rows = query.sequences[b], keys = key.sequences[b];
    const std::unique_ptr<bool[]> blocked(new bool[rows.length * keys.length]);
    for (Index i = 0; i < rows.length; ++i)
      for (Index j = 0; j < keys.length; ++j) blocked[i * keys.length + j] = options.causal && j > i;
    std::vector<Variable<double>> heads;
    for (Index h = 0; h < options.heads; ++h) {
      const auto head = [&](const Variable<double>& x, const RowSpan& span) {
        return slice(slice(x, 0, span.offset, span.offset + span.length), 1, h * width, (h + 1) * width);
      };
      const auto scores =
          scale(matmul(head(q, rows), head(k, keys), false, true), 1 / std::sqrt(static_cast<double>(width)));
      const auto open = masked_fill(scores, {blocked.get(), static_cast<std::size_t>(rows.length * keys.length)},
                                    -std::numeric_limits<double>::infinity());
      heads.push_back(matmul(softmax(open), head(v, keys)));
    }
    sequences.push_back(concat(heads, 1));
  }
  return concat(sequences, 0);
}

}  // namespace

TEST_CASE("linear equals a product and a sum") {
  check_same(
      {{8, 5}, {3, 5}, {3}}, [](Operands x) { return linear(x[0], x[1], x[2]); },
      [](Operands x) { return add(matmul(x[0], x[1], false, true), x[2]); });
}

TEST_CASE("linear_relu equals linear, relu and dropout") {
  check_same(
      {{8, 5}, {20, 5}, {20}}, [](Operands x) { return linear_relu(x[0], x[1], x[2], 0.3, layout); },
      [](Operands x) { return dropout(relu(linear(x[0], x[1], x[2])), 0.3, layout); });
}

TEST_CASE("swiglu and geglu equal an activation of the first half, times the second half") {
  const auto half = [](Operands x, Index i) { return slice(x[0], 1, 20 * i, 20 * (i + 1)); };
  check_same(
      {{8, 40}}, [](Operands x) { return swiglu(x[0]); },
      [&](Operands x) { return mul(silu(half(x, 0)), half(x, 1)); });
  check_same(
      {{8, 40}}, [](Operands x) { return geglu(x[0]); }, [&](Operands x) { return mul(gelu(half(x, 0)), half(x, 1)); });
}

TEST_CASE("add_layer_norm equals dropout, a sum and layer_norm") {
  check_same(
      {{8, 20}, {8, 20}, {20}, {20}},
      [](Operands x) { return add_layer_norm(x[0], x[1], 0.3, layout, x[2], x[3], 1e-5); },
      [](Operands x) { return layer_norm(add(x[0], dropout(x[1], 0.3, layout)), x[2], x[3], 1e-5); });
}

TEST_CASE("add_rms_norm equals dropout, a sum, a quotient and a product") {
  check_same(
      {{8, 20}, {8, 20}, {20}}, [](Operands x) { return add_rms_norm(x[0], x[1], 0.3, layout, x[2], 0.25); },
      [](Operands x) {
        const auto sum = add(x[0], dropout(x[1], 0.3, layout));
        const auto squares = mean(square(sum), -1, true);
        return mul(div(sum, sqrt(add(squares, full(squares.context(), {1}, 0.25)))), x[2]);
      });
}

TEST_CASE("add_dropout equals dropout and a sum") {
  check_same(
      {{8, 20}, {8, 20}}, [](Operands x) { return add_dropout(x[0], x[1], 0.3, layout); },
      [](Operands x) { return add(x[0], dropout(x[1], 0.3, layout)); });
}

TEST_CASE("embed_tokens equals embedding, scaling, positions and dropout") {
  const std::vector<int> ids{3, 1, 0, 3, 2, 2, 1, 3}, places{0, 1, 2, 3, 4, 5, 0, 1};
  std::vector<double> table(6 * 20);
  RandomStream random(2, "positions");
  for (double& x : table) x = random.normal();
  const Tensor<double> positions{table.data(), {6, 20}};
  const auto constant = [&](Operands x) { return x[0].context().constant(positions); };
  check_same(
      {{4, 20}}, [&](Operands x) { return embed_tokens(x[0], ids, 4, constant(x), 0.3, layout); },
      [&](Operands x) {
        return dropout(add(scale(embedding(x[0], ids), 4), embedding(constant(x), places)), 0.3, layout);
      });
}

TEST_CASE("embed_tokens without positions equals embedding, scaling and dropout") {
  const std::vector<int> ids{3, 1, 0, 3, 2, 2, 1, 3};
  check_same(
      {{4, 20}}, [&](Operands x) { return embed_tokens(x[0], ids, 4, 0.3, layout); },
      [&](Operands x) { return dropout(scale(embedding(x[0], ids), 4), 0.3, layout); });
}

TEST_CASE("attention equals two products and a softmax, per sequence and head") {
  for (const bool causal : {false, true}) {
    const AttentionOptions options{.heads = 2, .causal = causal};
    check_same(
        {{8, 6}, {8, 6}, {8, 6}}, [&](Operands x) { return attention(x[0], x[1], x[2], layout, memory, options); },
        [&](Operands x) { return plain_attention(x[0], x[1], x[2], layout, memory, options); });
  }
}

TEST_CASE("self_attention and cross_attention equal attention on adjacent columns") {
  const AttentionOptions options{.heads = 2, .causal = true, .dropout = 0.3};
  check_same(
      {{8, 18}}, [&](Operands x) { return self_attention(x[0], layout, options); },
      [&](Operands x) {
        return attention(slice(x[0], 1, 0, 6), slice(x[0], 1, 6, 12), slice(x[0], 1, 12, 18), layout, layout, options);
      });
  check_same(
      {{8, 6}, {8, 12}}, [&](Operands x) { return cross_attention(x[0], x[1], layout, memory, options); },
      [&](Operands x) {
        return attention(x[0], slice(x[1], 1, 0, 6), slice(x[1], 1, 6, 12), layout, memory, options);
      });
}

TEST_CASE("cross_entropy equals log_softmax, selection and mean; with a fused output layer, linear comes first") {
  const std::vector<int> targets{3, 0, 6, 2, 2, 5, 1, 4};
  const double smoothing = 0.1;
  check_same(
      {{8, 7}}, [&](Operands x) { return cross_entropy(x[0], targets, -1, smoothing).sum; },
      [&](Operands x) {
        const Variable<double> log_p = log_softmax(x[0]);
        return sub(scale(sum(gather(log_p, targets)), smoothing - 1), scale(sum(log_p), smoothing / 7));
      });
  const std::vector<int> some_ignored{3, 0, -1, 2, 2, 5, -1, 4};
  check_same(
      {{8, 5}, {7, 5}, {7}},
      [&](Operands x) { return linear_cross_entropy(x[0], x[1], x[2], some_ignored, -1, smoothing).sum; },
      [&](Operands x) { return cross_entropy(linear(x[0], x[1], x[2]), some_ignored, -1, smoothing).sum; });
}
