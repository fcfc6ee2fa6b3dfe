#include "optim/parameter_groups.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

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

/// Throws a misuse error unless `pattern` matches the name of a parameter.
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
                                        const std::vector<ParameterGroup>& groups) {
  check(store.laid_out(), "trainable_segments", "expected allocated parameters; got none. Hint: call allocate() first");
  const auto check_rate = [](const char* name, double rate) {
    if (!(rate >= 0 && std::isfinite(rate))) misuse(name, "expected a finite number of at least 0; got {}", rate);
  };
  check_rate("weight_decay", weight_decay);
  for (const ParameterGroup& group : groups) {
    check_matches_some("ParameterGroup::pattern", group.pattern, store);
    check_rate("ParameterGroup::lr_factor", group.lr_factor);
  }
  std::vector<Segment> segments;
  for (const Parameter<T>* each : store.parameters()) {
    const Parameter<T>& parameter = *each;
    if (!parameter.trainable) continue;
    const Index begin = parameter.offset, end = store.end_of(parameter);
    const auto found = std::ranges::find_if(groups, [&](const auto& it) { return matches(it.pattern, parameter); });
    const ParameterGroup group = found == groups.end() ? ParameterGroup{} : *found;
    Segment segment{.begin = begin,
                    .end = end,
                    .weight_decay = decay_norm_and_bias || !is_norm_or_bias(parameter) ? weight_decay : 0,
                    .lr_factor = group.lr_factor,
                    .betas = group.betas};
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

template <class T>
std::vector<Segment> segments_of(const ParameterStore<T>& store, const std::vector<std::string>& patterns,
                                 std::span<const Segment> segments) {
  for (const std::string& pattern : patterns) check_matches_some("segments_of", pattern, store);
  std::vector<Segment> chosen;
  for (const Segment& segment : segments)
    for (const Parameter<T>* parameter : store.parameters()) {
      if (std::ranges::none_of(patterns, [&](const auto& pattern) { return matches(pattern, *parameter); })) continue;
      Segment part = segment;
      part.begin = std::max(segment.begin, parameter->offset);
      part.end = std::min(segment.end, store.end_of(*parameter));
      if (part.begin < part.end) append(chosen, part);
    }
  return chosen;
}

#define GLOSSA_INSTANTIATE(T)                                                                          \
  template void freeze(ParameterStore<T>&, const std::vector<std::string>&);                           \
  template std::vector<Segment> trainable_segments(const ParameterStore<T>&, double, bool,             \
                                                   const std::vector<ParameterGroup>&);                \
  template std::vector<Segment> segments_of(const ParameterStore<T>&, const std::vector<std::string>&, \
                                            std::span<const Segment>);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
