#include "layers/cases/layer_case.h"

namespace glossa {

const std::vector<LayerCase>& layer_cases() {
  static const std::vector<LayerCase> cases = [] {
    LayerCases all;
    for (const auto add_family : {add_linear_cases, add_embedding_cases, add_attention_cases, add_stack_cases})
      add_family(all);
    return std::move(all.rows);
  }();
  return cases;
}

}  // namespace glossa
