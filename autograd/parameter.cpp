#include "autograd/parameter.h"

#include <algorithm>

#include "base/available_memory.h"
#include "base/check.h"
#include "base/code_point.h"
#include "base/nearest_name.h"
#include "base/printable.h"

namespace glossa {

namespace {

constexpr std::size_t max_name = 200;  // checkpoints allow 255 bytes, including the prefix of a moment or average

/// True if checkpoints and safetensors files allow a parameter with this name.
bool is_parameter_name(std::string_view name) {
  const auto is_special = [](unsigned char c) {
    return c < 0x20 || c == 0x7F || c == '/' || c == '\\' || c == ':';  // a colon ends a checkpoint's prefixes
  };
  return !name.empty() && name.size() <= max_name && utf8::find_invalid(name) == name.npos && name != "__metadata__" &&
         std::ranges::none_of(name, is_special);
}

template <class T>
Index rows_in_parts(const Parameter<T>& whole) {
  Index rows = 0;
  for (const Parameter<T>* part : whole.parts) rows += part->value.shape[0];
  return rows;
}

}  // namespace

template <class T>
bool Parameter<T>::has_grad() const {
  return grad.set || std::ranges::any_of(parts, [](const Parameter* part) { return part->grad.set; });
}

template <class T>
void Parameter<T>::clear_grad() {
  grad.set = false;
  for (Parameter* part : parts) part->grad.set = false;
}

template <class T>
void Parameter<T>::fill_unset_grad() {
  for (Parameter* part : parts) part->fill_unset_grad();
  if (!parts.empty() || grad.set || !is_trainable()) return;
  std::fill_n(grad.data, value.size(), T{0});
  grad.set = true;
}

template <class T>
Parameter<T>& ParameterStore<T>::declare(const std::string& name, const Shape& shape, Initializer initializer) {
  check(
      is_parameter_name(name), "parameters",
      "expected a name of 1 to {} bytes of UTF-8, without control characters, slashes, backslashes and colons, and not "
      "__metadata__; got '{}'. Hint: files have to hold it; join scopes with dots",
      max_name, printable_line(name.substr(0, 40)));
  check(initializer != nullptr, name,
        "expected an initializer; got an empty function. Hint: init::constant(0) of layers/init.h sets zeros");
  check(!laid_out(), name, "expected a declaration before allocate(); got one after it");
  check(names_.insert(name).second, name, "expected a unique parameter name; got it twice");
  initializers_.push_back(std::move(initializer));
  return declared_.emplace_back(Parameter<T>{name, {nullptr, shape}, {}});
}

template <class T>
Parameter<T>& ParameterStore<T>::part(Parameter<T>& whole, Index begin, Index end) {
  const Shape& shape = whole.value.shape;
  check(!laid_out() && !whole.whole, whole.name, "expected a whole parameter before allocate(); got {}",
        laid_out() ? "one after it" : "a part");
  const Index next = rows_in_parts(whole);
  check(shape.rank() >= 1 && begin == next && begin <= end && end <= shape[0], whole.name,
        "expected rows of {} from {}, the end of the last part; got [{}, {})", shape, next, begin, end);
  Parameter<T>& part = parts_.emplace_back(Parameter<T>{whole.name, {nullptr, shape.with(0, end - begin)}, {}});
  part.whole = &whole;
  part.offset = begin * (shape[0] == 0 ? 0 : shape.size() / shape[0]);
  whole.parts.push_back(&part);
  return part;
}

/// Throws if the machine lacks memory for the values that training will write.
static void check_available(std::size_t bytes) {
  const std::size_t available = available_memory();
  check(bytes <= available, "arena",
        "cannot allocate {} bytes: the machine has {} left. Hint: use a smaller model, or fewer rows at a time", bytes,
        available);
}

template <class T>
void ParameterStore<T>::lay_out(bool with_matrices) {
  check(!laid_out(), "parameters", "expected one call of allocate(); got a second");
  for (const Parameter<T>& parameter : declared_)
    check(parameter.parts.empty() || rows_in_parts(parameter) == parameter.value.shape[0], parameter.name,
          "expected parts that cover {}; got {} rows", parameter.value.shape, rows_in_parts(parameter));
  for (Parameter<T>& parameter : declared_) sorted_.push_back(&parameter);
  std::sort(sorted_.begin(), sorted_.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  const auto has_room = [&](const Parameter<T>& parameter) { return with_matrices || !parameter.is_matrix; };
  Index size = 0;
  for (Parameter<T>* parameter : sorted_) {
    parameter->offset = size;
    if (has_room(*parameter)) size = end_of(*parameter);
  }
  values_ = memory_.array<T>(size);  // the system gives memory filled with zeros
  grads_ = grad_memory_.array<T>(size);
  for (Parameter<T>& parameter : declared_)
    if (has_room(parameter)) {
      parameter.value.data = values_.data() + parameter.offset;
      parameter.grad.data = grads_.data() + parameter.offset;
    }
  for (Parameter<T>& part : parts_) {
    part.offset += part.whole->offset;
    if (has_room(*part.whole)) {
      part.value.data = values_.data() + part.offset;
      part.grad.data = grads_.data() + part.offset;
    }
  }
}

template <class T>
void ParameterStore<T>::allocate(std::uint64_t seed) {
  lay_out(true);
  check_available(2 * values_.size_bytes());
  Arena drawn;
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    const Parameter<T>& parameter = declared_[i];
    RandomStream random(seed, parameter.name);
    drawn.reset();
    const std::span<double> initial(drawn.allocate_array<double>(parameter.value.size()),
                                    static_cast<std::size_t>(parameter.value.size()));
    initializers_[i](initial, parameter.value.shape, random);
    std::transform(initial.begin(), initial.end(), parameter.value.data, [](double x) { return static_cast<T>(x); });
  }
}

template <class T>
void ParameterStore<T>::drop_value(Parameter<T>& parameter) {
  Arena::drop(std::as_writable_bytes(parameter.value.span()));
  parameter.value.data = nullptr;
  for (Parameter<T>* part : parameter.parts) part->value.data = nullptr;
}

template <class T>
Parameter<T>& ParameterStore<T>::at(std::string_view name) const {
  for (Parameter<T>* parameter : sorted_)
    if (parameter->name == name) return *parameter;
  const std::string shown = printable_line(name.substr(0, max_name));
  check(laid_out(), shown, "expected allocated parameters; got none. Hint: call allocate() first");
  std::vector<std::string> names;
  for (const Parameter<T>* parameter : sorted_) names.push_back(parameter->name);
  const std::string near = nearest_name(name, names);
  fail(shown, "expected the name of one of {} parameters; not found. Hint: {}", sorted_.size(),
       near.empty() ? "ParameterStore::parameters lists the names" : fmt::format("did you mean '{}'?", near));
}

template <class T>
Index ParameterStore<T>::count() const {
  Index count = 0;
  for (const Parameter<T>& parameter : declared_) count += parameter.value.size();
  return count;
}

template <class T>
Index ParameterStore<T>::largest() const {
  Index largest = 0;
  for (const Parameter<T>& parameter : declared_) largest = std::max(largest, parameter.value.size());
  return largest;
}

template <class T>
Index ParameterStore<T>::end_of(const Parameter<T>& parameter) const {
  constexpr Index line = Arena::alignment / sizeof(T);
  return parameter.offset + (parameter.value.size() + line - 1) / line * line;
}

template struct Parameter<float>;
template struct Parameter<double>;
template class ParameterStore<float>;
template class ParameterStore<double>;

}  // namespace glossa
