#include "autograd/parameter_file.h"

#include "base/check.h"
#include "base/saved_tensors.h"

namespace glossa {

template <class T>
std::vector<NamedTensor<T>> named_tensors(const ParameterStore<T>& store, std::span<Parameter<T>* const> parameters,
                                          std::span<T> values, const std::string& prefix) {
  check(store.laid_out(), "parameters", "expected allocated parameters; got none. Hint: call allocate() first");
  check(values.size() == store.values().size(), "parameters", "expected values laid out like the store's {}; got {}",
        store.values().size(), values.size());
  std::vector<NamedTensor<T>> tensors;
  for (const Parameter<T>* parameter : parameters) {
    check(parameter->value.data, parameter->name, "expected a model in float; got one in int8, which has no numbers");
    const Shape& shape = parameter->value.shape;
    NamedTensor<T>& tensor = tensors.emplace_back();
    tensor.name = prefix + parameter->name;
    for (int axis = 0; axis < shape.rank(); ++axis) tensor.shape.push_back(static_cast<std::uint64_t>(shape[axis]));
    tensor.values = values.subspan(static_cast<std::size_t>(parameter->offset), static_cast<std::size_t>(shape.size()));
  }
  return tensors;
}

template <class T>
void save_parameters(const std::filesystem::path& path, const ParameterStore<T>& store) {
  save_tensors(path, named_tensors<T>(store, store.parameters(), store.values()));
}

template <class T>
void load_parameters(const std::filesystem::path& path, ParameterStore<T>& store) {
  const std::vector<NamedTensor<T>> tensors = named_tensors<T>(store, store.parameters(), store.values());
  load_tensors(open_saved_tensors(path), tensors, optimizer_prefix);
  store.mark_changed();
}

#define GLOSSA_INSTANTIATE(T)                                                                                  \
  template std::vector<NamedTensor<T>> named_tensors(const ParameterStore<T>&, std::span<Parameter<T>* const>, \
                                                     std::span<T>, const std::string&);                        \
  template void save_parameters(const std::filesystem::path&, const ParameterStore<T>&);                       \
  template void load_parameters(const std::filesystem::path&, ParameterStore<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
