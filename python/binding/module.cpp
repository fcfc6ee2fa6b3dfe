#include "python/binding/bindings.h"

using namespace glossa::python;

NB_MODULE(_glossa, m) {
  nb::set_leak_warnings(false);  // objects in daemon threads and cycles outlive the interpreter
  m.doc() = "The engine of glossa; the package `glossa` has the public names.";
  add_errors(m);
  add_rows(m);
  add_parameters(m);
  add_variable(m);
  add_step(m);
  add_elementwise(m);
  add_products(m);
  add_reductions(m);
  add_normalization(m);
  add_selection(m);
  add_shaping(m);
  add_attention(m);
  add_losses(m);
  add_gradient_check(m);
  add_simple_layers(m);
  add_attention_layers(m);
  add_stacks(m);
  add_transformer(m);
  add_optimizers(m);
  add_runtime(m);
  add_records(m);
  add_training(m);
  add_translating(m);
  add_scores(m);
  add_exchange(m);
}
