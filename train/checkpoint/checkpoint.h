#pragma once

#include <optional>
#include <span>
#include <string>

#include "autograd/parameter.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"
#include "train/checkpoint/checkpoint_file.h"
#include "train/checkpoint/training_state.h"

namespace glossa {

/// Collects everything an exact resume needs: parameters under their own names, the optimizer's buffers as
/// `BUFFER:NAME` (`m:` and `v:` for Adam), the parameters' moving average, if any, as `ema:NAME`, the record of
/// counters as `state`, and this program's version as `glossa`. Parameters, optimizer and average must outlive the
/// writer. In a job all processes call it; moments come from the processes that hold them, one after the other.
void add_to_checkpoint(CheckpointWriter& writer, const ParameterStore<float>& parameters,
                       const Optimizer<float>& optimizer, const MovingAverage<float>* average,
                       const TrainingState& state);

/// Extents of a shape in file form.
std::vector<std::uint64_t> dims_of(const Shape& shape);

/// Reads the record of counters. Throws if it is missing, of another version, or impossible: a counter below 0, more
/// epochs than updates, seconds that are not finite.
TrainingState read_training_state(const CheckpointReader& reader);

/// Version of the program that wrote the checkpoint, if recorded.
std::optional<std::string> writer_version(const CheckpointReader& reader);

/// Reads the parameters as training left them. Names and shapes must match the model's exactly; the first difference is
/// named, and nothing is changed.
void read_parameters(const CheckpointReader& reader, ParameterStore<float>& parameters);

/// Entry used for a parameter in translation: its moving average if the checkpoint has averages, else the parameter
/// itself.
std::string entry_in_use(const CheckpointReader& reader, const std::string& parameter);

/// Reads the mean of the parameters in use over one or more checkpoints. Throws as read_parameters.
void read_mean_parameters(std::span<const CheckpointReader> readers, ParameterStore<float>& parameters);

/// Loads the optimizer's moments and step count. All processes of a job call it, and each gets its own stretch of the
/// moments: the first one reads the file, the others have no reader.
void read_moments(const CheckpointReader* reader, const ParameterStore<float>& parameters, Optimizer<float>& optimizer,
                  const TrainingState& state);

/// Reads the parameters' moving average. Throws as read_parameters.
void read_average(const CheckpointReader& reader, const ParameterStore<float>& parameters,
                  MovingAverage<float>& average);

/// SHA-256 over the parameters' names, shapes and values, as training left them.
std::string parameters_sha256(const CheckpointReader& reader);

/// SHA-256 that also covers moments, averages, counters and data position. Excludes what may differ between equal runs:
/// wall-clock time, the configuration, and pending figures of the next log line.
std::string state_sha256(const CheckpointReader& reader);

}  // namespace glossa
