#include <cmath>

#include "autograd/cases/op_case.h"

namespace glossa {

namespace {

constexpr int ignored = -100;

/// Minus the sum over rows and classes of q log p, where q is the smoothed target distribution.
Reference cross_entropy_reference(std::vector<int> targets, double smoothing) {
  return [=](InputNumbers x) {
    const Index classes = x[0].cols();
    double loss = 0;
    for (std::size_t row = 0; row < targets.size(); ++row) {
      if (targets[row] == ignored) continue;
      const std::span<const double> in(x[0].row(row), classes);
      double top = in[0], total = 0;
      for (const double v : in) top = std::max(top, v);
      for (const double v : in) total += std::exp(v - top);
      for (Index j = 0; j < classes; ++j) {
        const double q = (j == targets[row] ? 1 - smoothing : 0) + smoothing / static_cast<double>(classes);
        loss -= q * (in[j] - top - std::log(total));
      }
    }
    return std::vector<double>{loss};
  };
}

/// x W^T + b by definition, for inputs x, W and optionally b.
std::vector<double> logits_of(InputNumbers x) {
  const Index rows = x[0].rows(), width = x[0].cols(), classes = x[1].rows();
  std::vector<double> logits(static_cast<std::size_t>(rows * classes));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < classes; ++j) {
      double& logit = logits[static_cast<std::size_t>(i * classes + j)];
      if (x.size() == 3) logit = x[2][j];
      for (Index k = 0; k < width; ++k) logit += x[0].row(i)[k] * x[1].row(j)[k];
    }
  return logits;
}

/// sum_j p_j log(p_j / q_j), given the logits of both distributions.
double divergence(std::span<const double> p, std::span<const double> q) {
  const auto log_total = [](std::span<const double> x) {
    double total = 0;
    for (const double v : x) total += std::exp(v);
    return std::log(total);
  };
  const double of_p = log_total(p), of_q = log_total(q);
  double sum = 0;
  for (std::size_t j = 0; j < p.size(); ++j) sum += std::exp(p[j] - of_p) * ((p[j] - of_p) - (q[j] - of_q));
  return sum;
}

/// The mean of both passes' losses, plus alpha / 4 times the sum of both divergences of each counted row.
Reference r_drop_reference(const std::vector<int>& targets, double alpha, double smoothing) {
  return [=, loss = cross_entropy_reference(targets, smoothing)](InputNumbers x) {
    std::vector<double> logits = logits_of(x);
    const auto rows = static_cast<Index>(targets.size()), classes = x[1].rows();
    const Tensor<double> passes[] = {{logits.data(), {rows, classes}},
                                     {logits.data() + rows * classes, {rows, classes}}};
    double sum = 0;
    for (const Tensor<double>& pass : passes) sum += loss(std::span(&pass, 1))[0] / 2;
    for (Index i = 0; i < rows; ++i) {
      if (targets[static_cast<std::size_t>(i)] == ignored) continue;
      const std::span<const double> p(passes[0].row(i), classes), q(passes[1].row(i), classes);
      sum += alpha / 4 * (divergence(p, q) + divergence(q, p));
    }
    return std::vector<double>{sum};
  };
}

}  // namespace

void add_cross_entropy_cases(OpCases& cases) {
  const auto call = [](std::vector<int> targets, double smoothing) {
    return [=](auto x) { return cross_entropy(x[0], targets, ignored, smoothing).sum; };
  };
  const auto row = [&](const char* what, CaseInput logits, std::vector<int> targets, double smoothing) -> OpCase& {
    return cases.add(std::string("cross_entropy.") + what, {std::move(logits)}, call(targets, smoothing))
        .reference(cross_entropy_reference(targets, smoothing));
  };
  row("plain", {3, 4}, {0, 3, 1}, 0)
      .error({{2, 4}}, call({0, 1, 2}, 0), {"[2, 4]", "3"})
      .error({{2, 4}}, call({0, 4}, 0), {"[2, 4]", "4"})
      .error({{2, 4}}, call({0, -1}, 0), {"[2, 4]", "-1"})
      .error({{2, 2, 2}}, call({0, 1}, 0), {"[2, 2, 2]"})
      .error({{2, 4}}, call({0, 1}, 1.5), {"1.5"});
  row("smoothed", {3, 4}, {0, 3, 1}, 0.1);
  row("ignored_rows", {4, 3}, {ignored, 2, ignored, 0}, 0);
  row("smoothed_ignored_rows", {4, 3}, {ignored, 2, ignored, 0}, 0.1);
  row("all_ignored", {2, 3}, {ignored, ignored}, 0.1).with_zero_gradient();
  row("no_rows", {0, 3}, {}, 0.1);
  row("one_class", {2, 1}, {0, 0}, 0).with_zero_gradient();
  row("one_class_smoothed", {2, 1}, {0, 0}, 0.25).with_zero_gradient();
  row("all_smoothing", {2, 3}, {0, 2}, 1);
  row("large_logits", CaseInput{2, 3}.of({1e4, 1e4 - 1, 1e4 - 2, -1e4, -1e4 + 1, -1e4 + 2}), {1, 0}, 0.1);
  std::vector<int> many(700);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = i % 7 == 0 ? ignored : static_cast<int>(i % 31);
  row("large", {700, 31}, many, 0.1).sampling(5);

  // linear_cross_entropy must equal the reference on logits from a plain matrix product.
  const auto call_fused = [](std::vector<int> targets, double smoothing) {
    return [=](auto x) {
      return x.size() == 3 ? linear_cross_entropy(x[0], x[1], x[2], targets, ignored, smoothing).sum
                           : linear_cross_entropy(x[0], x[1], targets, ignored, smoothing).sum;
    };
  };
  const auto fused = [&](const char* what, std::vector<CaseInput> inputs, std::vector<int> targets,
                         double smoothing) -> OpCase& {
    return cases.add(std::string("linear_cross_entropy.") + what, std::move(inputs), call_fused(targets, smoothing))
        .reference([loss = cross_entropy_reference(targets, smoothing)](InputNumbers x) {
          std::vector<double> numbers = logits_of(x);
          const Tensor<double> logits{numbers.data(), {x[0].rows(), x[1].rows()}};
          return loss(std::span(&logits, 1));
        });
  };
  fused("plain", {{3, 2}, {4, 2}}, {0, 3, 1}, 0)
      .error({{2, 3}, {4, 2}}, call_fused({0, 1}, 0), {"[2, 3]", "[4, 2]"})
      .error({{2, 3}, {4, 3}}, {"[2, 3]", "3"})
      .error({{2, 3}, {4, 3}}, call_fused({0, 4}, 0), {"[2, 4]", "4"})
      .error({{2, 3}, {4, 3}, {3}}, call_fused({0, 1}, 0), {"[4, 3]", "[3]"})
      .error({{2, 3}, {4, 3}}, call_fused({0, 1}, -0.5), {"-0.5"});
  fused("bias", {{3, 2}, {4, 2}, {4}}, {0, 3, 1}, 0);
  fused("smoothed_ignored_rows", {{4, 3}, {5, 3}, {5}}, {ignored, 2, ignored, 0}, 0.1);
  fused("all_ignored", {{2, 2}, {3, 2}, {3}}, {ignored, ignored}, 0.1).with_zero_gradient();
  fused("no_rows", {{0, 2}, {3, 2}, {3}}, {}, 0.1).with_zero_gradient();
  fused("large", {{700, 3}, {31, 3}, {31}}, many, 0.1).sampling(5);  // several chunks

  const auto call_twice = [](std::vector<int> targets, double alpha, double smoothing) {
    return [=](auto x) {
      return r_drop(x[0], x[1], x.size() == 3 ? std::optional(x[2]) : std::nullopt, targets, alpha, ignored, smoothing)
          .sum;
    };
  };
  const auto twice = [&](const char* what, std::vector<CaseInput> inputs, std::vector<int> targets, double alpha,
                         double smoothing) -> OpCase& {
    return cases.add(std::string("r_drop.") + what, std::move(inputs), call_twice(targets, alpha, smoothing))
        .reference(r_drop_reference(targets, alpha, smoothing));
  };
  twice("plain", {{6, 2}, {4, 2}}, {0, 3, 1}, 5, 0)
      .error({{3, 3}, {4, 3}}, {"[2 N, D]", "[3, 3]"})
      .error({{2, 3}, {4, 3}}, call_twice({4}, 5, 0), {"[1, 4]", "4"})
      .error({{2, 3}, {4, 3}}, call_twice({0}, -1, 0), {"alpha", "-1"});
  twice("without_divergence", {{6, 2}, {4, 2}, {4}}, {0, 3, 1}, 0, 0.1);
  twice("smoothed_ignored_rows", {{8, 3}, {5, 3}, {5}}, {ignored, 2, ignored, 0}, 1, 0.1);
  twice("all_ignored", {{4, 2}, {3, 2}, {3}}, {ignored, ignored}, 5, 0.1).with_zero_gradient();
  twice("no_rows", {{0, 2}, {3, 2}, {3}}, {}, 5, 0.1).with_zero_gradient();
  twice("large", {{1400, 3}, {31, 3}, {31}}, many, 5, 0.1).sampling(5);  // several chunks
}

}  // namespace glossa
