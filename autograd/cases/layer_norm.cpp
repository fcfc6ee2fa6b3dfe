#include <cmath>

#include "autograd/cases/layouts.h"

namespace glossa {

namespace {

constexpr double epsilon = 1e-5;

/// Reference with two passes over each row. x[1] and x[2], if given, are gain and bias.
std::vector<double> layer_norm_reference(InputNumbers x) {
  std::vector<double> y;
  for (Index row = 0; row < x[0].rows(); ++row) {
    const std::span<const double> in(x[0].row(row), x[0].cols());
    double mean = 0, variance = 0;
    for (const double v : in) mean += v / static_cast<double>(in.size());
    for (const double v : in) variance += (v - mean) * (v - mean) / static_cast<double>(in.size());
    for (std::size_t j = 0; j < in.size(); ++j) {
      const double normal = (in[j] - mean) / std::sqrt(variance + epsilon);
      y.push_back(x.size() > 1 ? normal * x[1][j] + x[2][j] : normal);
    }
  }
  return y;
}

/// Reference; x[1], if given, is the gain.
std::vector<double> rms_norm_reference(InputNumbers x) {
  std::vector<double> y;
  for (Index row = 0; row < x[0].rows(); ++row) {
    const std::span<const double> in(x[0].row(row), x[0].cols());
    double squares = 0;
    for (const double v : in) squares += v * v;
    const double rms = std::sqrt(squares / static_cast<double>(in.size()) + epsilon);
    for (std::size_t j = 0; j < in.size(); ++j) y.push_back(in[j] / rms * (x.size() > 1 ? x[1][j] : 1));
  }
  return y;
}

/// The norm's reference applied to x[0] + x[1]; further inputs are gain and bias.
template <class Reference>
auto of_sum(const Reference& reference) {
  return [=](InputNumbers x) {
    std::vector<double> sum(x[0].size());
    for (Index i = 0; i < x[0].size(); ++i) sum[i] = x[0][i] + x[1][i];
    std::vector<Tensor<double>> inputs{{sum.data(), x[0].shape}};
    inputs.insert(inputs.end(), x.begin() + 2, x.end());
    return reference(inputs);
  };
}

}  // namespace

void add_layer_norm_cases(OpCases& cases) {
  const auto affine = [](auto x) { return layer_norm(x[0], x[1], x[2], epsilon); };
  const auto row = cases.rows_of("layer_norm", affine, layer_norm_reference);
  row("affine", {{3, 5}, {5}, {5}})
      .error({{3, 5}, {4}, {5}}, {"[3, 5]", "[4]"})
      .error({{3, 5}, {5}, {1, 5}}, {"[3, 5]", "[1, 5]"})
      .error({{}, {}, {}}, {"[]"});
  cases.add("layer_norm.plain", {{3, 5}}, [](auto x) { return layer_norm(x[0], epsilon); })
      .reference(layer_norm_reference);
  row("rank_three", {{2, 2, 6}, {6}, {6}});
  row("vector", {{6}, {6}, {6}});
  // y = bias for any epsilon; the input's gradient is zero up to rounding.
  cases.add("layer_norm.width_one", {{3, 1}, {1}, {1}}, [](auto x) { return layer_norm(x[0], x[1], x[2], 0.1); })
      .reference(layer_norm_reference);
  row("no_rows", {{0, 4}, {4}, {4}});
  // The deviations from each row's mean are smaller than sqrt(epsilon), the scale on which the function is curved.
  row("constant_row", {CaseInput{2, 4}.of(std::vector<double>(8, 0.75)), {4}, {4}});
  row("tiny_variance", {CaseInput{2, 4}.in(-1e-3, 1e-3), {4}, {4}});
  // Multiples of 1/8 with eight columns: every sum is exact in double, which leaves only the op's own rounding.
  cases
      .add("layer_norm.large_mean",
           {CaseInput{2, 8}.of({0.5, -1.25, 2, 0.125, -0.5, 1.5, -2, 0.75,  //
                                1, 1.25, -0.25, 0.375, -1, 2.5, 0.125, -1.75}),
            CaseInput{1}.of({1e6})},
           [](auto x) { return layer_norm(add(x[0], x[1]), epsilon); })
      .in_double_only();
  row("wide", {{2, 67}, {67}, {67}}).sampling(9);
  row("large", {{700, 24}, {24}, {24}}).sampling(3);

  const auto add_norm = [](double p, const RowLayout& layout) {
    return [=](auto x) { return add_layer_norm(x[0], x[1], p, layout, x[2], x[3], epsilon); };
  };
  cases.add("add_layer_norm.no_dropout", {{5, 4}, {5, 4}, {4}, {4}}, add_norm(0, packed_2_3()))
      .reference(of_sum(layer_norm_reference))
      .error({{5, 4}, {4, 4}, {4}, {4}}, {"[5, 4]", "[4, 4]"})
      .error({{4, 4}, {4, 4}, {4}, {4}}, {"[4, 4]", "5"})
      .error({{5, 4}, {5, 4}, {3}, {4}}, {"[5, 4]", "[3]"})
      .error({{5, 4}, {5, 4}, {4}, {4}}, add_norm(2, packed_2_3()), {"2"})
      .error({{5, 4}, {5, 4}, {4}, {4}}, add_norm(0, overlapping_of_5()), {"sequence 1"})
      .error({{5, 4}, {5, 4}, {4}, {4}}, add_norm(0, beyond_5()), {"sequence 1"});
  cases.add("add_layer_norm.dropout", {{5, 4}, {5, 4}, {4}, {4}}, add_norm(0.3, packed_2_3()));
  cases.add("add_layer_norm.padded", {{6, 4}, {6, 4}, {4}, {4}}, add_norm(0.3, padded_2_3()));
  cases.add("add_layer_norm.large", {{300, 24}, {300, 24}, {24}, {24}}, add_norm(0.3, packed_100_200())).sampling(3);
  cases.add("add_layer_norm.all_dropped", {{5, 4}, {5, 4}, {4}, {4}}, add_norm(1, packed_2_3()));
}

void add_rms_norm_cases(OpCases& cases) {
  const auto affine = [](auto x) { return rms_norm(x[0], x[1], epsilon); };
  const auto row = cases.rows_of("rms_norm", affine, rms_norm_reference);
  row("affine", {{3, 5}, {5}})
      .error({{3, 5}, {4}}, {"[3, 5]", "[4]"})
      .error({{3, 5}, {1, 5}}, {"[3, 5]", "[1, 5]"})
      .error({{}, {}}, {"[]"})
      .error({{3, 5}, {5}}, [](auto x) { rms_norm(x[0], x[1], -1); }, {"-1"});
  cases.add("rms_norm.plain", {{3, 5}}, [](auto x) { return rms_norm(x[0], epsilon); }).reference(rms_norm_reference);
  row("rank_three", {{2, 2, 6}, {6}});
  row("vector", {{6}, {6}});
  cases.add("rms_norm.width_one", {{3, 1}, {1}}, [](auto x) { return rms_norm(x[0], x[1], 0.1); });
  row("no_rows", {{0, 4}, {4}});
  // Unlike layer_norm, the op keeps a row's mean.
  row("constant_row", {CaseInput{2, 4}.of(std::vector<double>(8, 0.75)), {4}});
  row("large_mean", {CaseInput{2, 4}.in(99, 101), {4}});
  row("tiny", {CaseInput{2, 4}.in(-1e-3, 1e-3), {4}});
  row("wide", {{2, 67}, {67}}).sampling(9);
  row("large", {{700, 24}, {24}}).sampling(3);

  const auto add_norm = [](double p, const RowLayout& layout) {
    return [=](auto x) { return add_rms_norm(x[0], x[1], p, layout, x[2], epsilon); };
  };
  cases.add("add_rms_norm.no_dropout", {{5, 4}, {5, 4}, {4}}, add_norm(0, packed_2_3()))
      .reference(of_sum(rms_norm_reference))
      .error({{5, 4}, {4, 4}, {4}}, {"[5, 4]", "[4, 4]"})
      .error({{4, 4}, {4, 4}, {4}}, {"[4, 4]", "5"})
      .error({{5, 4}, {5, 4}, {3}}, {"[5, 4]", "[3]"})
      .error({{5, 4}, {5, 4}, {4}}, add_norm(2, packed_2_3()), {"2"})
      .error({{5, 4}, {5, 4}, {4}}, add_norm(0, beyond_5()), {"sequence 1"});
  cases.add("add_rms_norm.dropout", {{5, 4}, {5, 4}, {4}}, add_norm(0.3, packed_2_3()));
  cases.add("add_rms_norm.padded", {{6, 4}, {6, 4}, {4}}, add_norm(0.3, padded_2_3()));
  cases.add("add_rms_norm.large", {{300, 24}, {300, 24}, {24}}, add_norm(0.3, packed_100_200())).sampling(3);
  cases.add("add_rms_norm.all_dropped", {{5, 4}, {5, 4}, {4}}, add_norm(1, packed_2_3()));
}

}  // namespace glossa
