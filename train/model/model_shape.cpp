#include "train/model/model_shape.h"

#include "autograd/check.h"
#include "train/model/memory_need.h"
#include "train/model/model_factory.h"

namespace glossa {
namespace {

/// A number that differs between models with parameters of different shapes. Sharing of embeddings counts as well,
/// because it may only change their names. -1 for options that contradict each other.
double shape_number(const ModelConfig& model) {
  constexpr Index vocabulary = 100;
  try {
    return 8 * memory_need(transformer_options(model, vocabulary, vocabulary)).parameters +
           static_cast<double>(model.tied);
  } catch (const Error&) {
    return -1;
  }
}

}  // namespace

std::string differently_shaped(const Config& base, const Config& changed) {
  const double wanted = shape_number(base.model);
  if (shape_number(changed.model) == wanted) return "";
  for (const OptionSection& section : option_sections()) {
    if (section.name != "model") continue;
    for (const Option<Config>& option : section.options) {
      Config with = base;
      option.set(with, {.kind = GivenValue::Kind::scalar, .scalar = option.text(changed), .list = {}});
      if (shape_number(with.model) != wanted) return section.name + "." + option.name;
    }
  }
  return "";
}

}  // namespace glossa
