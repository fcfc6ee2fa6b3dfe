#pragma once

#include <string>
#include <vector>

#include "autograd/grad_check.h"
#include "autograd/taylor_test.h"
#include "train/config/config.h"
#include "train/corpora/datasets.h"
#include "train/model/criterion.h"

namespace glossa {

/// A configuration's model in double, with slightly randomized initial weights, and its training loss per token
/// (smoothing, dropout and padding as configured) over the first few training sentences, as a function of its
/// parameters.
class RecipeCheck {
 public:
  /// Reads the training data and learns the tokenizers as in training. Throws as those do.
  explicit RecipeCheck(Config config);
  RecipeCheck(const RecipeCheck&) = delete;

  std::vector<std::string> tensors() const;

  /// Compares one tensor's gradient with differences: for `max_elements` elements, or all if that is 0.
  GradCheckResult check(const std::string& tensor, Index max_elements);

  /// Taylor test of the whole gradient.
  TaylorResult taylor();

 private:
  ParameterStore<double> parameters_;
  std::unique_ptr<Transformer<double>> model_;
  Batch batch_;
  BatchRows rows_;
  GradCheckFunction loss_;
};

}  // namespace glossa
