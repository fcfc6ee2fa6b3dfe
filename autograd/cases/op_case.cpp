#include "autograd/cases/op_case.h"

namespace glossa {

const std::vector<OpCase>& op_cases() {
  static const std::vector<OpCase> cases = [] {
    OpCases all;
    for (const auto add_family :
         {add_arithmetic_cases, add_pointwise_cases, add_activation_cases, add_gated_cases, add_product_cases,
          add_reduction_cases, add_softmax_cases, add_layer_norm_cases, add_rms_norm_cases, add_selection_cases,
          add_pooling_cases, add_masking_cases, add_dropout_cases, add_shaping_cases, add_rotary_cases,
          add_attention_cases, add_cross_entropy_cases})
      add_family(all);
    return std::move(all.rows);
  }();
  return cases;
}

}  // namespace glossa
