#include "autograd/kernels/zero_products.h"

#include <doctest/doctest.h>

#include <vector>

#include "autograd/kernels/gemm.h"

using glossa::Bf16;
using glossa::Index;
using glossa::Precision;
using glossa::kernels::AddBias;
using glossa::kernels::gemm;
using glossa::kernels::gemm_then;
using glossa::kernels::ZeroProducts;

namespace {

constexpr Index rows = 37, inner = 19, cols = 70;
constexpr float old = 7;  // in the result's memory before the product

/// The first and the last element of A B + beta C for matrices of ones.
template <class T>
std::vector<T> product(T beta, Precision precision = Precision::full) {
  const std::vector<T> a(rows * inner, T{1}), b(inner * cols, T{1});
  std::vector<T> c(rows * cols, T{old});
  gemm<T>(rows, cols, inner, {a.data(), inner}, {b.data(), cols}, beta, {c.data(), cols}, precision);
  return {c.front(), c.back()};
}

}  // namespace

TEST_CASE_TEMPLATE("a product is zero while a ZeroProducts exists, and adds nothing", T, float, double) {
  {
    const ZeroProducts outer;
    { const ZeroProducts inner; }
    CHECK_EQ(product<T>(0), std::vector<T>{0, 0});
    CHECK_EQ(product<T>(1), std::vector<T>{old, old});
  }
  CHECK_EQ(product<T>(0), std::vector<T>{inner, inner});
  CHECK_EQ(product<T>(1), std::vector<T>{old + inner, old + inner});
}

TEST_CASE("a zero product in bf16 writes its result") {
  const ZeroProducts zeros;
  CHECK_EQ(product<float>(0, Precision::bf16), std::vector<float>{0, 0});
}

TEST_CASE("the end of a zero product's tiles is computed") {
  const ZeroProducts zeros;
  const std::vector<float> a(rows * inner, 1), b(inner * cols, 1), bias(cols, 3);
  std::vector<float> c(rows * cols, old);
  gemm_then<float>(rows, cols, inner, {a.data(), inner}, {b.data(), cols}, {c.data(), cols}, Precision::full,
                   AddBias<float>{{bias.data(), {cols}}});
  CHECK_EQ(c, std::vector<float>(rows * cols, 3));
}
