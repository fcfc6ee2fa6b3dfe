#pragma once

#include <filesystem>

#include "optim/optimizer.h"

namespace glossa {

// Training in a file: a model's parameters (autograd/parameter_file.h) with the state of its optimizer.

/// Saves the store's parameters, and the optimizer's state and steps: tensors `optimizer:BUFFER:PARAMETER`, metadata
/// `optimizer_steps`. load_parameters can read this file as well; it ignores the optimizer's tensors. Throws as
/// save_parameters, and if the optimizer does not have the whole store (OptimizerShare).
template <class T>
void save_training(const std::filesystem::path& path, const ParameterStore<T>& store, const Optimizer<T>& optimizer);

/// Loads parameters, state and steps; later steps then give the same bits as without saving and loading, if T, the kind
/// of the optimizer and its options are the same. A file of a kind with other buffers is refused; options and
/// segments are not compared. Several optimizers of one store have a file each, all loaded in turn. The learning rate,
/// the position in the data and the update that keys dropout (StepOptions::update) are not in the file: derive them
/// from `optimizer.steps()`. Throws as load_parameters, and if the file does not have this optimizer's state; after any
/// error, neither store nor optimizer has changed.
template <class T>
void load_training(const std::filesystem::path& path, ParameterStore<T>& store, Optimizer<T>& optimizer);

}  // namespace glossa
