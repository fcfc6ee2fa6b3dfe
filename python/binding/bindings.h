#pragma once

#include <nanobind/nanobind.h>

namespace glossa::python {

namespace nb = nanobind;

// Each function adds the part of the module that is defined in a file of the same name.

void add_errors(nb::module_& m);
void add_runtime(nb::module_& m);
void add_rows(nb::module_& m);
void add_parameters(nb::module_& m);
void add_step(nb::module_& m);
void add_variable(nb::module_& m);
void add_gradient_check(nb::module_& m);

void add_elementwise(nb::module_& m);
void add_products(nb::module_& m);
void add_reductions(nb::module_& m);
void add_normalization(nb::module_& m);
void add_selection(nb::module_& m);
void add_shaping(nb::module_& m);
void add_attention(nb::module_& m);
void add_losses(nb::module_& m);

void add_records(nb::module_& m);
void add_training(nb::module_& m);
void add_translating(nb::module_& m);
void add_scores(nb::module_& m);
void add_exchange(nb::module_& m);
void add_simple_layers(nb::module_& m);
void add_attention_layers(nb::module_& m);
void add_stacks(nb::module_& m);
void add_transformer(nb::module_& m);
void add_optimizers(nb::module_& m);

}  // namespace glossa::python
