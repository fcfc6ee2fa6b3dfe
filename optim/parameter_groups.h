#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/parameter.h"

namespace glossa {

/// Adam's decay rates of the first and second moment, in [0, 1).
struct AdamBetas {
  double beta1 = 0.9, beta2 = 0.999;

  friend bool operator==(const AdamBetas&, const AdamBetas&) = default;
};

/// A range [begin, end) of the store's flat buffers, with the same training settings for all its parameters.
struct Segment {
  Index begin = 0, end = 0;             // positions in elements
  double weight_decay = 0;              // strength of weight decay; at least 0
  double lr_factor = 1;                 // multiplies a step's learning rate; at least 0
  std::optional<AdamBetas> betas = {};  // if set, replaces the betas of AdamOptions; only for Adam

  bool trained_like(const Segment& other) const {
    return weight_decay == other.weight_decay && lr_factor == other.lr_factor && betas == other.betas;
  }

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Freezes parameters with names that match one of the patterns (`*` matches any text: "encoder.*"). They get no
/// gradient, and no optimizer moves or decays them. Throws a misuse error for a pattern that matches nothing.
template <class T>
void freeze(ParameterStore<T>& store, const std::vector<std::string>& patterns);

/// Settings for the parameters with names that match `pattern`, as in Segment.
struct ParameterGroup {
  std::string pattern;
  double lr_factor = 1;
  std::optional<AdamBetas> betas = {};
};

/// Segments of the flat buffers in order, without frozen parameters and fixed rows (`Parameter::fixed_row`). Adjacent
/// segments with the same settings are merged. `weight_decay`, at least 0, applies to weights. With
/// `decay_norm_and_bias` it also applies to biases (recognized by the end of the name) and to parameters of rank below
/// 2 (gains of norms). The first entry of `groups` that matches a parameter's name applies to it. Throws a misuse error
/// for a pattern that matches nothing and for a factor that is negative or not finite. Except at fixed rows, segments
/// begin and end on cache lines. They include the gaps after parameters, where every optimizer keeps zeros. Throws
/// unless the store is laid out.
template <class T>
std::vector<Segment> trainable_segments(const ParameterStore<T>& store, double weight_decay = 0,
                                        bool decay_norm_and_bias = false,
                                        const std::vector<ParameterGroup>& groups = {});

/// Returns the parts of `segments` in parameters with names that match one of the patterns. Use it to give each of
/// several optimizers a separate part of a store:
///
///     const std::vector<Segment> all = trainable_segments(store);
///     Adam<float> adam(store, segments_of(store, {"encoder.*"}, all));
///     Sgd<float> sgd(store, segments_of(store, {"decoder.*"}, all));
///
/// Throws a misuse error for a pattern that matches nothing.
template <class T>
std::vector<Segment> segments_of(const ParameterStore<T>& store, const std::vector<std::string>& patterns,
                                 std::span<const Segment> segments);

}  // namespace glossa
