#include "autograd/ops.h"
#include "tests/autograd/programs/call.h"
#include "tests/autograd/programs/draw.h"

namespace glossa::programs {

namespace {

using Drawn = Instruction;

constexpr double epsilon = 0.01;

// ---- how operands and numbers are drawn ----

Drawn one(Draw& d) { return {.operands = {d.any()}}; }
Drawn rows(Draw& d) { return {.operands = {d.any_with_axes(1)}}; }
Drawn one_positive(Draw& d) { return {.operands = {d.positive(d.shape(d.any()))}}; }

/// Two that broadcast, in either order, or one twice.
Drawn two(Draw& d) {
  const int a = d.any();
  if (d.one_in(8)) return {.operands = {a, a}};
  const int b = d.broadcasting(d.shape(a));
  return d.one_in(2) ? Drawn{.operands = {a, b}} : Drawn{.operands = {b, a}};
}

/// Numbers: seed.
Drawn two_with_conditions(Draw& d) {
  Drawn line = two(d);
  line.numbers = {d.seed()};
  return line;
}

Drawn quotient(Draw& d) {
  const int a = d.any();
  return {.operands = {a, d.positive(d.shape(a))}};
}

/// Numbers: axis, keepdim.
Drawn along_axis(Draw& d) {
  const int x = d.any_with_axes(1), rank = d.shape(x).rank();
  return {.operands = {x}, .numbers = {d.below(2 * rank) - rank, d.below(2)}};
}

/// Numbers: two axes, keepdim.
Drawn along_axes(Draw& d) {
  const int x = d.any_with_axes(2), rank = d.shape(x).rank(), first = d.below(rank);
  return {.operands = {x}, .numbers = {first, (first + 1 + d.below(rank - 1)) % rank - rank, d.below(2)}};
}

/// Numbers: transpose.
Drawn product_with_vector(Draw& d) {
  const int a = d.any_with_axes(2), transpose = d.below(2);
  return {.operands = {a, d.of({d.shape(a)[transpose ? -2 : -1]})}, .numbers = {transpose}};
}

/// Numbers: transpose the first, the second.
Drawn product(Draw& d) {
  const int a = d.any_with_axes(2), first = d.below(2), second = d.below(2);
  const Shape& shape = d.shape(a);
  const Index inner = shape[first ? -2 : -1], outer = d.width();
  Shape other = second ? Shape{outer, inner} : Shape{inner, outer};
  if (shape.rank() == 3 && d.one_in(2)) other = other.inserted(0, shape[0]);
  return {.operands = {a, d.of(other)}, .numbers = {first, second}};
}

Drawn pair_of_halves(Draw& d) {
  const int x = d.any_with_axes(1);
  return {.operands = {d.shape(x).cols() % 2 == 0 ? x : d.of({d.rows(), 2 * d.width()})}};
}

/// x, weight and bias.
Drawn projection(Draw& d, int x) {
  const Index outputs = d.width();
  const int weight = d.of({outputs, d.shape(x).cols()});
  return {.operands = {x, weight, d.of({outputs})}};
}

Drawn linear_map(Draw& d) { return projection(d, d.any_with_axes(1)); }

Drawn without_last(Drawn line) {
  line.operands.pop_back();
  return line;
}

/// Numbers: layout, rate.
std::vector<int> dropout_numbers(Draw& d, int x) {
  std::vector<int> numbers = d.layout(d.shape(x)[0]);
  numbers.push_back(d.one_in(8) ? 8 : d.below(5));
  return numbers;
}

Drawn with_dropout(Draw& d, Drawn line) {
  line.numbers = dropout_numbers(d, line.operands[0]);
  return line;
}

Drawn residual(Draw& d) {
  const int x = d.matrix();
  return with_dropout(d, {.operands = {x, d.branch(d.shape(x))}});
}

Drawn normed_residual(Draw& d) {
  Drawn line = residual(d);
  const Shape affine{d.shape(line.operands[0]).cols()};
  for (int i = 0; i < 2; ++i) line.operands.push_back(d.of(affine));
  return line;
}

Drawn affine_norm(Draw& d) {
  const int x = d.any_with_axes(1), gain = d.of({d.shape(x).cols()});
  return {.operands = {x, gain, d.of({d.shape(x).cols()})}};
}

/// Numbers: how many, seed.
Drawn selection(Draw& d) { return {.operands = {d.matrix()}, .numbers = {static_cast<int>(d.rows()), d.seed()}}; }

/// Numbers: layout, rate, rows, seed.
Drawn tokens(Draw& d) {
  const int table = d.matrix();
  const Index rows = d.rows();
  std::vector<int> numbers = d.layout(rows);
  numbers.insert(numbers.end(), {d.below(5), static_cast<int>(rows), d.seed()});
  return {.operands = {table, d.of({rows + 2, d.shape(table)[1]})}, .numbers = numbers};
}

/// Numbers: layout, rate, rows, seed.
Drawn tokens_alone(Draw& d) {
  const Index rows = d.rows();
  std::vector<int> numbers = d.layout(rows);
  numbers.insert(numbers.end(), {d.below(5), static_cast<int>(rows), d.seed()});
  return {.operands = {d.matrix()}, .numbers = numbers};
}

/// Numbers: layout, pairs of columns of a head beside the first, and 1 if the result is for products.
Drawn turned(Draw& d) {
  const int x = d.branch(d.shape(d.matrix()));
  std::vector<int> numbers = d.layout(d.shape(x)[0]);
  numbers.insert(numbers.end(), {d.below(3), d.below(2)});
  return {.operands = {x}, .numbers = numbers};
}

/// Numbers: layout.
Drawn pooled(Draw& d) {
  const int x = d.matrix();
  return {.operands = {x}, .numbers = d.layout(d.shape(x)[0])};
}

/// Numbers: seed, and 1 if the mask is of the last axis only.
Drawn masked(Draw& d) { return {.operands = {d.any_with_axes(1)}, .numbers = {d.seed(), d.below(2)}}; }

Drawn view(Draw& d) {
  const int x = d.any();
  const Shape& from = d.shape(x);
  const Shape shapes[] = {{from.size()},
                          {from.rows(), from.cols()},
                          {from.cols(), from.rows()},
                          {1, from.rows(), from.cols()},
                          {from.rows(), from.cols() / 2, 2}};
  return {.operands = {x}, .shape = shapes[d.below(std::ssize(shapes))]};
}

/// Numbers: two axes.
Drawn swapped(Draw& d) {
  const int x = d.any_with_axes(1);
  return {.operands = {x}, .numbers = {d.below(d.shape(x).rank()), d.below(d.shape(x).rank())}};
}

/// Numbers: three axes.
Drawn permuted(Draw& d) {
  const int x = d.any_with_axes(3), first = d.below(3), second = (first + 1 + d.below(2)) % 3;
  return {.operands = {x}, .numbers = {first, second, 3 - first - second}};
}

/// Numbers: an axis.
Drawn joined(Draw& d) {
  const int x = d.any_with_axes(1);
  Drawn line{.operands = {x}, .numbers = {d.below(d.shape(x).rank())}};
  for (int more = 1 + d.below(2); more > 0; --more) line.operands.push_back(d.of(d.shape(x)));
  return line;
}

/// Numbers: axis, start and end in eighths of its extent.
Drawn cut(Draw& d) {
  const int x = d.any_with_axes(1), begin = d.below(8);
  return {.operands = {x}, .numbers = {d.below(d.shape(x).rank()), begin, begin + 1 + d.below(8 - begin)}};
}

/// One head or two, which may share keys and values.
struct DrawnHeads {
  int more, shared;

  DrawnHeads(Draw& d, Index width) : more(width % 2 == 0 ? d.below(2) : 0), shared(more ? d.below(2) : 0) {}
  Index key_width(Index width) const { return shared ? width / 2 : width; }
};

/// Numbers: layout of queries, of keys, heads beside the first, causal, rate, seed of a mask, weights, heads of keys,
/// ALiBi. As many sequences of keys as of queries.
Drawn attending(Draw& d, std::vector<int> operands, Index queries, Index keys, const DrawnHeads& heads) {
  const std::vector<int> layout = d.layout(std::min(queries, keys));
  return {.operands = std::move(operands),
          .numbers = {layout[0], layout[1], d.below(4) + (d.one_in(8) ? 8 : 0), heads.more, d.below(2), d.below(4),
                      d.one_in(4) ? d.seed() : 0, d.below(2), heads.shared, d.one_in(4)}};
}

Drawn attention_of_three(Draw& d) {
  const int q = d.matrix();
  const Index width = d.shape(q)[1], keys = d.rows();
  const DrawnHeads heads(d, width);
  const int k = d.of({keys, heads.key_width(width)}), v = d.of({keys, heads.key_width(width)});
  return attending(d, {q, k, v}, d.shape(q)[0], keys, heads);
}

Drawn attention_of_one(Draw& d) {
  const Index rows = d.rows(), width = d.width();
  const DrawnHeads heads(d, width);
  return attending(d, {d.of({rows, width + 2 * heads.key_width(width)})}, rows, rows, heads);
}

Drawn attention_of_two(Draw& d) {
  const int q = d.matrix();
  const Index width = d.shape(q)[1], keys = d.rows();
  const DrawnHeads heads(d, width);
  return attending(d, {q, d.of({keys, 2 * heads.key_width(width)})}, d.shape(q)[0], keys, heads);
}

AttentionOptions attention_options(auto& c) {
  return {.heads = 1 + c.number(3),
          .key_heads = c.number(8),
          .causal = c.number(4) != 0,
          .dropout = c.eighths(5),
          .alibi = c.number(9) != 0};
}

/// Numbers: seed of targets, smoothing.
Drawn classified(Draw& d, Drawn line) {
  line.numbers = {d.seed(), d.below(3)};
  return line;
}

/// One of `classes`, or -1: ignored.
auto targets(auto& c, Index classes) { return c.ids(0, c[0].shape()[0], classes + 1, -1); }

template <class T>
Variable<T> watched(Call<T>& c, const CrossEntropy<T>& loss) {
  c.see("nll_sum", loss.nll_sum);
  c.see("count", static_cast<double>(loss.count));
  return loss.sum;
}

}  // namespace

void put_library_ops(ProgramOps& ops) {
  ops.put("add", two, [](auto& c) { return add(c[0], c[1]); });
  ops.put("sub", two, [](auto& c) { return sub(c[0], c[1]); });
  ops.put("mul", two, [](auto& c) { return mul(c[0], c[1]); });
  ops.put("div", quotient, [](auto& c) { return div(c[0], c[1]); });
  ops.put("neg", one, [](auto& c) { return neg(c[0]); });
  ops.put("scale", one, [](auto& c) { return scale(c[0], 0.75); });
  ops.put("minimum", two, [](auto& c) { return minimum(c[0], c[1]); });
  ops.put("maximum", two, [](auto& c) { return maximum(c[0], c[1]); });

  ops.put("exp", one, [](auto& c) { return exp(c[0]); });
  ops.put("log", one_positive, [](auto& c) { return log(c[0]); });
  ops.put("sqrt", one_positive, [](auto& c) { return sqrt(c[0]); });
  ops.put("pow", one_positive, [](auto& c) { return pow(c[0], 1.5); });
  ops.put("square", one, [](auto& c) { return square(c[0]); });
  ops.put("abs", one, [](auto& c) { return abs(c[0]); });
  ops.put("clamp", one, [](auto& c) { return clamp(c[0], -0.5, 0.25); });

  ops.put("tanh", one, [](auto& c) { return tanh(c[0]); });
  ops.put("sigmoid", one, [](auto& c) { return sigmoid(c[0]); });
  ops.put("relu", one, [](auto& c) { return relu(c[0]); });
  ops.put("gelu", one, [](auto& c) { return gelu(c[0]); });
  ops.put("gelu_tanh", one, [](auto& c) { return gelu_tanh(c[0]); });
  ops.put("silu", one, [](auto& c) { return silu(c[0]); });
  ops.put("swiglu", pair_of_halves, [](auto& c) { return swiglu(c[0]); });
  ops.put("swiglu.products", pair_of_halves, [](auto& c) { return swiglu(c[0], Use::products); });
  ops.put("geglu", pair_of_halves, [](auto& c) { return geglu(c[0]); });
  ops.put("geglu.products", pair_of_halves, [](auto& c) { return geglu(c[0], Use::products); });
  ops.put("softplus", one, [](auto& c) { return softplus(c[0]); });

  ops.put("matmul", product, [](auto& c) { return matmul(c[0], c[1], c.number(0) != 0, c.number(1) != 0); });
  ops.put("matmul.vector", product_with_vector, [](auto& c) { return matmul(c[0], c[1], c.number(0) != 0); });
  ops.put("linear.bias", linear_map, [](auto& c) { return linear(c[0], c[1], c[2]); });
  ops.put(
      "linear", [](Draw& d) { return without_last(linear_map(d)); }, [](auto& c) { return linear(c[0], c[1]); });
  ops.put("linear.bias.products", linear_map, [](auto& c) { return linear(c[0], c[1], c[2], Use::products); }).often(8);
  ops.put(
      "linear.products", [](Draw& d) { return without_last(linear_map(d)); },
      [](auto& c) { return linear(c[0], c[1], Use::products); });
  ops.put(
      "linear_relu.bias", [](Draw& d) { return with_dropout(d, projection(d, d.matrix())); },
      [](auto& c) { return linear_relu(c[0], c[1], c[2], c.eighths(2), c.layout(c[0].shape()[0])); });
  ops.put(
      "linear_relu", [](Draw& d) { return with_dropout(d, without_last(projection(d, d.matrix()))); },
      [](auto& c) { return linear_relu(c[0], c[1], c.eighths(2), c.layout(c[0].shape()[0])); });

  ops.put("sum", one, [](auto& c) { return sum(c[0]); });
  ops.put("sum.axis", along_axis, [](auto& c) { return sum(c[0], c.number(0), c.number(1) != 0); });
  ops.put("sum.axes", along_axes, [](auto& c) { return sum(c[0], {c.number(0), c.number(1)}, c.number(2) != 0); });
  ops.put("mean", one, [](auto& c) { return mean(c[0]); });
  ops.put("mean.axis", along_axis, [](auto& c) { return mean(c[0], c.number(0), c.number(1) != 0); });
  ops.put("mean.axes", along_axes, [](auto& c) { return mean(c[0], {c.number(0), c.number(1)}, c.number(2) != 0); });
  ops.put("max", one, [](auto& c) { return max(c[0]); });
  ops.put("max.axis", along_axis, [](auto& c) { return max(c[0], c.number(0), c.number(1) != 0); });
  ops.put("argmax", rows, [](auto& c) { return gather(c[0], argmax(c[0], -1)); });
  ops.put("norm", one, [](auto& c) { return norm(c[0]); });
  ops.put("norm.axis", along_axis, [](auto& c) { return norm(c[0], c.number(0), c.number(1) != 0); });

  ops.put("var", one, [](auto& c) { return var(c[0]); });
  ops.put("var.axis", along_axis, [](auto& c) { return var(c[0], c.number(0), c.number(1) != 0, 0); });
  ops.put("var.axes", along_axes, [](auto& c) { return var(c[0], {c.number(0), c.number(1)}, c.number(2) != 0, 0); });
  ops.put("stddev", one, [](auto& c) { return stddev(c[0]); });
  ops.put("stddev.axis", along_axis, [](auto& c) { return stddev(c[0], c.number(0), c.number(1) != 0); });
  ops.put("stddev.axes", along_axes, [](auto& c) {
    return stddev(c[0], {c.number(0), c.number(1)}, c.number(2) != 0);
  });

  ops.put("softmax", rows, [](auto& c) { return softmax(c[0]); });
  ops.put("log_softmax", rows, [](auto& c) { return log_softmax(c[0]); });
  ops.put("layer_norm.affine", affine_norm, [](auto& c) { return layer_norm(c[0], c[1], c[2], epsilon); });
  ops.put("layer_norm.products", affine_norm,
          [](auto& c) { return layer_norm(c[0], c[1], c[2], epsilon, Use::products); });
  ops.put("layer_norm", rows, [](auto& c) { return layer_norm(c[0], epsilon); });
  ops.put("add_layer_norm", normed_residual,
          [](auto& c) {
            return add_layer_norm(c[0], c[1], c.eighths(2), c.layout(c[0].shape()[0]), c[2], c[3], epsilon);
          })
      .often(16);
  ops.put(
      "rms_norm.affine", [](Draw& d) { return without_last(affine_norm(d)); },
      [](auto& c) { return rms_norm(c[0], c[1], epsilon); });
  ops.put(
      "rms_norm.products", [](Draw& d) { return without_last(affine_norm(d)); },
      [](auto& c) { return rms_norm(c[0], c[1], epsilon, Use::products); });
  ops.put("rms_norm", rows, [](auto& c) { return rms_norm(c[0], epsilon); });
  ops.put(
         "add_rms_norm", [](Draw& d) { return without_last(normed_residual(d)); },
         [](auto& c) { return add_rms_norm(c[0], c[1], c.eighths(2), c.layout(c[0].shape()[0]), c[2], epsilon); })
      .often(8);

  ops.put("embedding", selection, [](auto& c) { return embedding(c[0], c.ids(1, c.number(0), c[0].shape()[0])); });
  ops.put("index_select", selection,
          [](auto& c) { return index_select(c[0], c.ids(1, c.number(0), c[0].shape()[0])); });
  ops.put("embed_tokens", tokens, [](auto& c) {
    const Index rows = c.number(3), words = c[0].shape()[0];
    return embed_tokens(c[0], c.ids(4, rows, words), 1.5, c[1], c.eighths(2), c.layout(rows));
  });
  ops.put("embed_tokens.alone", tokens_alone, [](auto& c) {
    const Index rows = c.number(3), words = c[0].shape()[0];
    return embed_tokens(c[0], c.ids(4, rows, words), 1.5, c.eighths(2), c.layout(rows));
  });
  ops.put(
      "gather",
      [](Draw& d) {
        return Drawn{.operands = {d.any_with_axes(1)}, .numbers = {1 + d.below(4), d.seed()}};
      },
      [](auto& c) { return gather(c[0], c.ids(1, c[0].shape().rows() * c.number(0), c[0].shape().cols())); });
  ops.put("topk", rows, [](auto& c) { return topk(c[0], (c[0].shape().cols() + 1) / 2).values; });
  ops.put("mean_pool", pooled, [](auto& c) { return mean_pool(c[0], c.layout(c[0].shape()[0])); });
  ops.put("first_pool", pooled, [](auto& c) { return first_pool(c[0], c.layout(c[0].shape()[0])); });
  ops.put("last_pool", pooled, [](auto& c) { return last_pool(c[0], c.layout(c[0].shape()[0])); });
  ops.put("masked_fill", masked, [](auto& c) {
    return masked_fill(c[0], c.conditions(0, c.number(1) ? c[0].shape().cols() : c[0].size()), 0.5);
  });
  ops.put("where", two_with_conditions, [](auto& c) {
    const Shape shape = broadcast(c[0].shape(), c[1].shape(), "where");
    return where(c.conditions(0, shape.size()), c[0], c[1]);
  });

  ops.put(
      "dropout", [](Draw& d) { return Drawn{.operands = {d.matrix()}, .numbers = {d.below(9)}}; },
      [](auto& c) { return dropout(c[0], c.eighths(0)); });
  ops.put(
      "dropout.layout", [](Draw& d) { return with_dropout(d, {.operands = {d.matrix()}}); },
      [](auto& c) { return dropout(c[0], c.eighths(2), c.layout(c[0].shape()[0])); });
  ops.put("add_dropout", residual,
          [](auto& c) { return add_dropout(c[0], c[1], c.eighths(2), c.layout(c[0].shape()[0])); })
      .often(16);

  ops.put("reshape", view, [](auto& c) { return reshape(c[0], c.shape()); }).shaped();
  ops.put("reshape.open", one, [](auto& c) { return reshape(c[0], {-1, c[0].shape().cols()}); });
  ops.put("transpose", swapped, [](auto& c) { return transpose(c[0], c.number(0), c.number(1)); });
  ops.put("permute", permuted, [](auto& c) { return permute(c[0], {c.number(0), c.number(1), c.number(2)}); });
  ops.put("concat", joined, [](auto& c) { return concat(c.all(), c.number(0)); });
  ops.put("stack", joined, [](auto& c) { return stack(c.all(), c.number(0)); });
  ops.put("split", cut, [](auto& c) {
    const Index extent = c[0].shape()[c.number(0)], first = extent * c.number(1) / 8;
    const Index lengths[] = {first, extent - first};
    return split(c[0], lengths, c.number(0)).at(c.number(2) % 2);
  });
  ops.put("slice", cut, [](auto& c) {
    const Index extent = c[0].shape()[c.number(0)];
    return slice(c[0], c.number(0), extent * c.number(1) / 8, extent * c.number(2) / 8);
  });
  ops.put("select", cut,
          [](auto& c) { return select(c[0], c.number(0), c[0].shape()[c.number(0)] * c.number(1) / 8); });
  ops.put(
         "full",
         [](Draw& d) {
           return Drawn{.shape = {d.rows(), d.width()}};
         },
         [](auto& c) { return full(c.context(), c.shape(), 0.5); })
      .shaped();
  ops.put("stop_gradient", one, [](auto& c) { return stop_gradient(c[0]); }).often(8).unlike_differences();

  ops.put("rotary", turned,
          [](auto& c) {
            const Shape& shape = c[0].shape();
            const Index head = 2 + 2 * c.number(2), columns = shape[1] / head * head;
            return rotary(c[0], c.layout(shape[0]), head, columns, 100, c.number(3) ? Use::products : Use::any);
          })
      .often(8);

  const auto attend = [](auto& c, const Shape& keys, auto call) {
    const Index queries = c[0].shape()[0];
    auto weights = c.no_tensor();
    const auto y = call(c.layout(queries), c.layout(keys[0], 2), attention_options(c), c.mask(6, queries, keys[0]),
                        c.number(7) ? &weights : nullptr);
    if (c.number(7)) c.hold(weights);
    return y;
  };
  ops.put("attention", attention_of_three, [attend](auto& c) {
    return attend(c, c[1].shape(), [&](auto query, auto key, auto options, auto* mask, auto* weights) {
      return attention(c[0], c[1], c[2], query, key, options, mask, weights);
    });
  });
  ops.put("self_attention", attention_of_one, [attend](auto& c) {
    return attend(c, c[0].shape(), [&](auto query, auto, auto options, auto* mask, auto* weights) {
      return self_attention(c[0], query, options, mask, weights);
    });
  });
  ops.put("cross_attention", attention_of_two, [attend](auto& c) {
    return attend(c, c[1].shape(), [&](auto query, auto key, auto options, auto* mask, auto* weights) {
      return cross_attention(c[0], c[1], query, key, options, mask, weights);
    });
  });

  ops.put(
      "cross_entropy", [](Draw& d) { return classified(d, {.operands = {d.matrix()}}); },
      [](auto& c) { return watched(c, cross_entropy(c[0], targets(c, c[0].shape()[1]), -1, c.eighths(1))); });
  ops.put(
      "linear_cross_entropy.bias", [](Draw& d) { return classified(d, projection(d, d.matrix())); },
      [](auto& c) {
        return watched(c, linear_cross_entropy(c[0], c[1], c[2], targets(c, c[1].shape()[0]), -1, c.eighths(1)));
      });
  ops.put(
      "r_drop.bias", [](Draw& d) { return classified(d, projection(d, d.matrix())); },
      [](auto& c) {
        const auto x = concat({c[0], scale(c[0], 0.75)}, 0);
        return watched(c, r_drop(x, c[1], c[2], targets(c, c[1].shape()[0]), 5, -1, c.eighths(1)));
      });
  ops.put(
      "linear_cross_entropy", [](Draw& d) { return classified(d, without_last(projection(d, d.matrix()))); },
      [](auto& c) {
        return watched(c, linear_cross_entropy(c[0], c[1], targets(c, c[1].shape()[0]), -1, c.eighths(1)));
      });
}

}  // namespace glossa::programs
