#pragma once

#include <deque>
#include <span>
#include <vector>

#include "layers/transformer.h"

namespace glossa {

/// One or more Transformers that predict together: a token's probability is the mean of the models' probabilities. All
/// read the same source ids and have the same target vocabulary. The models must outlive the ensemble.
template <class T>
class Ensemble {
 public:
  /// Makes an ensemble of a single model, whose results are used unchanged.
  Ensemble(const Transformer<T>& model) : models_{&model} {}

  /// Adds a model. Throws a misuse error if its target vocabulary has another size.
  void add(const Transformer<T>& model);

  std::span<const Transformer<T>* const> models() const { return models_; }
  bool is_single() const { return models_.size() == 1; }
  Index vocabulary() const { return models_.front()->options().target_vocabulary; }

  /// Returns the number of positions that all models support.
  Index max_positions() const;

  /// States [N, D] of the last decoder layer, for each model.
  using States = std::vector<Variable<T>>;

  /// Decoder cache of each model, and the states of the last step.
  struct Caches {
    std::deque<DecoderCache<T>> of_models;
    States states;

    Index position() const { return of_models.front().position(); }
    void select(std::span<const Index> survivors) {
      for (DecoderCache<T>& cache : of_models) cache.select(survivors);
    }
  };

  /// Encodes the sources of a batch with each model and begins its targets: see Transformer::start.
  void start(Context<T>& context, Caches& caches, std::span<const int> source, const RowLayout& layout, Index rows,
             Index capacity) const;

  /// Decodes the next token of each row: see Transformer::advance.
  const States& advance(Context<T>& context, std::span<const int> tokens, Caches& caches) const;

  /// Returns the states of given targets: see Transformer::encode and decode.
  States states(Context<T>& context, std::span<const int> source, const RowLayout& source_layout,
                std::span<const int> target, const RowLayout& target_layout) const;

  /// Returns the logits [R, V] of a single model, or the logarithms of the mean probabilities of several.
  Variable<T> project(const States& states) const;

 private:
  std::vector<const Transformer<T>*> models_;
};

}  // namespace glossa
