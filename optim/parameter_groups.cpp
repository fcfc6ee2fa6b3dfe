#include "optim/parameter_groups.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "autograd/check.h"

namespace glossa {

namespace {

template <class T>
bool is_norm_or_bias(const Parameter<T>& parameter) {
  return parameter.value.shape.rank() < 2 || parameter.name.ends_with("bias");
}

template <class T>
bool matches(const std::string& pattern, const Parameter<T>& parameter) {
  return fnmatch(pattern.c_str(), parameter.name.c_str(), FNM_NOESCAPE) == 0;
}

/// Appends a segment, or extends the last one if it is adjacent and has the same settings.
void append(std::vector<Segment>& segments, const Segment& segment) {
  if (segment.begin == segment.end) return;
  if (!segments.empty() && segments.back().end == segment.begin && segments.back().trained_like(segment))
    segments.back().end = segment.end;
  else
    segments.push_back(segment);
}

/// Throws misuse unless `pattern` matches the name of a parameter.
template <class T>
void check_matches_some(const char* where, const std::string& pattern, const ParameterStore<T>& store) {
  for (const Parameter<T>* parameter : store.parameters())
    if (matches(pattern, *parameter)) return;
  misuse(where,
         "expected a pattern that matches the name of a parameter; got '{}'. Hint: ParameterStore::parameters lists "
         "the names; * matches any text",
         pattern);
}

}  // namespace

template <class T>
void freeze(ParameterStore<T>& store, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    check_matches_some("freeze", pattern, store);
    for (Parameter<T>* parameter : store.parameters())
      if (matches(pattern, *parameter)) parameter->trainable = false;
  }
}

template <class T>
std::vector<Segment> trainable_segments(const ParameterStore<T>& store, double weight_decay, bool decay_norm_and_bias,
                                        const std::vector<LrFactor>& lr_factors) {
  check(store.laid_out(), "trainable_segments", "expected allocated parameters; got none. Hint: call allocate() first");
  if (!(weight_decay >= 0)) misuse("weight_decay", "expected a number of at least 0; got {}", weight_decay);
  for (const LrFactor& lr : lr_factors) {
    check_matches_some("LrFactor::pattern", lr.pattern, store);
    if (!(lr.factor >= 0 && std::isfinite(lr.factor)))
      misuse("LrFactor::factor", "expected a number of at least 0; got {}", lr.factor);
  }
  std::vector<Segment> segments;
  const auto& parameters = store.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter<T>& parameter = *parameters[i];
    if (!parameter.trainable) continue;
    const Index begin = parameter.offset;
    const Index end = i + 1 < parameters.size() ? parameters[i + 1]->offset : static_cast<Index>(store.values().size());
    const auto lr = std::ranges::find_if(lr_factors, [&](const auto& it) { return matches(it.pattern, parameter); });
    Segment segment{.begin = begin,
                    .end = end,
                    .weight_decay = decay_norm_and_bias || !is_norm_or_bias(parameter) ? weight_decay : 0,
                    .lr_factor = lr == lr_factors.end() ? 1 : lr->factor};
    if (parameter.fixed_row >= 0) {
      const Shape& shape = parameter.value.shape;
      const Index row = shape.size() / shape[0];
      segment.end = begin + parameter.fixed_row * row;
      append(segments, segment);
      segment.begin = segment.end + row;
      segment.end = end;
    }
    append(segments, segment);
  }
  return segments;
}

template void freeze(ParameterStore<float>&, const std::vector<std::string>&);
template void freeze(ParameterStore<double>&, const std::vector<std::string>&);
template std::vector<Segment> trainable_segments(const ParameterStore<float>&, double, bool,
                                                 const std::vector<LrFactor>&);
template std::vector<Segment> trainable_segments(const ParameterStore<double>&, double, bool,
                                                 const std::vector<LrFactor>&);

}  // namespace glossa
