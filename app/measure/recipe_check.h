#pragma once

#include <string>
#include <vector>

#include "autograd/grad_check.h"
#include "autograd/taylor_test.h"
#include "train/config/config.h"
#include "train/corpora/datasets.h"
#include "train/model/criterion.h"

namespace glossa {

/// The model of a configuration in double, its first weights moved a little at random, and the loss a token that it is
/// trained on (smoothing, dropout and padding as configured) over the first few sentences of its training data, as a
/// function of its parameters.
class RecipeCheck {
 public:
  /// Reads the training data and learns the tokenizers as training would. Throws as those do.
  explicit RecipeCheck(Config config);
  RecipeCheck(const RecipeCheck&) = delete;

  std::vector<std::string> tensors() const;

  /// Compares the gradient of one tensor with differences: `max_elements` of it, or all if that is 0.
  GradCheckResult check(const std::string& tensor, Index max_elements);

  /// Taylor's test of the gradient of all of them.
  TaylorResult taylor();

 private:
  ParameterStore<double> parameters_;
  std::unique_ptr<Transformer<double>> model_;
  Batch batch_;
  BatchRows rows_;
  GradCheckFunction loss_;
};

}  // namespace glossa
