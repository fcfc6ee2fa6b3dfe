#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "autograd/kernels/bf16/amx_tiles.h"
#include "autograd/kernels/bf16/product.h"
#include "autograd/processor.h"

namespace glossa::kernels {

namespace {

using bf16::Kind, bf16::LeftPairs, bf16::Pair;

/// AMX's tiles in plain loops, as Intel's manual describes the instructions: the sums of even and of odd factors are
/// separate until the end of a tile.
class EmulatedTiles {
 public:
  explicit EmulatedTiles(const bf16::TileShapes& shapes) : shapes_(shapes) {}

  template <int tile>
  void load(const void* from, Index row_bytes) {
    REQUIRE(shapes_.rows[tile] > 0);
    for (int i = 0; i < shapes_.rows[tile]; ++i)
      std::memcpy(bits_[tile][i], static_cast<const char*>(from) + i * row_bytes, shapes_.row_bytes[tile]);
  }

  template <int tile>
  void store(void* to, Index row_bytes) {
    for (int i = 0; i < shapes_.rows[tile]; ++i)
      std::memcpy(static_cast<char*>(to) + i * row_bytes, bits_[tile][i], shapes_.row_bytes[tile]);
  }

  template <int c, int a, int b>
  void multiply() {
    REQUIRE(shapes_.rows[c] == shapes_.rows[a]);
    REQUIRE(shapes_.row_bytes[c] == shapes_.row_bytes[b]);
    REQUIRE(shapes_.row_bytes[a] == 4 * shapes_.rows[b]);
    for (int i = 0; i < shapes_.rows[c]; ++i)
      for (int j = 0; j < shapes_.row_bytes[c] / 4; ++j) {
        float even = 0, odd = 0;
        for (int p = 0; p < shapes_.rows[b]; ++p) {
          even += first(bits_[a][i][p]) * first(bits_[b][p][j]);
          odd += second(bits_[a][i][p]) * second(bits_[b][p][j]);
        }
        auto& sum = bits_[c][i][j];
        sum = std::bit_cast<std::uint32_t>(std::bit_cast<float>(sum) + (even + odd));
      }
  }

 private:
  static float first(std::uint32_t x) { return std::bit_cast<float>(x << 16); }
  static float second(std::uint32_t x) { return std::bit_cast<float>(x & 0xFFFF0000); }

  bf16::TileShapes shapes_;
  std::uint32_t bits_[8][16][16] = {};
};

/// The kinds that can run here. AMX's loops always can, on emulated tiles.
std::vector<Kind> kinds() {
  std::vector<Kind> result{bf16::plain()};
  Kind emulated = bf16::plain();
  emulated.name = "amx, emulated";
  emulated.left_in_rows = true;
  emulated.multiply = bf16::amx_multiply<EmulatedTiles>;
  result.push_back(emulated);
  if (processor_has(InstructionSet::avx512bf16)) result.push_back(bf16::avx512());
  if (processor_has(InstructionSet::amx)) result.push_back(bf16::amx());
  return result;
}

struct Matrix {
  Index rows, cols, stride;
  std::vector<float> numbers;
  std::vector<Bf16> in_bf16;

  Matrix(Index rows, Index cols, Index extra, std::mt19937& random)
      : rows(rows), cols(cols), stride(cols + extra), numbers(static_cast<std::size_t>(rows * stride)) {
    std::normal_distribution<float> normal;
    for (float& x : numbers) x = std::ldexp(normal(random), std::uniform_int_distribution(-6, 6)(random));
    for (const float x : numbers) in_bf16.push_back(rounded(x));
  }

  double operator()(Index i, Index j) const { return numbers[static_cast<std::size_t>(i * stride + j)]; }
  double in_half(Index i, Index j) const { return in_bf16[static_cast<std::size_t>(i * stride + j)].widened(); }
};

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
      std::vector<Bf16> half(even.size() + 1, Bf16{7}), other(even.size() + 1);
      kind.round(count, even.data(), half.data());
      kind.round(count, odd.data(), other.data());
      for (std::size_t i = 0; i < even.size(); ++i) CHECK(half[i] == rounded(even[i]));
      CHECK(half.back() == Bf16{7});
      for (const bool with_odd : {true, false}) {
        std::vector<std::uint32_t> pairs(even.size() + 1, 7), again = pairs;
        kind.round_interleave(count, even.data(), with_odd ? odd.data() : nullptr, pairs.data());
        kind.interleave(count, half.data(), with_odd ? other.data() : nullptr, again.data());
        for (std::size_t i = 0; i < even.size(); ++i)
          CHECK(pairs[i] == bf16::pair_of(half[i], with_odd ? other[i] : Bf16{}));
        CHECK(pairs == again);
        CHECK(pairs.back() == 7);
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

TEST_CASE("products in bf16 are within their bounds, for all kinds, shapes, transposes, strides and forms") {
  std::mt19937 random(2);
  const std::vector<std::tuple<Index, Index, Index>> shapes{{1, 1, 1},    {1, 64, 2},     {5, 17, 3},   {6, 64, 32},
                                                            {7, 65, 33},  {13, 100, 31},  {32, 32, 64}, {33, 48, 257},
                                                            {48, 16, 96}, {20, 130, 600}, {17, 40, 513}};
  for (const Kind& kind : kinds())
    for (const auto& [m, n, k] : shapes)
      for (int form = 0; form < 64; ++form) {
        const bool ta = form & 1, tb = form & 2, add = form & 4, halves = form & 8, packed = form & 16;
        const Index extra = form & 32 ? 3 : 0;
        CAPTURE(std::string(kind.name));
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        CAPTURE(form);
        const Matrix a(ta ? k : m, ta ? m : k, extra, random), b(tb ? n : k, tb ? k : n, extra, random);
        const Matrix before(m, n, extra, random);
        std::vector<float> c = before.numbers;
        Factor<float> left{a.numbers.data(), a.stride, ta}, right{b.numbers.data(), b.stride, tb};
        if (halves) left = {nullptr, a.stride, ta, a.in_bf16.data()}, right = {nullptr, b.stride, tb, b.in_bf16.data()};
        std::vector<std::uint32_t> panels(static_cast<std::size_t>(bf16::packed_size(n, k)));
        if (packed) {
          for (Index panel = 0; panel < bf16::panels(n); ++panel)
            bf16::pack_panel(kind, n, k, right, panel, panels.data());
          right.packed = panels.data();
          right.data = nullptr;
          right.rounded = nullptr;
        }
        bf16::tile(kind, m, n, k, left, right, add ? 1.0f : 0.0f, c.data(), before.stride);
        int wrong = 0;
        for (Index i = 0; i < m; ++i) {
          for (Index j = 0; j < n; ++j) {
            double exact = 0, of_rounded = 0, sizes = 0;
            for (Index p = 0; p < k; ++p) {
              const double x = ta ? a(p, i) : a(i, p), y = tb ? b(j, p) : b(p, j);
              const double u = ta ? a.in_half(p, i) : a.in_half(i, p), v = tb ? b.in_half(j, p) : b.in_half(p, j);
              exact += x * y;
              of_rounded += u * v;
              sizes += std::fabs(x * y);
            }
            const double start = add ? before(i, j) : 0, count = static_cast<double>(k);
            const double tiny = count * 0x1p-126 + std::fabs(start) * (count + 1) * 0x1p-24;
            const double got = c[static_cast<std::size_t>(i * before.stride + j)] - start;
            wrong += !(std::fabs(got - exact) <= (0x1p-7 + 0x1p-15 + count * 0x1p-23) * sizes + tiny);
            wrong += !(std::fabs(got - of_rounded) <= count * 0x1p-23 * sizes + tiny);
          }
          for (Index j = n; j < before.stride; ++j)  // nothing is written between the rows
            wrong += c[static_cast<std::size_t>(i * before.stride + j)] != static_cast<float>(before(i, j));
        }
        CHECK(wrong == 0);
      }
}

TEST_CASE("AVX512-BF16 and the plain loops have the same bits") {
  if (!processor_has(InstructionSet::avx512bf16)) return;
  std::mt19937 random(3);
  for (const auto& [m, n, k] : {std::tuple<Index, Index, Index>{13, 100, 700}, {64, 64, 64}, {3, 17, 5}}) {
    const Matrix a(m, k, 0, random), b(k, n, 0, random), c(m, n, 0, random);
    std::vector<float> one = c.numbers, other = c.numbers;
    const Factor<float> left{a.numbers.data(), k}, right{b.numbers.data(), n};
    bf16::tile(bf16::plain(), m, n, k, left, right, 1, one.data(), n);
    bf16::tile(bf16::avx512(), m, n, k, left, right, 1, other.data(), n);
    CHECK(one == other);
  }
}

}  // namespace glossa::kernels
