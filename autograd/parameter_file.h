#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.h"
#include "base/safetensors.h"

namespace glossa {

// A model in a file: the names, shapes and values of its parameters, in safetensors format with a checksum
// (base/saved_tensors.h). Python's safetensors package can read it. optim/training_file.h also saves an optimizer.

/// Saves all parameters, including frozen ones, as F32 or F64 to match T. The file appears complete or not at all. Once
/// the function has returned, the file survives a power cut. Throws if the store is not laid out, or if the file cannot
/// be written.
template <class T>
void save_parameters(const std::filesystem::path& path, const ParameterStore<T>& store);

/// Loads all parameters' values from a file of save_parameters, save_training or another program. Numbers are converted
/// to T: F32 to double exactly, F64 to float with rounding. On an exception, the store stays unchanged. Throws if:
/// - the store is not laid out
/// - a parameter is missing from the file or has another shape, or the file contains other tensors
/// - a finite F64 number would be infinite as float
/// - the file is damaged. Flipped bits in values are found only with a checksum, which save_parameters and
///   save_training write
template <class T>
void load_parameters(const std::filesystem::path& path, ParameterStore<T>& store);

/// Prefix of tensor names that denote an optimizer's state instead of a parameter.
inline constexpr std::string_view optimizer_prefix = "optimizer:";

/// Returns `parameters`, which belong to the store, as tensors for a file, with `prefix` before each name. The tensors'
/// numbers come from `values`, which must be laid out like the store's values. Throws if the size of `values` differs
/// from the store's, or if the store is not laid out.
template <class T>
std::vector<NamedTensor<T>> named_tensors(const ParameterStore<T>& store, std::span<Parameter<T>* const> parameters,
                                          std::span<T> values, const std::string& prefix = "");

}  // namespace glossa
