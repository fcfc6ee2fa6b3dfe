#pragma once

#include <span>
#include <string>
#include <vector>

#include "autograd/parameter.h"

namespace glossa {

/// A stretch [begin, end) of the store's flat buffers whose parameters are trained alike.
struct Segment {
  Index begin = 0, end = 0;  // in elements
  double weight_decay = 0;
  double lr_factor = 1;  // what the learning rate of a step is multiplied by, at least 0

  bool trained_like(const Segment& other) const {
    return weight_decay == other.weight_decay && lr_factor == other.lr_factor;
  }

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Freezes the parameters whose name matches one of the patterns (`*` stands for any text: "encoder.*"): they get no
/// gradient, and no optimizer moves or decays them. Throws misuse for a pattern that matches nothing.
template <class T>
void freeze(ParameterStore<T>& store, const std::vector<std::string>& patterns);

/// The learning rate of the parameters whose name matches `pattern` is multiplied by `factor`.
struct LrFactor {
  std::string pattern;
  double factor = 1;
};

/// The flat buffers without the frozen parameters and the fixed rows of others, in order, neighbours that are trained
/// alike merged. `weight_decay` is for weights, at least 0, and for biases (the name ends so) and what has rank below 2
/// (gains of norms) if `decay_norm_and_bias`. Of several `lr_factors` that match a name the first counts; throws misuse
/// for a pattern that matches nothing and for a factor that is not 0 or more. Segments begin and end on cache lines but
/// at fixed rows: they include the gaps behind parameters, where every optimizer keeps zeros. Throws for a store that
/// is not laid out.
template <class T>
std::vector<Segment> trainable_segments(const ParameterStore<T>& store, double weight_decay = 0,
                                        bool decay_norm_and_bias = false, const std::vector<LrFactor>& lr_factors = {});

}  // namespace glossa
