#pragma once

#include <string>
#include <vector>

#include "autograd/grad_check.h"
#include "autograd/taylor_test.h"
#include "train/config/config.h"
#include "train/corpora/datasets.h"
#include "train/model/criterion.h"

namespace glossa {

/// Gradient check of a configuration's model, in double and with slightly randomized initial weights. The checked
/// function of the parameters is the training loss per token over the first few training sentences. Smoothing, dropout
/// and padding are as configured.
class RecipeCheck {
 public:
  /// Reads the training data and learns the tokenizers as in training. Corpora are
  /// looked up in `places`. Throws the errors of these steps.
  explicit RecipeCheck(Config config, const CorpusPlaces& places = {});
  RecipeCheck(const RecipeCheck&) = delete;

  std::vector<std::string> tensors() const;

  /// Compares a tensor's gradient with finite differences at `max_elements` of its elements; 0 means all.
  GradCheckResult check(const std::string& tensor, Index max_elements);

  /// Runs a Taylor test of the full gradient.
  TaylorResult taylor();

 private:
  ParameterStore<double> parameters_;
  std::unique_ptr<Transformer<double>> model_;
  Batch batch_;
  BatchRows rows_;
  GradCheckFunction loss_;
};

}  // namespace glossa
