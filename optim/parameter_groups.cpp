#include "optim/parameter_groups.h"

#include <fnmatch.h>

#include "autograd/check.h"

namespace glossa {

namespace {

template <class T>
bool is_norm_or_bias(const Parameter<T>& parameter) {
  return parameter.value.shape.rank() < 2 || parameter.name.ends_with("bias");
}

}  // namespace

template <class T>
void freeze(ParameterStore<T>& store, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    bool matched = false;
    for (Parameter<T>* parameter : store.parameters())
      if (fnmatch(pattern.c_str(), parameter->name.c_str(), FNM_NOESCAPE) == 0) {
        parameter->trainable = false;
        matched = true;
      }
    if (!matched)
      misuse("optim.freeze",
             "expected a pattern that matches the name of a parameter; got '{}'. Hint: `glossa inspect` lists the "
             "names; * stands for any text",
             pattern);
  }
}

template <class T>
std::vector<Segment> trainable_segments(const ParameterStore<T>& store, double weight_decay, bool decay_norm_and_bias) {
  if (!(weight_decay >= 0)) misuse("optim.weight_decay", "expected a number of at least 0; got {}", weight_decay);
  std::vector<Segment> segments;
  const auto& parameters = store.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter<T>& parameter = *parameters[i];
    if (!parameter.trainable) continue;
    const Index begin = parameter.offset;
    const Index end = i + 1 < parameters.size() ? parameters[i + 1]->offset : static_cast<Index>(store.values().size());
    const double decay = decay_norm_and_bias || !is_norm_or_bias(parameter) ? weight_decay : 0;
    if (!segments.empty() && segments.back().end == begin && segments.back().weight_decay == decay)
      segments.back().end = end;
    else
      segments.push_back({begin, end, decay});
  }
  return segments;
}

template void freeze(ParameterStore<float>&, const std::vector<std::string>&);
template void freeze(ParameterStore<double>&, const std::vector<std::string>&);
template std::vector<Segment> trainable_segments(const ParameterStore<float>&, double, bool);
template std::vector<Segment> trainable_segments(const ParameterStore<double>&, double, bool);

}  // namespace glossa
