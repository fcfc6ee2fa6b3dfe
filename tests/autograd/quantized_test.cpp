#include "autograd/quantized.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "autograd/linear_tiles.h"
#include "autograd/ops.h"
#include "autograd/parameter_file.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;

namespace {

constexpr Index columns = 37, outputs = 300;
constexpr StepOptions in_int8{.recording = false, .precision = Precision::int8};

/// Two stores with the same numbers. A test quantizes the second.
struct BothForms {
  ParameterStore<float> in_float, quantized;
  std::vector<float> numbers = std::vector<float>(300 * columns);
  Context<float> context;

  explicit BothForms(std::uint64_t seed) {
    for (ParameterStore<float>* store : {&in_float, &quantized}) {
      const Initializer normal = [](std::span<double> values, const Shape&, RandomStream& random) {
        for (double& x : values) x = random.normal();
      };
      store->declare("table", {outputs, columns}, normal).is_matrix = true;
      Parameter<float>& whole = store->declare("whole", {5 * columns, columns}, normal);
      whole.is_matrix = true;
      store->part(whole, 0, columns);
      store->part(whole, columns, 5 * columns);
      store->declare("bias", {outputs}, normal);
      store->allocate(seed);
    }
    RandomStream random(seed, "x");
    for (float& x : numbers) x = static_cast<float>(random.normal());
  }

  Variable<float> x(Index rows) { return context.constant({numbers.data(), {rows, columns}}); }
};

std::vector<float> numbers_of(const Variable<float>& y) { return {y.value().span().begin(), y.value().span().end()}; }

/// The largest difference, as a share of the largest magnitude.
double apart_by(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double{a[i]}));
    apart = std::max(apart, std::abs(double{a[i]} - double{b[i]}));
  }
  return apart / largest;
}

}  // namespace

TEST_CASE("matrices in int8 replace their numbers; other parameters stay") {
  BothForms forms(1);
  const QuantizedMatrices matrices(forms.quantized);
  for (const char* const name : {"table", "whole"}) {
    const Parameter<float>& parameter = forms.quantized.at(name);
    CHECK(parameter.value.data == nullptr);
    for (const Parameter<float>* part : parameter.parts) {
      CHECK(part->value.data == nullptr);
      REQUIRE(part->in_int8);
      CHECK(part->in_int8->outputs == part->value.rows());
    }
    CHECK((parameter.in_int8 != nullptr) == parameter.parts.empty());
  }
  CHECK(std::ranges::equal(forms.quantized.at("bias").value.span(), forms.in_float.at("bias").value.span()));
}

TEST_CASE("ops that read a matrix in int8 agree with float within the error of rounding") {
  constexpr double step = 1.0 / 254;  // of the largest number of a row: half a step, unless neighbors have a larger sum
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    BothForms forms(seed);
    const QuantizedMatrices matrices(forms.quantized);
    const std::vector<int> ids{5, 299, 0, 64, 63};
    const RowSpan span{0, std::ssize(ids)};
    const RowLayout layout{.rows = span.length, .sequences = {&span, 1}};
    const auto results = [&](ParameterStore<float>& store, const StepOptions& options) {
      Context<float>& c = forms.context;
      std::vector<std::vector<float>> all;
      c.begin(options);
      const Variable<float> bias = c.parameter(store.at("bias"));
      for (Parameter<float>* matrix : {&store.at("table"), store.at("whole").parts[0], store.at("whole").parts[1]})
        for (const Index rows : {1, 5, 40}) {
          const Variable<float> w = c.parameter(*matrix);
          const RowSpan all_rows{0, rows};
          all.push_back(numbers_of(linear(forms.x(rows), w)));
          all.push_back(numbers_of(linear_relu(forms.x(rows), w, 0, {.rows = rows, .sequences = {&all_rows, 1}})));
        }
      const Variable<float> table = c.parameter(store.at("table"));
      all.push_back(numbers_of(linear(forms.x(3), table, bias)));
      all.push_back(numbers_of(embed_tokens(table, ids, 2, full(c, {5, columns}, 0.5f), 0, layout)));
      std::vector<int> targets(300);  // two chunks of rows
      for (int i = 0; i < 300; ++i) targets[static_cast<std::size_t>(i)] = i;
      all.push_back({static_cast<float>(linear_cross_entropy(forms.x(300), table, bias, targets, -1, 0).nll_sum)});
      return all;
    };
    const auto expected = results(forms.in_float, {.recording = false}), got = results(forms.quantized, in_int8);
    REQUIRE(expected.size() == got.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      CAPTURE(i);
      CHECK(apart_by(expected[i], got[i]) < 5 * step);
      CHECK(apart_by(expected[i], got[i]) > 0);
    }
  }
}

TEST_CASE("the loss in int8 is that of the logits in int8, in every chunk of rows") {
  BothForms forms(1);
  const QuantizedMatrices matrices(forms.quantized);
  constexpr Index rows = 300, classes = 300;  // two chunks of rows
  std::vector<int> targets(rows);
  for (int i = 0; i < rows; ++i) targets[static_cast<std::size_t>(i)] = 7 * i % classes;
  forms.context.begin(in_int8);
  const Variable<float> table = forms.context.parameter(forms.quantized.at("table"));
  const Variable<float> bias = forms.context.parameter(forms.quantized.at("bias"));
  const std::vector<float> logits = numbers_of(linear(forms.x(rows), table, bias));
  REQUIRE_EQ(std::ssize(logits), rows * classes);
  double expected = 0;
  for (Index i = 0; i < rows; ++i) {
    double sum = 0;
    for (Index j = 0; j < classes; ++j) sum += std::exp(double{logits[i * classes + j]});
    expected += std::log(sum) - logits[i * classes + targets[static_cast<std::size_t>(i)]];
  }
  CHECK(linear_cross_entropy(forms.x(rows), table, bias, targets, -1, 0).nll_sum ==
        doctest::Approx(expected).epsilon(1e-6));
}

TEST_CASE("tiles of a linear layer are its pieces, in every precision") {
  BothForms forms(1);
  const QuantizedMatrices matrices(forms.quantized);
  for (const Precision precision : {Precision::full, Precision::bf16, Precision::int8})
    for (const Index rows : {1, 7, 300})
      for (const bool with_bias : {false, true}) {
        ParameterStore<float>& store = precision == Precision::int8 ? forms.quantized : forms.in_float;
        forms.context.begin({.recording = false, .precision = precision});
        const Variable<float> w = forms.context.parameter(store.at("table"));
        const Variable<float> bias = forms.context.parameter(store.at("bias"));
        const std::vector<float> expected =
            numbers_of(with_bias ? linear(forms.x(rows), w, bias) : linear(forms.x(rows), w));
        std::vector<float> got(expected.size(), NAN);
        linear_tiles<float>(forms.x(rows), w, with_bias ? std::optional(bias) : std::nullopt,
                            [&](const kernels::Tile<float>& tile) {
                              for (Index i = tile.first_row; i < tile.last_row; ++i)
                                std::copy_n(tile.row(i), tile.cols(), got.begin() + i * outputs + tile.first_col);
                            });
        CHECK(apart_by(expected, got) < (precision == Precision::full ? 1e-6 : 1e-30));
      }
}

TEST_CASE("a matrix in int8 is refused where its numbers are needed") {
  BothForms forms(1);
  const QuantizedMatrices matrices(forms.quantized);
  Context<float>& c = forms.context;
  const auto table = [&](ParameterStore<float>& store) { return c.parameter(store.at("table")); };
  c.begin({.recording = false});
  CHECK_THROWS_WITH(table(forms.quantized),
                    "[table] expected a step in int8, as the model has its matrices in int8; got another precision");
  CHECK_THROWS_WITH(c.begin({.precision = Precision::int8}),
                    "[context] expected a step without recording in int8, as integers have no gradients; got one that "
                    "records");
  c.begin(in_int8);
  CHECK_THROWS_WITH(table(forms.in_float),
                    "[table] expected a model in int8 for a step in int8; got one in float. Hint: construct "
                    "QuantizedMatrices");
  const Variable<float> w = table(forms.quantized);
  const std::vector<int> ids{0};
  const auto refuses = [&](const auto& op) {
    CHECK_THROWS_WITH(op(),
                      "[table] expected only linear layers and embed_tokens to read a matrix in int8 [300, 37]; "
                      "got another reader");
  };
  refuses([&] { return scale(w, 2); });
  refuses([&] { return w.value(); });
  refuses([&] { return embedding(w, ids); });
  refuses([&] { return matmul(forms.x(2), w, false, true); });
  refuses([&] { return linear(w, w); });
}

TEST_CASE("a store without matrices takes them from memory; only a model in float can be saved or quantized") {
  BothForms forms(1);
  ParameterStore<float> empty;
  const Initializer zeros = [](std::span<double>, const Shape&, RandomStream&) {};
  empty.declare("table", {outputs, columns}, zeros).is_matrix = true;
  empty.declare("bias", {outputs}, zeros);
  empty.allocate_without_matrices();
  CHECK(std::ssize(empty.values()) < outputs * columns);
  QuantizedMatrices added;
  added.add(empty.at("table"), forms.in_float.at("table").value.span());
  QuantizedMatrices matrices(forms.quantized);
  forms.context.begin(in_int8);
  CHECK(numbers_of(linear(forms.x(5), forms.context.parameter(empty.at("table")))) ==
        numbers_of(linear(forms.x(5), forms.context.parameter(forms.quantized.at("table")))));
  const testing::TemporaryFolder folder;
  CHECK_THROWS_AS(save_parameters(folder / "a.safetensors", forms.quantized), Error);
  CHECK_THROWS_WITH(QuantizedMatrices{forms.quantized},
                    "[table] expected a model in float; got one that is in int8 already");
  CHECK_THROWS_WITH(QuantizedMatrices{empty}, "[table] expected a model in float; got one that is in int8 already");
}

TEST_CASE("codes in int8 whose neighbors sum to more than 128 are refused") {
  ParameterStore<float> store;
  Parameter<float>& matrix = store.declare("matrix", {70, 4}, [](std::span<double>, const Shape&, RandomStream&) {});
  matrix.is_matrix = true;
  store.allocate_without_matrices();
  std::vector<std::uint32_t> panels(static_cast<std::size_t>(kernels::int8::panel_units(70, 4)));
  const std::vector<float> scales(70, 1);
  const auto take = [&](Index row, std::uint32_t quad) {
    QuantizedMatrices matrices;
    matrices.make_room(store);
    std::ranges::fill(panels, 0);
    panels[static_cast<std::size_t>(row)] = quad;
    matrices.take(matrix, panels.data(), scales.data(), "a.weights");
  };
  for (const Index row : {0, 63, 69}) {
    for (const std::uint32_t quad : {0x00004040u, 0x40400000u, 0x00817f00u, 0x0000c0c0u, 0x7f81817fu}) take(row, quad);
    for (const std::uint32_t quad : {0x00004140u, 0x41400000u, 0x0000c0bfu, 0xbfc00000u})
      CHECK_THROWS_WITH_AS(
          take(row, quad),
          doctest::Contains("[a.weights] expected neighboring codes of matrix to sum to at most 128; got "
                            "129. Hint: quantize the model again"),
          Error);
  }
}

TEST_CASE("linear_tiles of no rows calls nothing") {
  BothForms forms(1);
  forms.context.begin({.recording = false});
  linear_tiles<float>(forms.x(0), forms.context.parameter(forms.in_float.at("table")), std::nullopt,
                      [](const kernels::Tile<float>&) { CHECK(false); });
}
