#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "autograd/kernels/amx_tiles.h"
#include "autograd/kernels/int8/product.h"
#include "autograd/kernels/int8/quantize.h"
#include "autograd/processor.h"
#include "tests/support/emulated_tiles.h"
#include "tests/support/sanitized.h"

namespace glossa::kernels::int8 {

namespace {

struct EmulatedInt8Tiles : testing::EmulatedTiles {
  using EmulatedTiles::EmulatedTiles;

  template <int c, int a, int b>
  void multiply() {
    multiply_with(c, a, b, [&](std::uint32_t sum, int i, int j) {
      for (int q = 0; q < depth(b); ++q)
        for (int place = 0; place < 4; ++place)
          sum += static_cast<std::uint32_t>(code(bits(a, i, q), place) * code(bits(b, q, j), place));
      return sum;
    });
  }

 private:
  static int code(std::uint32_t quad, int place) { return static_cast<Code>(quad >> 8 * place); }
};

void multiply_in_emulated_tiles(Index rows, Index cols, Index quads, const Unit* a, Index row, const Unit* b,
                                const std::int32_t*, std::int32_t* sums) {
  amx_multiply<EmulatedInt8Tiles>(rows, cols, quads, a, row, b, false, sums, panel_columns);
}

/// The kinds that can run here. AMX's loops always can, on emulated tiles.
std::vector<Kind> kinds() {
  std::vector<Kind> result{plain()};
  Kind emulated = amx();
  emulated.name = "amx, emulated";
  emulated.multiply = multiply_in_emulated_tiles;
  result.push_back(emulated);
  if (processor_has(InstructionSet::avx2)) result.push_back(avx2());
  if (processor_has(InstructionSet::avxvnni)) result.push_back(avxvnni());
  if (processor_has(InstructionSet::vnni)) result.push_back(vnni());
  if (processor_has(InstructionSet::amx)) result.push_back(amx());
  return result;
}

using Codes = std::vector<Code>;

/// Reduces codes of weights until neighbors sum to max_pair at most.
Codes bounded(Codes codes, Index inputs) {
  const auto at = [&](Index i) -> Code& { return codes[static_cast<std::size_t>(i)]; };
  for (Index row = 0; row < std::ssize(codes); row += inputs)
    for (Index k = row; k + 1 < row + inputs; k += 2) {
      const int surplus = std::max(std::abs(at(k) + at(k + 1)) - max_pair, 0);
      at(k) = static_cast<Code>(at(k) - (at(k) > 0 ? surplus : -surplus));
    }
  return codes;
}

/// A left factor and a weight whose codes are given, with random powers of 2 as scales.
class TestProduct {
 public:
  TestProduct(Index rows, Index outputs, Index inputs, Codes x, Codes w, std::mt19937& random)
      : rows_(rows), outputs_(outputs), inputs_(inputs), x_(std::move(x)), w_(std::move(w)) {
    const auto scale = [&] { return std::ldexp(1.0f, std::uniform_int_distribution(-9, 3)(random)); };
    for (Index i = 0; i < rows; ++i) x_scales_.push_back(scale());
    for (Index j = 0; j < outputs; ++j) {
      w_scales_.push_back(scale());
      std::int32_t sum = 0;
      for (Index k = 0; k < inputs; ++k) sum += w_[j * inputs + k];
      sums_.push_back(sum);
    }
    panels_.assign(static_cast<std::size_t>(panel_units(outputs, inputs)), 0);
    for (Index j = 0; j < outputs; ++j)
      for (Index k = 0; k < inputs; ++k)
        panels_[(j / panel_columns * quads(inputs) + k / 4) * panel_columns + j % panel_columns] |=
            Unit{static_cast<std::uint8_t>(w_[j * inputs + k])} << 8 * (k % 4);
  }

  /// The number of elements that are wrong, or that change outside of C.
  Index wrong(const Kind& kind) const {
    const Index stride = quads(inputs_);
    std::vector<std::uint32_t> units(static_cast<std::size_t>(rows_ * stride));
    for (Index i = 0; i < rows_; ++i) {
      Codes row(static_cast<std::size_t>(4 * quads(inputs_)), 0);
      std::copy_n(x_.begin() + i * inputs_, inputs_, row.begin());
      kind.lay_out(quads(inputs_), row.data(), units.data() + i * stride);
    }
    const Weight weight{outputs_, inputs_, panels_.data(), w_scales_.data(), sums_.data()};
    const Rows x{units.data(), stride, x_scales_.data()};
    Index wrong = 0;
    for (Index first = 0; first < outputs_; first += first == 0 ? panel_columns : outputs_) {
      const Index cols = outputs_ - first, c_stride = cols + 3;
      std::vector<float> c(static_cast<std::size_t>(rows_ * c_stride), 7);
      tile(kind, rows_, first, cols, x, weight, c.data(), c_stride);
      for (Index i = 0; i < rows_; ++i) {
        for (Index j = 0; j < cols; ++j) {
          std::int64_t sum = 0;
          for (Index k = 0; k < inputs_; ++k) sum += x_[i * inputs_ + k] * w_[(first + j) * inputs_ + k];
          const float expected = static_cast<float>(sum) * (x_scales_[i] * w_scales_[first + j]);
          wrong += !(c[i * c_stride + j] == expected);
        }
        for (Index j = cols; j < c_stride; ++j) wrong += c[i * c_stride + j] != 7;
      }
    }
    return wrong;
  }

 private:
  Index rows_, outputs_, inputs_;
  Codes x_, w_;
  std::vector<float> x_scales_, w_scales_;
  std::vector<std::int32_t> sums_;
  std::vector<std::uint32_t> panels_;
};

void check_product(const TestProduct& product, const std::string& form) {
  CAPTURE(form);
  for (const Kind& kind : kinds()) {
    CAPTURE(std::string(kind.name));
    CHECK(product.wrong(kind) == 0);
  }
}

}  // namespace

TEST_CASE("products in int8 are exact, for all kinds and random shapes") {
  std::mt19937 random(1);
  const auto below = [&](Index n) { return std::uniform_int_distribution<Index>(0, n - 1)(random); };
  const auto codes = [&](Index count) {
    Codes result(static_cast<std::size_t>(count));
    for (Code& code : result) code = static_cast<Code>(below(255) - 127);
    return result;
  };
  for (int i = 0; i < (testing::sanitized ? 60 : 300); ++i) {
    const auto extent = [&] { return 1 + below(below(4) == 0 ? 300 : 40); };
    const Index rows = extent(), outputs = extent(), inputs = extent();
    check_product({rows, outputs, inputs, codes(rows * inputs), bounded(codes(outputs * inputs), inputs), random},
                  fmt::format("{} x {} x {}", rows, outputs, inputs));
  }
}

TEST_CASE("products of the largest codes saturate nowhere, up to 65,536 inputs") {
  std::mt19937 random(2);
  for (const int x : {-127, 127})
    for (const auto& w : {std::pair{127, 1}, {1, 127}, {64, 64}, {127, -127}, {-1, -127}, {-64, -64}})
      for (const Index inputs : {Index{1}, Index{2}, Index{5}, Index{512}, max_inputs}) {
        constexpr Index rows = 7, outputs = 70;
        Codes codes;
        for (Index i = 0; i < outputs; ++i)
          for (Index k = 0; k < inputs; ++k) codes.push_back(static_cast<Code>(k % 2 == 0 ? w.first : w.second));
        check_product({rows, outputs, inputs, Codes(static_cast<std::size_t>(rows * inputs), static_cast<Code>(x)),
                       codes, random},
                      fmt::format("{} times {} and {}, {} inputs", x, w.first, w.second, inputs));
      }
}

TEST_CASE("a row's quantization error is at most half a step, its largest number is exact, zeros stay zeros") {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 2000; ++i) {
    const auto count = static_cast<Index>(1 + random() % 100);
    const float size = std::ldexp(1.0f, std::uniform_int_distribution(-95, 100)(random));
    std::vector<float> x(static_cast<std::size_t>(count));
    for (float& number : x) number = random() % 5 == 0 ? 0 : normal(random) * size;
    const float largest = std::abs(*std::ranges::max_element(x, {}, [](float number) { return std::abs(number); }));
    constexpr Index rest = 5;
    Codes codes(static_cast<std::size_t>(count + rest), 99);
    const float scale = quantize_row(count, x.data(), codes.data());
    CHECK(scale == largest / 127);
    for (Index j = 0; j < count; ++j) {
      CAPTURE(x[j]);
      const double error = std::abs(double{x[j]} - double{scale} * codes[j]);
      CHECK(error <= double{scale} * (0.5 + 127 * 0x1p-22));
      CHECK(std::abs(codes[j]) <= 127);
      if (x[j] == 0) CHECK(codes[j] == 0);
      if (std::abs(x[j]) == largest && largest > 0) CHECK(codes[j] == (x[j] > 0 ? 127 : -127));
    }
    CHECK(std::count(codes.end() - rest, codes.end(), 99) == rest);
  }
}

TEST_CASE("neighboring codes of a weight sum to 128 at most, with the smallest scale that ensures it") {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 2000; ++i) {
    const auto count = static_cast<Index>(1 + random() % 100);
    std::vector<float> x(static_cast<std::size_t>(count));
    for (float& number : x) number = random() % 3 == 0 ? std::copysign(1.0f, normal(random)) : normal(random);
    float largest = 0;
    for (Index j = 0; j < count; ++j) {
      const float pair = j % 2 == 1 ? x[j - 1] + x[j] : 0;
      largest = std::max({largest, std::abs(x[j]), std::abs(pair)});
    }
    Codes codes(static_cast<std::size_t>(count), 99);
    const float scale = quantize_weight_row(count, x.data(), codes.data());
    CHECK(scale == largest / 127);
    for (Index j = 0; j < count; ++j) {
      CHECK(std::abs(double{x[j]} - double{scale} * codes[j]) <= double{scale} * (0.5 + 127 * 0x1p-22));
      CHECK(std::abs(codes[j]) <= 127);
      if (j % 2 == 1) CHECK(std::abs(codes[j - 1] + codes[j]) <= max_pair);
    }
  }
  constexpr float huge = std::numeric_limits<float>::max();
  Codes codes(2, 99);
  CHECK(std::isnan(quantize_weight_row(2, std::vector{huge, huge}.data(), codes.data())));
  CHECK(codes == Codes{0, 0});
  CHECK(quantize_weight_row(2, std::vector{huge, -huge}.data(), codes.data()) == huge / 127);
  CHECK(codes == Codes{127, -127});
}

TEST_CASE("rows without a scale: zeros, tiny numbers, infinities and NaN") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float other : {0.0f, 0x1p-120f, -0x1p-149f}) {
    Codes codes(3, 99);
    const float x[] = {0, other, 0};
    CHECK(quantize_row(3, x, codes.data()) == 0);
    CHECK(codes == Codes{0, 0, 0});
  }
  for (const float other : {infinity, -infinity, NAN})
    for (const int place : {0, 1, 2}) {
      Codes codes(3, 99);
      float x[] = {1, 2, 3};
      x[place] = other;
      CHECK(std::isnan(quantize_row(3, x, codes.data())));
      CHECK(codes == Codes{0, 0, 0});
    }
}

TEST_CASE("a packed weight has the codes, scales and sums of its rows") {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  for (const auto& shape : {std::pair<Index, Index>{1, 1}, {64, 4}, {70, 5}, {130, 301}}) {
    const Index outputs = shape.first, inputs = shape.second;
    std::vector<float> w(static_cast<std::size_t>(outputs * inputs));
    for (float& number : w) number = normal(random);
    std::vector<std::uint32_t> panels(static_cast<std::size_t>(panel_units(outputs, inputs)), 99);
    std::vector<float> scales(static_cast<std::size_t>(outputs), 99), row(static_cast<std::size_t>(inputs));
    std::vector<std::int32_t> sums(static_cast<std::size_t>(outputs), 99);
    for (Index panel = 0; panel < kernels::panels(outputs); ++panel)
      pack_panel(w.data(), outputs, inputs, panel, panels.data(), scales.data(), sums.data());
    const Weight weight{outputs, inputs, panels.data(), scales.data(), sums.data()};
    std::int64_t total = 0;
    int largest_pair = 0;
    for (Index i = 0; i < outputs; ++i) {
      Codes codes(static_cast<std::size_t>(inputs));
      CHECK(scales[i] == quantize_weight_row(inputs, w.data() + i * inputs, codes.data()));
      unpack_row(weight, i, row.data());
      std::int32_t sum = 0;
      for (Index j = 0; j < inputs; ++j) {
        CHECK(row[j] == scales[i] * static_cast<float>(codes[j]));
        sum += codes[j];
        largest_pair = std::max(largest_pair, std::abs(j % 2 == 1 ? codes[j - 1] + codes[j] : codes[j]));
      }
      CHECK(sums[i] == sum);
      total += sum;
    }
    for (const std::uint32_t unit : panels)  // what lies beyond the rows and columns is zero
      for (int place = 0; place < 4; ++place) total -= static_cast<Code>(unit >> 8 * place);
    CHECK(total == 0);
    int largest = 0;
    for (Index panel = 0; panel < kernels::panels(outputs); ++panel)
      largest = std::max(largest, sum_panel(outputs, inputs, panel, panels.data(), sums.data()));
    CHECK(largest == largest_pair);
  }
}

}  // namespace glossa::kernels::int8
