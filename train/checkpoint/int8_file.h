#pragma once

#include <filesystem>
#include <string>

#include "autograd/quantized.h"
#include "train/checkpoint/checkpoint.h"

namespace glossa {

// RUN/int8.weights: the weights of a run for decoding in int8, instead of checkpoints. The file has the format of a
// checkpoint. A matrix NAME is stored as `int8:NAME`, the panels [P, quads, 64, 4] that products read
// (autograd/kernels/int8/matrix.h), and `scale:NAME` [outputs]. A matrix in parts has such entries for each part, with
// #0, #1, ... after NAME. All other parameters are stored in float under their own names.

/// Returns the path of the file in the folder of a run.
std::filesystem::path int8_file(const std::filesystem::path& run);

/// True if a run has weights in int8 instead of checkpoints.
bool is_in_int8(const std::filesystem::path& run);

/// Throws a misuse error that names the run if its weights are only in int8.
void check_is_in_float(const std::filesystem::path& run);

/// Returns the checkpoints that a run's int8.weights was made from, as passed to add_int8_model. Empty if the file is
/// damaged.
std::string origin_of_int8(const std::filesystem::path& run);

/// Returns a hint for the errors of commands that need checkpoints: "name the run that it was made from: CHECKPOINT".
std::string hint_at_origin(const std::filesystem::path& run);

/// Adds a model in int8, its number of parameters, and the names of the checkpoints that it was made from. The
/// parameters must outlive the writer.
void add_int8_model(CheckpointWriter& writer, const ParameterStore<float>& parameters, const std::string& origin);

/// Reads a model from the file of `reader` into a store without matrices (ParameterStore::allocate_without_matrices).
/// The matrices stay in the mapped file, which `matrices` keeps open. Throws if a parameter is missing or has another
/// shape.
void map_int8_model(const CheckpointReader& reader, ParameterStore<float>& parameters, QuantizedMatrices& matrices);

}  // namespace glossa
