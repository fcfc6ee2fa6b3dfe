#include "python/binding/value.h"

#include "base/check.h"

namespace glossa::python {

const std::shared_ptr<Step>& Value::step(const char* where) const {
  if (!Step::is_current(step_))
    misuse(where,
           "expected a variable of this thread's step; got one of {}. Hint: read numbers within the step, as "
           "`x.numpy()` or `x.item()`; these stay",
           step_->has_ended() ? "a step that has ended" : "another thread's step");
  return step_;
}

void Value::check_precision(Precision expected, const char* where) const {
  if (precision() != expected) refuse_precision(where, expected, name(precision()));
}

void refuse_precision(const char* where, Precision expected, const char* got) {
  misuse(where,
         "expected numbers of one type, {}; got also {}. Hint: convert the array with .astype(numpy.{}), or make the "
         "module with init(dtype=numpy.{})",
         name(expected), got, name(expected), got);
}

}  // namespace glossa::python
