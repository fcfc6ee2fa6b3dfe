#pragma once

#include <filesystem>

#include "autograd/parameter_file.h"
#include "optim/optimizer.h"

namespace glossa {

// Training in a file: a model's parameters (autograd/parameter_file.h) with the state of one optimizer. Several
// optimizers of one store have a file each: save all files after the same step, because each contains all parameters,
// and load all of them, in any order.

/// Saves all parameters of the store, and the optimizer's steps and its state for its own parameters: tensors
/// `optimizer:BUFFER:PARAMETER`, metadata `optimizer_steps`. load_parameters can read this file as well; it ignores the
/// optimizer's tensors. Throws as save_parameters, and if the optimizer is one of several processes' (OptimizerShare).
template <class T>
void save_training(const std::filesystem::path& path, const ParameterStore<T>& store, const Optimizer<T>& optimizer);

/// Loads parameters, state and steps; later steps then give the same bits as without saving and loading, if T, the kind
/// of the optimizer and its options are the same. The file of an optimizer with other buffers or other parameters is
/// refused; options are not compared. The learning rate, the position in the data and the update that keys dropout
/// (StepOptions::update) are not in the file: derive them from `optimizer.steps()`. Throws as load_parameters, and if
/// the file does not have this optimizer's state; after any error, neither store nor optimizer has changed.
template <class T>
void load_training(const std::filesystem::path& path, ParameterStore<T>& store, Optimizer<T>& optimizer);

}  // namespace glossa
