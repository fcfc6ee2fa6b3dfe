// Values that exist only in bf16, tested through the public interface.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "autograd/frame.h"
#include "autograd/ops.h"
#include "tests/support/restore_runtime.h"
#include "tests/support/sanitized.h"

using namespace glossa;

namespace {

using Seen = std::map<std::string, std::vector<float>>;

Initializer normal_numbers() {
  return [](std::span<double> values, const Shape&, RandomStream& random) {
    for (double& value : values) value = random.normal() / 2;
  };
}

/// x rounded to bf16, as a value in float.
Variable<float> rounding(const Variable<float>& x) {
  Context<float>& c = context_of("rounding", {x});
  const Tensor<const float> in = c.read(x);
  const Tensor<float> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return rounded(in[i]).widened(); });
  return c.record("rounding", {x}, y,
                  [](Backward<float>& back) { back.add(0, [dy = back.dy()](Index i) { return dy[i]; }); });
}

/// Parameters [outputs, inputs] and [outputs], and an input [rows, inputs].
struct LinearLeaves {
  Index rows, inputs, outputs;
  ParameterStore<float> store;
  Parameter<float>&x = store.declare("x", {rows, inputs}, normal_numbers()),
  &weight = store.declare("weight", {outputs, inputs}, normal_numbers()),
  &bias = store.declare("bias", {outputs}, normal_numbers()),
  &next = store.declare("next", {outputs, outputs}, normal_numbers());
  RowSpan span{0, rows};
  RowLayout layout{.rows = rows, .sequences = {&span, 1}};

  LinearLeaves(Index rows, Index inputs, Index outputs) : rows(rows), inputs(inputs), outputs(outputs) {
    store.allocate(3);
  }
};

using SectionOp = std::function<Variable<float>(Context<float>&, LinearLeaves&)>;

/// An op whose value is in bf16 only, and ops in float with the same bits.
struct Producer {
  const char* name;
  SectionOp op, in_float;
};

const std::vector<Producer> producers{
    {"linear",
     [](auto& c, LinearLeaves& l) {
       return linear(c.parameter(l.x), c.parameter(l.weight), c.parameter(l.bias), Use::products);
     },
     [](auto& c, LinearLeaves& l) {
       return rounding(linear(c.parameter(l.x), c.parameter(l.weight), c.parameter(l.bias)));
     }},
    {"linear without bias",
     [](auto& c, LinearLeaves& l) { return linear(c.parameter(l.x), c.parameter(l.weight), Use::products); },
     [](auto& c, LinearLeaves& l) { return rounding(linear(c.parameter(l.x), c.parameter(l.weight))); }},
    {"linear_relu",
     [](auto& c, LinearLeaves& l) {
       return linear_relu(c.parameter(l.x), c.parameter(l.weight), c.parameter(l.bias), 0, l.layout);
     },
     [](auto& c, LinearLeaves& l) {
       return rounding(relu(linear(c.parameter(l.x), c.parameter(l.weight), c.parameter(l.bias))));
     }},
    {"layer_norm",
     [](auto& c, LinearLeaves& l) {
       const auto x = linear(c.parameter(l.x), c.parameter(l.weight));
       return layer_norm(x, c.parameter(l.bias), c.parameter(l.bias), 0.1, Use::products);
     },
     [](auto& c, LinearLeaves& l) {
       const auto x = linear(c.parameter(l.x), c.parameter(l.weight));
       return rounding(layer_norm(x, c.parameter(l.bias), c.parameter(l.bias), 0.1));
     }},
    {"swiglu",
     [](auto& c, LinearLeaves& l) {
       const auto x = linear(c.parameter(l.x), c.parameter(l.weight));
       return swiglu(concat({x, neg(x)}, 1), Use::products);
     },
     [](auto& c, LinearLeaves& l) {
       const auto x = linear(c.parameter(l.x), c.parameter(l.weight));
       return rounding(swiglu(concat({x, neg(x)}, 1)));
     }},
    {"rms_norm",
     [](auto& c, LinearLeaves& l) {
       return rms_norm(linear(c.parameter(l.x), c.parameter(l.weight)), c.parameter(l.bias), 0.1, Use::products);
     },
     [](auto& c, LinearLeaves& l) {
       return rounding(rms_norm(linear(c.parameter(l.x), c.parameter(l.weight)), c.parameter(l.bias), 0.1));
     }}};

struct Reader {
  const char* name;
  std::function<Variable<float>(const Variable<float>&, LinearLeaves&)> op;
};

/// The last ones read the form in bf16.
constexpr std::size_t readers_of_bf16 = 4;
const std::vector<Reader> readers{
    {"add", [](auto& y, LinearLeaves&) { return add(y, y); }},
    {"softmax", [](auto& y, LinearLeaves&) { return softmax(y); }},
    {"reshape", [](auto& y, LinearLeaves&) { return reshape(y, {y.size()}); }},
    {"reshape, linear",
     [](auto& y, LinearLeaves& l) {
       return linear(reshape(y, {1, l.rows, l.outputs}), y.context().parameter(l.next));
     }},
    {"slice", [](auto& y, LinearLeaves& l) { return slice(y, 0, 1, l.rows); }},
    {"transpose", [](auto& y, LinearLeaves&) { return transpose(y, 0, 1); }},
    {"concat",
     [](auto& y, LinearLeaves&) {
       return concat({y, y}, 1);
     }},
    {"stop_gradient", [](auto& y, LinearLeaves&) { return mul(y, stop_gradient(y)); }},
    {"matmul", [](auto& y, LinearLeaves& l) { return matmul(y, y.context().parameter(l.next)); }},
    {"layer_norm", [](auto& y, LinearLeaves&) { return layer_norm(y, 0.1); }},
    {"linear", [](auto& y, LinearLeaves& l) { return linear(y, y.context().parameter(l.next)); }},
    {"linear, products",
     [](auto& y, LinearLeaves& l) { return linear(y, y.context().parameter(l.next), Use::products); }},
    {"linear_relu",
     [](auto& y, LinearLeaves& l) { return linear_relu(y, y.context().parameter(l.next), 0, l.layout); }},
    {"self_attention", [](auto& y, LinearLeaves& l) { return self_attention(y, l.layout, {.heads = 2}); }}};

/// A program: a producer, its readers, and the uses of its value.
struct UseOfValue {
  Index rows;
  std::size_t producer, readers[3] = {};
  bool reuses = true, twice = false, retains = false, reads_before = false, reads_between = false, frames = false;

  std::string text() const {
    return fmt::format(
        "{}, {}; {}; {}, {} rows, reuses {}, twice {}, retains {}, reads before {} and between {}, frames {}",
        ::readers[readers[0]].name, ::readers[readers[1]].name, ::readers[readers[2]].name, producers[producer].name,
        rows, reuses, twice, retains, reads_before, reads_between, frames);
  }
};

void note_numbers(Seen& bits, const std::string& name, const Tensor<const float>& x) {
  bits[name].assign(x.span().begin(), x.span().end());
}

/// Everything that a user can see. Values that the engine refuses to show after backward are absent.
Seen observed(const UseOfValue& program, bool in_float) {
  LinearLeaves leaves(program.rows, 20, 36);
  Context<float> c;
  c.set_reuse(program.reuses);
  c.set_wiping(true);
  c.begin({.training = true, .precision = Precision::bf16});
  Seen bits;
  const auto section = [&] {
    const Producer& producer = producers[program.producer];
    if (!program.frames) return (in_float ? producer.in_float : producer.op)(c, leaves);
    Frame<float> frame(c, inputs_stay);
    return frame.keep((in_float ? producer.in_float : producer.op)(c, leaves));
  };
  const Variable<float> y = section();
  if (program.retains) y.retain_grad();
  Tensor<const float> before;
  if (program.reads_before) note_numbers(bits, "value", before = y.value());
  std::vector<Variable<float>> results;
  Variable<float> loss = sum(c.parameter(leaves.x));
  for (const std::size_t reader : program.readers) {
    results.push_back(readers[reader].op(y, leaves));
    loss = add(loss, sum(square(results.back())));
  }
  note_numbers(bits, "loss", loss.value());
  for (int i = program.twice ? 0 : 1; i < 2; ++i) {
    c.backward(loss, /*keep_graph=*/i == 0);
    for (const Parameter<float>* parameter : leaves.store.parameters())
      if (parameter->has_grad())
        note_numbers(bits, fmt::format("{} of {}", i, parameter->name), parameter->grad_tensor());
    if (program.retains) note_numbers(bits, fmt::format("{} of y", i), y.grad());
    if (i == 0 && program.reads_between) note_numbers(bits, "value between two backwards", y.value());
  }
  if (program.reads_before) note_numbers(bits, "value, later", before);
  try {
    note_numbers(bits, "read by a product after backward", linear(y, c.parameter(leaves.next)).value());
    note_numbers(bits, "value after backward", y.value());
  } catch (const Error& error) {
    REQUIRE(std::string(error.what()).find("still in memory") != std::string::npos);
    CHECK_FALSE(program.retains);
    CHECK_FALSE(program.reads_before);
    CHECK_FALSE((program.twice && program.reads_between));
    CHECK(program.reuses);
  }
  return bits;
}

}  // namespace

TEST_CASE_FIXTURE(testing::OneThread, "a value in bf16 only is the rounded value, for all readers and uses") {
  RandomStream random(1, "uses of rounded values");
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random.below(n)); };
  Index compared = 0;
  for (int i = 0; i < (testing::sanitized ? 200 : 1500); ++i) {
    UseOfValue program{.rows = below(3) ? 48 : 5, .producer = below(producers.size())};
    const std::size_t choice = below(2) ? readers.size() : readers_of_bf16;
    for (std::size_t& reader : program.readers) reader = readers.size() - 1 - below(choice);
    program.reuses = below(3) > 0;
    program.twice = below(3) == 0;
    program.retains = below(3) == 0;
    program.reads_before = below(3) == 0;
    program.reads_between = below(3) == 0;
    program.frames = below(3) == 0;
    CAPTURE(program.text());
    const Seen got = observed(program, false);
    UseOfValue plain = program;
    plain.reuses = false;
    for (const auto& seen : observed(plain, true)) {
      const std::string& what = seen.first;
      const auto& numbers = seen.second;
      if (what.ends_with("after backward") && !got.contains(what)) continue;
      REQUIRE_MESSAGE(got.contains(what), what);
      REQUIRE_MESSAGE(got.at(what) == numbers, what);
      ++compared;
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE_FIXTURE(testing::OneThread, "the value of add_layer_norm is read in float and rounded, in taken memory") {
  for (const bool is_rms : {false, true})
    for (const bool reuses : {true, false})
      for (const bool reads_before : {false, true})
        for (const double dropout : {0.0, 0.5}) {
          CAPTURE(is_rms);
          CAPTURE(reuses);
          CAPTURE(reads_before);
          LinearLeaves leaves(40, 32, 32);
          const auto run = [&](Precision precision, bool reuses, bool reads_before) {
            Seen bits;
            Context<float> c;
            c.set_reuse(reuses);
            c.set_wiping(true);
            leaves.store.clear_grads();
            c.begin({.training = true, .update = 1, .precision = precision});
            const auto x = c.parameter(leaves.x), bias = c.parameter(leaves.bias);
            const auto branch = linear(x, c.parameter(leaves.weight));
            const auto early = linear(branch, c.parameter(leaves.next));  // reads the branch, rounded
            if (reads_before) note_numbers(bits, "branch", branch.value());
            const auto y = is_rms ? add_rms_norm(x, branch, dropout, leaves.layout, bias, 0.1)
                                  : add_layer_norm(x, branch, dropout, leaves.layout, bias, bias, 0.1);
            if (precision == Precision::bf16 && reuses && !reads_before)
              CHECK_THROWS_WITH_AS(branch.value(), doctest::Contains("in memory"), Error);
            const auto product = linear(y, c.parameter(leaves.next)), other = mul(y, softmax(y));
            note_numbers(bits, "y", y.value());
            note_numbers(bits, "product", product.value());
            c.backward(add(add(sum(square(early)), sum(square(product))), sum(other)));
            for (const Parameter<float>* parameter : leaves.store.parameters())
              if (parameter->has_grad()) note_numbers(bits, parameter->name, parameter->grad_tensor());
            // A product with the value as a constant rounds it again.
            c.begin({.recording = false, .precision = precision});
            const Tensor<const float> value{bits.at("y").data(), {40, 32}};
            const auto again = linear(c.constant(value), c.parameter(leaves.next)).value();
            CHECK(std::ranges::equal(again.span(), bits.at("product")));
            return bits;
          };
          const Seen got = run(Precision::bf16, reuses, reads_before);
          Seen expected = run(Precision::bf16, false, true);
          if (!reads_before) expected.erase("branch");
          CHECK(got == expected);
          for (const auto& seen : run(Precision::full, false, reads_before)) {
            const std::string& what = seen.first;
            const auto& numbers = seen.second;
            CAPTURE(what);
            double largest = 0, error = 0;
            for (std::size_t i = 0; i < numbers.size(); ++i) {
              largest = std::max(largest, std::fabs(double{numbers[i]}));
              error = std::max(error, std::fabs(double{got.at(what)[i]} - double{numbers[i]}));
            }
            CHECK(error < 0.03 * largest);
          }
        }
}

TEST_CASE_FIXTURE(testing::OneThread, "a value that becomes infinite by rounding is traced to its op") {
  const float x[] = {1, 1}, weight[] = {0x1.fep127f, 0x1p119f};
  Context<float> c;
  c.trace_finite(true);
  const auto first = [&](Use use, bool recording) {
    c.begin({.recording = recording, .precision = Precision::bf16});
    const auto y = linear(c.input({x, {1, 2}}), c.constant({weight, {1, 2}}), use);
    reshape(y, {1});
    return c.first_nonfinite();
  };
  CHECK(first(Use::any, true) == "");
  CHECK(first(Use::products, false) == "");
  CHECK(first(Use::products, true) == "linear [1, 1]: element 0 is inf");
}
