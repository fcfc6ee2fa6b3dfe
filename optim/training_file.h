#pragma once

#include <filesystem>

#include "autograd/parameter_file.h"
#include "optim/optimizer.h"

namespace glossa {

// A file of training state: a model's parameters (autograd/parameter_file.h) and the state of one optimizer. If a store
// has several optimizers, each has a separate file. Save all files after the same step, because each contains all
// parameters. Load all of them, in any order.

/// Saves all parameters of the store, the optimizer's steps, and its state for its own parameters. The state is in
/// tensors `optimizer:BUFFER:PARAMETER`; the steps are in the metadata as `optimizer_steps`. load_parameters can also
/// read this file and ignores the optimizer's tensors. Throws like save_parameters, and if several processes share the
/// optimizer's work (OptimizerShare).
template <class T>
void save_training(const std::filesystem::path& path, const ParameterStore<T>& store, const Optimizer<T>& optimizer);

/// Loads parameters, state and steps. Later steps give the same bits as without saving and loading if T, the kind of
/// optimizer and its options are the same. Options are not compared, but the file of an optimizer with other buffers or
/// parameters is refused. The file does not contain the learning rate, the position in the data, or the update number
/// that dropout's random numbers depend on (StepOptions::update). Derive them from `optimizer.steps()`. Throws like
/// load_parameters, and if the file lacks this optimizer's state. After any error, store and optimizer are unchanged.
template <class T>
void load_training(const std::filesystem::path& path, ParameterStore<T>& store, Optimizer<T>& optimizer);

}  // namespace glossa
