#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "autograd/kernels/amx_tiles.h"
#include "autograd/kernels/bf16/product.h"
#include "autograd/kernels/gemm.h"
#include "autograd/processor.h"
#include "tests/support/emulated_tiles.h"
#include "tests/support/sanitized.h"

namespace glossa::kernels {

namespace {

using bf16::Kind, bf16::LeftPairs, bf16::Pair;

/// AMX's tiles, emulated. The sums of even and of odd factors are separate until the end of a tile.
struct EmulatedBf16Tiles : testing::EmulatedTiles {
  using EmulatedTiles::EmulatedTiles;

  template <int c, int a, int b>
  void multiply() {
    multiply_with(c, a, b, [&](std::uint32_t sum, int i, int j) {
      float even = 0, odd = 0;
      for (int p = 0; p < depth(b); ++p) {
        even += first(bits(a, i, p)) * first(bits(b, p, j));
        odd += second(bits(a, i, p)) * second(bits(b, p, j));
      }
      return std::bit_cast<std::uint32_t>(std::bit_cast<float>(sum) + (even + odd));
    });
  }

 private:
  static float first(std::uint32_t x) { return std::bit_cast<float>(x << 16); }
  static float second(std::uint32_t x) { return std::bit_cast<float>(x & 0xFFFF0000); }
};

void multiply_in_emulated_tiles(Index rows, Index cols, Index pairs, const LeftPairs& a, const Pair* b, bool add,
                                float* c, Index stride) {
  amx_multiply<EmulatedBf16Tiles>(rows, cols, pairs, a.data, a.row, b, add, c, stride);
}

/// The kinds that can run here. AMX's loops always can, on emulated tiles.
std::vector<Kind> kinds() {
  std::vector<Kind> result{bf16::plain()};
  Kind emulated = bf16::plain();
  emulated.name = "amx, emulated";
  emulated.left_in_rows = true;
  emulated.multiply = multiply_in_emulated_tiles;
  result.push_back(emulated);
  if (processor_has(InstructionSet::avx512bf16)) result.push_back(bf16::avx512());
  if (processor_has(InstructionSet::amx)) result.push_back(bf16::amx());
  return result;
}

/// A matrix of random numbers in both forms, with NaN before it and between its rows.
struct Matrix {
  Index rows, cols, stride, offset;
  std::vector<float> numbers;
  std::vector<Bf16> in_bf16;

  Matrix(Index rows, Index cols, Index extra, Index offset, std::mt19937& random)
      : rows(rows),
        cols(cols),
        stride(cols + extra),
        offset(offset),
        numbers(static_cast<std::size_t>(offset + rows * stride), NAN) {
    std::normal_distribution<float> normal;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j)
        numbers[at(i, j)] = std::ldexp(normal(random), std::uniform_int_distribution(-6, 6)(random));
    for (const float x : numbers) in_bf16.push_back(rounded(x));
  }

  std::size_t at(Index i, Index j) const { return static_cast<std::size_t>(offset + i * stride + j); }
  double operator()(Index i, Index j) const { return numbers[at(i, j)]; }
  double in_half(Index i, Index j) const { return in_bf16[at(i, j)].widened(); }

  Factor<float> factor(bool transposed, bool halves) const {
    return {halves ? nullptr : numbers.data() + offset, stride, transposed, halves ? in_bf16.data() + offset : nullptr};
  }
};

/// C = A B or C += A B: shapes and forms.
struct Form {
  Index m, n, k;
  bool transposed_a, transposed_b, add, halves_a, halves_b, packed;
  Index extra_a, extra_b, extra_c, offset_a, offset_b;

  std::string text() const {
    return fmt::format("m {} n {} k {} transposed {} {} add {} halves {} {} packed {} extra {} {} {} offset {} {}", m,
                       n, k, transposed_a, transposed_b, add, halves_a, halves_b, packed, extra_a, extra_b, extra_c,
                       offset_a, offset_b);
  }
};

/// A product of random factors, with bounds for every element of C.
class TestProduct {
 public:
  TestProduct(const Form& form, std::mt19937& random)
      : form_(form),
        a_(form.transposed_a ? form.k : form.m, form.transposed_a ? form.m : form.k, form.extra_a, form.offset_a,
           random),
        b_(form.transposed_b ? form.n : form.k, form.transposed_b ? form.k : form.n, form.extra_b, form.offset_b,
           random),
        before_(form.m, form.n, form.extra_c, 0, random) {
    for (Index i = 0; i < form.m; ++i)
      for (Index j = 0; j < form.n; ++j) {
        Sum& sum = sums_.emplace_back();
        for (Index p = 0; p < form.k; ++p) {
          const auto [ai, ap] = form.transposed_a ? std::pair(p, i) : std::pair(i, p);
          const auto [bp, bj] = form.transposed_b ? std::pair(j, p) : std::pair(p, j);
          const double product = a_(ai, ap) * b_(bp, bj);
          sum.exact += product;
          sum.of_rounded += a_.in_half(ai, ap) * b_.in_half(bp, bj);
          sum.sizes += std::fabs(product);
        }
      }
  }

  /// Calls compute(form, A, B, beta, C, stride of C). Returns the number of elements that exceed their bounds or,
  /// outside of C, have changed.
  template <class Compute>
  Index wrong(const Kind& kind, const Compute& compute) const {
    Factor<float> right = b_.factor(form_.transposed_b, form_.halves_b);
    std::vector<std::uint32_t> packed(static_cast<std::size_t>(bf16::packed_size(form_.n, form_.k)), 0x7FC07FC0);
    if (form_.packed) {
      for (Index panel = 0; panel < panels(form_.n); ++panel)
        bf16::pack_panel(kind, form_.n, form_.k, right, panel, packed.data());
      right = {nullptr, b_.stride, form_.transposed_b, nullptr, packed.data()};
    }
    std::vector<float> c = before_.numbers;
    c.resize(c.size() + panel_columns, 7);  // room for numbers written beyond C
    compute(form_, a_.factor(form_.transposed_a, form_.halves_a), right, form_.add ? 1.0f : 0.0f, c.data(),
            before_.stride);
    Index wrong = panel_columns - std::count(c.end() - panel_columns, c.end(), 7);
    auto sum = sums_.begin();
    for (Index i = 0; i < form_.m; ++i) {
      for (Index j = 0; j < form_.n; ++j, ++sum) {
        const double start = form_.add ? before_(i, j) : 0, count = static_cast<double>(form_.k);
        const double tiny = count * 0x1p-126 + std::fabs(start) * (count + 1) * 0x1p-24;
        const double got = c[before_.at(i, j)] - start;
        wrong += !(std::fabs(got - sum->exact) <= (0x1p-7 + 0x1p-15 + count * 0x1p-23) * sum->sizes + tiny);
        wrong += !(std::fabs(got - sum->of_rounded) <= count * 0x1p-23 * sum->sizes + tiny);
      }
      for (Index j = form_.n; j < before_.stride; ++j)
        wrong += std::bit_cast<std::uint32_t>(c[before_.at(i, j)]) !=
                 std::bit_cast<std::uint32_t>(before_.numbers[before_.at(i, j)]);
    }
    return wrong;
  }

 private:
  struct Sum {
    double exact = 0, of_rounded = 0, sizes = 0;
  };

  Form form_;
  Matrix a_, b_, before_;
  std::vector<Sum> sums_;
};

/// Checks a product with all kinds, and in tiles with the kind of this processor.
void check_product(const Form& form, std::mt19937& random) {
  const TestProduct product(form, random);
  CAPTURE(form.text());
  for (const Kind& kind : kinds()) {
    CAPTURE(std::string(kind.name));
    const Index wrong =
        product.wrong(kind, [&](const Form& f, const auto& a, const auto& b, float beta, float* c, Index stride) {
          bf16::tile(kind, f.m, f.n, f.k, a, b, beta, c, stride);
        });
    CHECK(wrong == 0);
  }
  const Index wrong =
      product.wrong(bf16::kind(), [](const Form& f, const auto& a, const auto& b, float beta, float* c, Index stride) {
        gemm<float>(f.m, f.n, f.k, a, b, beta, {c, stride}, Precision::bf16);
      });
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("numbers are rounded to bf16 by nearest even; subnormals become 0, infinities and NaN stay") {
  const auto bits = [](float x) { return rounded(x).bits; };
  CHECK(bits(1.0f) == 0x3F80);
  CHECK(bits(std::bit_cast<float>(0x3F808000u)) == 0x3F80);  // a tie, to the even one below
  CHECK(bits(std::bit_cast<float>(0x3F818000u)) == 0x3F82);  // a tie, to the even one above
  CHECK(bits(std::bit_cast<float>(0x3F808001u)) == 0x3F81);
  CHECK(bits(std::bit_cast<float>(0xBF80FFFFu)) == 0xBF81);
  CHECK(bits(std::bit_cast<float>(0x7F7FFFFFu)) == 0x7F80);  // beyond the largest number
  CHECK(bits(-std::numeric_limits<float>::infinity()) == 0xFF80);
  CHECK(std::isnan(rounded(std::bit_cast<float>(0x7F800001u)).widened()));
  CHECK(bits(std::bit_cast<float>(0x807FFFFFu)) == 0x8000);
  CHECK(bits(std::bit_cast<float>(0x00800000u)) == 0x0080);
}

TEST_CASE("all kinds round and transpose alike") {
  std::mt19937 random(1);
  for (const Kind& kind : kinds())
    for (const Index count : {1, 2, 15, 16, 17, 31, 33, 100}) {
      CAPTURE(std::string(kind.name));
      CAPTURE(count);
      std::vector<float> even(static_cast<std::size_t>(count)), odd(even.size());
      for (std::size_t i = 0; i < even.size(); ++i) {
        even[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));  // any float, also NaN and subnormals
        odd[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      }
      constexpr std::size_t rest = 16;  // numbers that must not change
      std::vector<Bf16> half(even.size() + rest, Bf16{7}), other = half;
      kind.round(count, even.data(), half.data());
      kind.round(count, odd.data(), other.data());
      for (std::size_t i = 0; i < even.size(); ++i) CHECK(half[i] == rounded(even[i]));
      CHECK(std::count(half.end() - rest, half.end(), Bf16{7}) == rest);
      for (const bool with_odd : {true, false}) {
        std::vector<std::uint32_t> pairs(even.size() + rest, 7), again = pairs;
        kind.round_interleave(count, even.data(), with_odd ? odd.data() : nullptr, pairs.data());
        kind.interleave(count, half.data(), with_odd ? other.data() : nullptr, again.data());
        for (std::size_t i = 0; i < even.size(); ++i)
          CHECK(pairs[i] == bf16::pair_of(half[i], with_odd ? other[i] : Bf16{}));
        CHECK(pairs == again);
        CHECK(std::count(pairs.end() - rest, pairs.end(), 7) == rest);
      }
    }
  for (const Kind& kind : kinds())
    for (const auto& [rows, cols] : {std::pair<Index, Index>{16, 16}, {1, 5}, {37, 16}, {64, 128}, {15, 33}}) {
      std::vector<std::uint32_t> from(static_cast<std::size_t>(rows * (cols + 3))),
          to(static_cast<std::size_t>(cols * (rows + 2)), 7);
      for (std::uint32_t& x : from) x = static_cast<std::uint32_t>(random());
      kind.transpose(rows, cols, from.data(), cols + 3, to.data(), rows + 2);
      for (Index j = 0; j < cols; ++j) {
        for (Index i = 0; i < rows; ++i) CHECK(to[j * (rows + 2) + i] == from[i * (cols + 3) + j]);
        CHECK(to[j * (rows + 2) + rows] == 7);
      }
    }
}

TEST_CASE("a packed factor in bf16 has pairs of rows in panels of 64 columns, filled up with zeros") {
  std::mt19937 random(5);
  for (const Kind& kind : kinds())
    for (const auto& shape : {std::pair<Index, Index>{1, 1}, {64, 4}, {70, 5}, {130, 301}})
      for (const bool transposed : {false, true})
        for (const bool halves : {false, true}) {
          const Index n = shape.first, k = shape.second;
          CAPTURE(std::string(kind.name));
          CAPTURE(n);
          CAPTURE(transposed);
          CAPTURE(halves);
          const Matrix b(transposed ? n : k, transposed ? k : n, 1, 0, random);
          const auto at = [&](Index row, Index col) {
            if (row >= k || col >= n) return Bf16{};
            return b.in_bf16[transposed ? b.at(col, row) : b.at(row, col)];
          };
          std::vector<std::uint32_t> packed(static_cast<std::size_t>(bf16::packed_size(n, k)), 7), expected;
          for (Index panel = 0; panel < panels(n); ++panel) {
            bf16::pack_panel(kind, n, k, b.factor(transposed, halves), panel, packed.data());
            for (Index row = 0; row < k; row += 2)
              for (Index j = 0; j < panel_columns; ++j) {
                const Index col = panel * panel_columns + j;
                expected.push_back(bf16::pair_of(at(row, col), at(row + 1, col)));
              }
          }
          CHECK(packed == expected);
        }
}

TEST_CASE("sums in bf16 that are subnormal become 0") {
  for (const Kind& kind : {bf16::plain(), bf16::avx512()}) {
    if (kind.name != bf16::plain().name && !processor_has(InstructionSet::avx512bf16)) continue;
    CAPTURE(std::string(kind.name));
    const float a[] = {0x1p-64f, 0x1p-64f}, b[] = {0x1p-64f, 0x1p-60f};
    float c[] = {-1, -1};
    bf16::tile(kind, 1, 2, 1, {a, 1}, {b, 2}, 0, c, 2);
    CHECK(c[0] == 0);  // 2^-128 without flushing
    CHECK(c[1] == 0x1p-124f);
    bf16::tile(kind, 1, 1, 2, {a, 2}, {b, 1}, 0, c, 1);  // the second product first, then the first one
    CHECK(c[0] == 0x1p-124f + 0x1p-128f);
    c[1] = 0x1p-127f;
    bf16::tile(kind, 1, 1, 1, {a, 1}, {b + 1, 1}, 1, c + 1, 1);
    CHECK(c[1] == 0x1p-124f);  // the sum to add to counts as 0
  }
}

TEST_CASE("products in bf16 are within their bounds, for all kinds, shapes, transposes, strides and forms") {
  std::mt19937 random(2);
  const std::vector<std::tuple<Index, Index, Index>> shapes{{1, 1, 1},    {1, 64, 2},     {5, 17, 3},   {6, 64, 32},
                                                            {7, 65, 33},  {13, 100, 31},  {32, 32, 64}, {33, 48, 257},
                                                            {48, 16, 96}, {20, 130, 600}, {17, 40, 513}};
  for (const auto& [m, n, k] : shapes)
    for (int form = 0; form < 64; form += testing::sanitized ? 5 : 1) {
      const bool halves = form & 8;
      const Index extra = form & 32 ? 3 : 0;
      check_product({m, n, k, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0, halves, halves, (form & 16) != 0,
                     extra, extra, extra, 0, 0},
                    random);
    }
}

TEST_CASE("random products in bf16 are within their bounds") {
  std::mt19937 random(4);
  const auto below = [&](Index n) { return std::uniform_int_distribution<Index>(0, n - 1)(random); };
  const auto yes = [&] { return below(2) == 1; };
  const auto extent = [&] { return 1 + below(below(4) == 0 ? 300 : 40); };
  for (int i = 0; i < (testing::sanitized ? 50 : 400); ++i)
    check_product({extent(), extent(), extent(), yes(), yes(), yes(), yes(), yes(), yes(), below(4), below(4), below(4),
                   below(4), below(4)},
                  random);
}

TEST_CASE("AVX512-BF16 and the plain loops have the same bits") {
  if (!processor_has(InstructionSet::avx512bf16)) return;
  std::mt19937 random(3);
  for (const auto& [m, n, k] : {std::tuple<Index, Index, Index>{13, 100, 700}, {64, 64, 64}, {3, 17, 5}}) {
    const Matrix a(m, k, 0, 0, random), b(k, n, 0, 0, random), c(m, n, 0, 0, random);
    std::vector<float> one = c.numbers, other = c.numbers;
    const Factor<float> left{a.numbers.data(), k}, right{b.numbers.data(), n};
    bf16::tile(bf16::plain(), m, n, k, left, right, 1, one.data(), n);
    bf16::tile(bf16::avx512(), m, n, k, left, right, 1, other.data(), n);
    CHECK(one == other);
  }
}

}  // namespace glossa::kernels
