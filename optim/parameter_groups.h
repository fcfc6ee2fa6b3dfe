#pragma once

#include <span>
#include <string>
#include <vector>

#include "autograd/parameter.h"

namespace glossa {

/// A range [begin, end) of the store's flat buffers whose parameters are trained with the same settings.
struct Segment {
  Index begin = 0, end = 0;  // in elements
  double weight_decay = 0;
  double lr_factor = 1;  // multiplies a step's learning rate; at least 0

  bool trained_like(const Segment& other) const {
    return weight_decay == other.weight_decay && lr_factor == other.lr_factor;
  }

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Freezes parameters whose name matches one of the patterns (`*` matches any text: "encoder.*"): they get no gradient,
/// and no optimizer moves or decays them. Throws misuse for a pattern that matches nothing.
template <class T>
void freeze(ParameterStore<T>& store, const std::vector<std::string>& patterns);

/// Multiplies the learning rate of parameters whose name matches `pattern` by `factor`.
struct LrFactor {
  std::string pattern;
  double factor = 1;
};

/// Segments of the flat buffers in order, without frozen parameters and fixed rows (`Parameter::fixed_row`). Adjacent
/// segments with the same settings are merged. `weight_decay`, at least 0, applies to weights. With
/// `decay_norm_and_bias` it also applies to biases (recognized by the end of the name) and to parameters of rank below
/// 2 (gains of norms). The first matching entry of `lr_factors` applies. Throws misuse for a pattern that matches
/// nothing and for a factor that is negative or NaN. Except at fixed rows, segments begin and end on cache lines, so
/// they include the gaps after parameters, where every optimizer keeps zeros. Throws unless the store is laid out.
template <class T>
std::vector<Segment> trainable_segments(const ParameterStore<T>& store, double weight_decay = 0,
                                        bool decay_norm_and_bias = false, const std::vector<LrFactor>& lr_factors = {});

}  // namespace glossa
