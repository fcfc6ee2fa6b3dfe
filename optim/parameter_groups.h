#pragma once

#include <string>
#include <vector>

#include "autograd/parameter.h"

namespace glossa {

/// A stretch [begin, end) of the store's flat buffers whose parameters are trained alike.
struct Segment {
  Index begin = 0, end = 0;  // in elements
  double weight_decay = 0;

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Freezes the parameters whose name matches one of the patterns (`*` stands for any text: "encoder.*"): they get no
/// gradient, and no optimizer moves or decays them. Throws misuse for a pattern that matches nothing.
template <class T>
void freeze(ParameterStore<T>& store, const std::vector<std::string>& patterns);

/// The flat buffers without the frozen parameters, in order, neighbours that decay alike merged. `weight_decay` is for
/// weights, at least 0, and for biases (the name ends so) and what has rank below 2 (gains of norms) if
/// `decay_norm_and_bias`. Segments begin and end on cache lines: they include the gaps behind parameters, where every
/// optimizer keeps zeros.
template <class T>
std::vector<Segment> trainable_segments(const ParameterStore<T>& store, double weight_decay = 0,
                                        bool decay_norm_and_bias = false);

}  // namespace glossa
