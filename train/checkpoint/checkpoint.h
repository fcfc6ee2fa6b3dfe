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
/// `BUFFER:NAME` (`m:` and `v:` of Adam), the moving average of the parameters, if any, as `ema:NAME`, the record of
/// counters as `state`, and this program's version as `glossa`. Parameters, optimizer and average must outlive the
/// writer. In a job all processes call it; moments come from the processes that have them, one after the other.
void add_to_checkpoint(CheckpointWriter& writer, const ParameterStore<float>& parameters,
                       const Optimizer<float>& optimizer, const MovingAverage<float>* average,
                       const TrainingState& state);

/// The extents of a shape as files have them.
std::vector<std::uint64_t> dims_of(const Shape& shape);

/// Reads the record of counters. Throws if there is none, it is of another version, or a number in it cannot be: a
/// counter below 0, more epochs than updates, seconds that are not finite.
TrainingState read_training_state(const CheckpointReader& reader);

/// The version of the program that wrote the checkpoint, where it is said.
std::optional<std::string> writer_version(const CheckpointReader& reader);

/// Reads the parameters, as training left them. Names and shapes must be exactly the model's; the first difference is
/// named, and nothing is changed then.
void read_parameters(const CheckpointReader& reader, ParameterStore<float>& parameters);

/// The entry with what is translated with in the place of a parameter: its moving average where the checkpoint has
/// averages, else the parameter itself.
std::string entry_in_use(const CheckpointReader& reader, const std::string& parameter);

/// The mean of what several checkpoints, one at least, translate with; of one, its own. Throws as read_parameters.
void read_mean_parameters(std::span<const CheckpointReader> readers, ParameterStore<float>& parameters);

/// Takes over the moments of the optimizer and its step count. Of several processes all call it, and each has its own
/// stretch of the moments afterwards: the first one reads the file, the others have no reader.
void read_moments(const CheckpointReader* reader, const ParameterStore<float>& parameters, Optimizer<float>& optimizer,
                  const TrainingState& state);

/// Reads the moving average of the parameters. Throws as read_parameters.
void read_average(const CheckpointReader& reader, const ParameterStore<float>& parameters,
                  MovingAverage<float>& average);

/// SHA-256 over names, shapes and values of the parameters, as training left them.
std::string parameters_sha256(const CheckpointReader& reader);

/// The same over moments, averages, counters and position in the data too. Left out is what may differ between runs
/// that do the same: wall-clock time, the configuration, and what the next line of the log will tell.
std::string state_sha256(const CheckpointReader& reader);

}  // namespace glossa
