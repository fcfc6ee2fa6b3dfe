#include "optim/training_file.h"

#include <fmt/format.h>

#include <charconv>

#include "autograd/parameter_file.h"
#include "base/check.h"
#include "base/saved_tensors.h"

namespace glossa {

namespace {

constexpr const char* steps_key = "optimizer_steps";

/// All parameters of the store, with the optimizer's buffers for its own parameters.
template <class T>
std::vector<NamedTensor<T>> tensors_of(const ParameterStore<T>& store, const Optimizer<T>& optimizer) {
  std::vector<NamedTensor<T>> tensors = named_tensors<T>(store, store.parameters(), store.values());
  check(optimizer.begin() == 0 && optimizer.end() == std::ssize(store.values()), "optimizer",
        "expected the optimizer of all {} numbers of the store; got one of [{}, {})", store.values().size(),
        optimizer.begin(), optimizer.end());
  for (const StateBuffer<T>& buffer : optimizer.state())
    for (NamedTensor<T>& tensor : named_tensors<T>(store, optimizer.parameters(), buffer.values,
                                                   fmt::format("{}{}:", optimizer_prefix, buffer.name)))
      tensors.push_back(std::move(tensor));
  return tensors;
}

/// Reads the number of steps from the metadata.
std::int64_t steps_in(const SafetensorsReader& file) {
  const auto found = file.metadata().find(steps_key);
  check(found != file.metadata().end(), file.path().string(),
        "expected a file of save_training; got one without {}. Hint: load_parameters reads it", steps_key);
  const std::string& text = found->second;
  std::int64_t steps = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), steps);
  check(code == std::errc() && end == text.data() + text.size() && steps >= 0, file.path().string(),
        "expected {} to be a number of steps; got '{:.50}'", steps_key, text);
  return steps;
}

}  // namespace

template <class T>
void save_training(const std::filesystem::path& path, const ParameterStore<T>& store, const Optimizer<T>& optimizer) {
  save_tensors(path, tensors_of(store, optimizer), {{steps_key, std::to_string(optimizer.steps())}});
}

template <class T>
void load_training(const std::filesystem::path& path, ParameterStore<T>& store, Optimizer<T>& optimizer) {
  const std::vector<NamedTensor<T>> tensors = tensors_of(store, optimizer);
  const SafetensorsReader file = open_saved_tensors(path);
  const std::int64_t steps = steps_in(file);
  load_tensors(file, tensors);
  store.mark_changed();
  optimizer.set_steps(steps);
}

#define GLOSSA_INSTANTIATE(T)                                                                               \
  template void save_training(const std::filesystem::path&, const ParameterStore<T>&, const Optimizer<T>&); \
  template void load_training(const std::filesystem::path&, ParameterStore<T>&, Optimizer<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
