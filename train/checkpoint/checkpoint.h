#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "autograd/parameter.h"
#include "autograd/quantized.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"
#include "train/checkpoint/checkpoint_file.h"
#include "train/checkpoint/training_state.h"

namespace glossa {

/// Text entries that add_to_checkpoint adds: the version of the program that wrote the checkpoint, and its machine's
/// host_fingerprint (train/runtime.h). Older checkpoints lack them.
inline constexpr std::string_view version_entry = "glossa", host_entry = "host";

/// Returns the elements of an optimizer's buffer that belong to a parameter; they are valid until the next call. `own`
/// is this process's slice of the buffer.
using CollectMoments = std::function<std::span<const float>(std::span<float> own, const Parameter<float>& parameter)>;

/// Adds all state that an exact resume needs. A parameter is stored under its own NAME. Its optimizer buffers are
/// stored as `BUFFER:NAME` (`m:NAME` and `v:NAME` for Adam), and its moving average, if any, as `ema:NAME`. The other
/// entries are:
/// - `state`: the training state
/// - version_entry, host_entry
/// - `usual_words`, `several_percent`: the members of TrainingState::text, if known
///
/// Parameters, optimizer and average must outlive the writer. If the optimizer's buffers are divided among processes,
/// all processes must call this function. `collect` then collects the slices in the process that writes.
void add_to_checkpoint(CheckpointWriter& writer, const ParameterStore<float>& parameters,
                       const Optimizer<float>& optimizer, const MovingAverage<float>* average,
                       const TrainingState& state, std::string host, const CollectMoments& collect = {});

/// Adds the entries of add_to_checkpoint except parameters and their buffers.
void add_state(CheckpointWriter& writer, const TrainingState& state, std::string host);

/// Returns a shape's extents, as stored in files.
std::vector<std::uint64_t> dims_of(const Shape& shape);

/// Reads the training state. Throws if the state is missing, has another version, or is impossible. For example, a
/// counter below 0, more epochs than updates, or an infinite number of seconds is impossible.
TrainingState read_training_state(const CheckpointReader& reader);
bool has_training_state(const CheckpointReader& reader);

/// Returns the text of an entry, if it exists.
std::optional<std::string> text_in_checkpoint(const CheckpointReader& reader, std::string_view entry);

/// Reads the parameters as training left them, not their average. Throws an error that names the first parameter whose
/// name or shape differs from the model's; `parameters` is then unchanged.
void read_parameters(const CheckpointReader& reader, ParameterStore<float>& parameters);

/// Returns the name of the entry that translation uses for a parameter. It is the parameter's moving average if the
/// checkpoint has averages, else the parameter itself.
std::string entry_in_use(const CheckpointReader& reader, const std::string& parameter);

/// Reads the values that translation uses (entry_in_use). With several checkpoints, reads the mean of each value.
/// Throws as read_parameters does. Non-null `matrices` require a store without matrices
/// (ParameterStore::allocate_without_matrices); the matrices are then added to `matrices` one by one.
void read_mean_parameters(std::span<const CheckpointReader> readers, ParameterStore<float>& parameters,
                          QuantizedMatrices* matrices = nullptr);

/// Loads the optimizer's slice of the moments, and its step count. If the moments are divided among processes, only one
/// process has a `reader`; the others pass null. `share` then copies the bytes from that process to the others.
void read_moments(const CheckpointReader* reader, const ParameterStore<float>& parameters, Optimizer<float>& optimizer,
                  const TrainingState& state, const std::function<void(std::span<std::byte>)>& share = {});

/// Reads the parameters' moving average. Throws as read_parameters does.
void read_average(const CheckpointReader& reader, const ParameterStore<float>& parameters,
                  MovingAverage<float>& average);

/// SHA-256 over the parameters' names, shapes and values, as training left them.
std::string parameters_sha256(const CheckpointReader& reader);

/// SHA-256 over the parameters, moments, averages, counters and data position. Excludes state that may differ between
/// equal runs: wall-clock time, the configuration, and the sums for the next log line.
std::string state_sha256(const CheckpointReader& reader);

}  // namespace glossa
