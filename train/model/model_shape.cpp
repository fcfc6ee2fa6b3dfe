#include "train/model/model_shape.h"

#include "base/check.h"
#include "train/model/model_factory.h"

namespace glossa {
namespace {

/// Names and shapes of the parameters; empty if the options contradict each other.
std::string shapes_of(const ModelConfig& model) {
  constexpr Index vocabulary = 100;
  std::string shapes;
  try {
    TransformerOptions options = transformer_options(model, vocabulary, vocabulary);
    if (!options.learned_positions) options.max_positions = 1;  // sinusoids would take memory
    ParameterStore<float> store;
    const Transformer<float> transformer(store, options);
    store.allocate_without_matrices();
    for (const Parameter<float>* parameter : store.parameters())
      shapes += fmt::format("{} {}\n", parameter->name, parameter->value.shape.str());
  } catch (const Error&) {
  }
  return shapes;
}

}  // namespace

std::string differently_shaped(const Config& base, const Config& changed) {
  const std::string wanted = shapes_of(base.model);
  if (shapes_of(changed.model) == wanted) return "";
  Config with = base;
  for (const Option<Config>& option : all_options()) {
    if (!option.key.starts_with("model.")) continue;
    option.set(with, option.text(changed));
    if (shapes_of(with.model) != wanted) return option.key;
  }
  return "";
}

}  // namespace glossa
