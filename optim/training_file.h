#pragma once

#include <filesystem>

#include "optim/optimizer.h"

namespace glossa {

// Training in a file: a model's parameters (autograd/parameter_file.h) with the state of its optimizer.

/// Saves the store's parameters, and the optimizer's state and steps: tensors `optimizer:BUFFER:PARAMETER`, metadata
/// `optimizer_steps`. load_parameters also reads the file, without the optimizer. Throws as save_parameters, and if the
/// optimizer does not have the whole store (OptimizerShare).
template <class T>
void save_training(const std::filesystem::path& path, const ParameterStore<T>& store, const Optimizer<T>& optimizer);

/// Loads parameters, state and steps; then `optimizer.step` has the same bits as after saving, if T, the kind of the
/// optimizer and its options are the same. Kinds with other buffers are refused, options are not compared. Not in the
/// file, but the caller's: the learning rate, the position in the data, and the update that keys dropout
/// (ContextOptions::update), which should depend on `optimizer.steps()`. Throws as load_parameters, and if the file
/// does not have this optimizer's state; then neither store nor optimizer has changed.
template <class T>
void load_training(const std::filesystem::path& path, ParameterStore<T>& store, Optimizer<T>& optimizer);

}  // namespace glossa
