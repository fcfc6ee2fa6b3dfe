#include "train/checkpoint/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/tensor_file.h"
#include "base/version.h"
#include "config/options.h"
#include "train/checkpoint/bounded_archive.h"
#include "train/checkpoint/sha256.h"

namespace glossa {

namespace {

constexpr std::string_view state_entry = "state", words_entry = "usual_words", several_entry = "several_percent";

std::string average_name(const std::string& parameter) { return "ema:" + parameter; }

std::string moment_name(std::string_view buffer, const std::string& parameter) {
  return fmt::format("{}:{}", buffer, parameter);
}

/// A parameter's slice of a flat buffer.
std::span<float> slice_of(std::span<float> flat, const Parameter<float>& parameter) {
  return flat.subspan(static_cast<std::size_t>(parameter.offset), static_cast<std::size_t>(parameter.value.size()));
}

/// Throws if an entry is missing or has another shape.
void check_entry(const CheckpointReader& reader, const std::string& name, const Shape& shape) {
  const CheckpointEntry* entry = reader.find(name);
  check(entry != nullptr, reader.path().string(),
        "expected a tensor {} {}; not found. Hint: the file belongs to a model of another configuration", name,
        shape.str());
  const bool fits = entry->dtype == Dtype::f32 && entry->dims == dims_of(shape);
  check(fits, reader.path().string(),
        "expected {} to be f32 {}; got {} {}. Hint: the model or its vocabulary differs from the checkpoint's", name,
        shape.str(), name_of(entry->dtype), shape_text(entry->dims));
}

/// Throws if parameters are missing, have another shape, or do not belong to the model.
void check_parameters(const CheckpointReader& reader, const ParameterStore<float>& parameters) {
  for (const Parameter<float>* parameter : parameters.parameters())
    check_entry(reader, parameter->name, parameter->value.shape);
  for (const CheckpointEntry& entry : reader.entries())
    if (entry.kind == EntryKind::parameter)
      check(std::ranges::any_of(parameters.parameters(), [&](const auto* p) { return p->name == entry.name; }),
            reader.path().string(), "expected only parameters of this model; got {}", entry.name);
}

/// Throws if training can never reach this state. Other code relies on these limits.
void check_possible(const TrainingState& state, const std::string& path) {
  const FileCheck require(path, "move the file away to use the one before it");
  constexpr std::int64_t largest = 1'000'000'000'000'000;  // the maximum of parse_period
  struct Counter {
    std::string_view name;
    std::int64_t value, limit;
  };
  const std::int64_t updates = state.update;  // this number also bounds epochs and validations
  for (const auto& [name, value, limit] :
       {Counter{"update", state.update, largest}, Counter{"optimizer_steps", state.optimizer_steps, updates},
        // Sampler counts epochs in int, and must be able to begin one more.
        Counter{"epoch", state.epoch, std::min<std::int64_t>(updates, std::numeric_limits<int>::max() - 1)},
        Counter{"batch", state.batch, largest}, Counter{"target_tokens", state.target_tokens, largest},
        Counter{"bad_updates", state.bad_updates, updates},
        Counter{"consecutive_bad", state.consecutive_bad, state.bad_updates},
        Counter{"log_tokens", state.log_tokens, state.target_tokens},
        Counter{"best_update", state.best_update, updates}, Counter{"stalled", state.stalled, updates},
        Counter{"plateau.bad", state.plateau.bad, updates},
        Counter{"plateau.reductions", state.plateau.reductions, updates}})
    require(value >= 0 && value <= limit, "expected a training state with {} from 0 to {}; got {}", name, limit, value);
  require(std::isfinite(state.seconds) && state.seconds >= 0,
          "expected a training state with at least 0 seconds; got {}", state.seconds);
  for (const auto& [name, value] : {std::pair("log_loss", state.log_loss), std::pair("best", state.best)})
    require(std::isfinite(value), "expected a training state with a finite {}; got {}", name, value);
  // Infinity is allowed, since a schedule may have seen an infinite loss.
  require(!std::isnan(state.plateau.best), "expected a training state with a number as plateau.best; got {}",
          state.plateau.best);
}

}  // namespace

std::optional<std::string> text_in_checkpoint(const CheckpointReader& reader, std::string_view entry) {
  if (reader.find(entry) == nullptr) return std::nullopt;
  const std::vector<std::byte> bytes = reader.read(entry);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::vector<std::uint64_t> dims_of(const Shape& shape) {
  std::vector<std::uint64_t> dims;
  for (int i = 0; i < shape.rank(); ++i) dims.push_back(static_cast<std::uint64_t>(shape[i]));
  return dims;
}

void add_to_checkpoint(CheckpointWriter& writer, const ParameterStore<float>& parameters,
                       const Optimizer<float>& optimizer, const MovingAverage<float>* average,
                       const TrainingState& state, std::string host, const CollectMoments& collect) {
  for (const Parameter<float>* parameter : parameters.parameters()) {
    const auto dims = dims_of(parameter->value.shape);
    writer.add(parameter->name, EntryKind::parameter, Dtype::f32, dims, std::as_bytes(parameter->value.span()));
    for (const StateBuffer<float>& buffer : optimizer.state())
      writer.add_from(moment_name(buffer.name, parameter->name), EntryKind::moment, Dtype::f32, dims,
                      [collect, own = buffer.values, parameter] {
                        return std::as_bytes(collect ? collect(own, *parameter) : slice_of(own, *parameter));
                      });
    if (average)
      writer.add(average_name(parameter->name), EntryKind::buffer, Dtype::f32, dims,
                 std::as_bytes(slice_of(average->average(), *parameter)));
  }
  add_state(writer, state, std::move(host));
}

void add_state(CheckpointWriter& writer, const TrainingState& state, std::string host) {
  writer.add_owned(std::string(state_entry), EntryKind::state, to_bytes(state));
  writer.add_owned(std::string(version_entry), EntryKind::state, std::string(program_version));
  writer.add_owned(std::string(host_entry), EntryKind::state, std::move(host));
  if (state.text.usual_words > 0)
    writer.add_owned(std::string(words_entry), EntryKind::state, fmt::format("{}", state.text.usual_words));
  if (state.text.several_percent >= 0)
    writer.add_owned(std::string(several_entry), EntryKind::state, fmt::format("{}", state.text.several_percent));
}

bool has_training_state(const CheckpointReader& reader) { return reader.find(state_entry) != nullptr; }

TrainingState read_training_state(const CheckpointReader& reader) {
  const std::string path = reader.path().string();
  check(has_training_state(reader), path, "expected a training state; not found");
  const std::vector<std::byte> bytes = reader.read(state_entry);
  // The version is the first field, so another layout is recognized before parsing.
  std::uint32_t version = 0;
  check(bytes.size() >= sizeof version, path, "expected a training state; got {} bytes", bytes.size());
  std::memcpy(&version, bytes.data(), sizeof version);
  check(version == TrainingState::current_version, path,
        "expected a training state of version {}; got version {}. Hint: use the version of glossa that wrote it",
        TrainingState::current_version, version);
  auto state = from_bytes<TrainingState>({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  if (const std::optional<std::string> words = text_in_checkpoint(reader, words_entry)) {
    const std::optional<std::int64_t> number = parse_whole(*words);
    check(number && *number > 0, path, "expected a number of words above 0; got '{}'", *words);
    state.text.usual_words = *number;
  }
  if (const std::optional<std::string> several = text_in_checkpoint(reader, several_entry)) {
    const std::optional<std::int64_t> number = parse_whole(*several);
    check(number && *number >= 0 && *number <= 100, path, "expected a percentage, 0 to 100; got '{}'", *several);
    state.text.several_percent = *number;
  }
  check_possible(state, path);
  return state;
}

void read_parameters(const CheckpointReader& reader, ParameterStore<float>& parameters) {
  check_parameters(reader, parameters);
  parameters.mark_changed();
  for (const Parameter<float>* parameter : parameters.parameters())
    reader.read(parameter->name, std::as_writable_bytes(parameter->value.span()));
}

std::string entry_in_use(const CheckpointReader& reader, const std::string& parameter) {
  const bool has_averages =
      std::ranges::any_of(reader.entries(), [](const auto& entry) { return entry.name.starts_with(average_name({})); });
  return has_averages ? average_name(parameter) : parameter;
}

namespace {

/// Reads a parameter's values and averages them over the checkpoints.
void read_mean(std::span<const CheckpointReader> readers, const std::string& parameter, std::span<float> values) {
  const auto read = [&](const CheckpointReader& reader) {
    reader.read(entry_in_use(reader, parameter), std::as_writable_bytes(values));
  };
  if (readers.size() == 1) return read(readers.front());
  std::vector<double> sums(values.size());
  for (const CheckpointReader& reader : readers) {
    read(reader);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    values[i] = static_cast<float>(sums[i] / static_cast<double>(readers.size()));
}

}  // namespace

void read_mean_parameters(std::span<const CheckpointReader> readers, ParameterStore<float>& parameters,
                          QuantizedMatrices* matrices) {
  for (const CheckpointReader& reader : readers) {
    check_parameters(reader, parameters);
    for (const Parameter<float>* parameter : parameters.parameters())
      check_entry(reader, entry_in_use(reader, parameter->name), parameter->value.shape);
  }
  parameters.mark_changed();
  if (matrices) matrices->make_room(parameters);
  for (Parameter<float>* parameter : parameters.parameters()) {
    if (!matrices || !parameter->is_matrix) {
      read_mean(readers, parameter->name, parameter->value.span());
      continue;
    }
    std::vector<float> values(static_cast<std::size_t>(parameter->value.size()));
    read_mean(readers, parameter->name, values);
    matrices->add(*parameter, values);
  }
}

void read_moments(const CheckpointReader* reader, const ParameterStore<float>& parameters, Optimizer<float>& optimizer,
                  const TrainingState& state, const std::function<void(std::span<std::byte>)>& share) {
  if (reader)
    for (const Parameter<float>* parameter : parameters.parameters())
      for (const StateBuffer<float>& buffer : optimizer.state())
        check_entry(*reader, moment_name(buffer.name, parameter->name), parameter->value.shape);
  std::vector<float> whole;
  for (const Parameter<float>* parameter : parameters.parameters())
    for (const StateBuffer<float>& buffer : optimizer.state()) {
      whole.resize(static_cast<std::size_t>(parameter->value.size()));
      const std::span<std::byte> bytes = std::as_writable_bytes(std::span(whole));
      if (reader) reader->read(moment_name(buffer.name, parameter->name), bytes);
      if (share) share(bytes);
      const Index begin = std::max(parameter->offset, optimizer.begin()),
                  end = std::min(parameter->offset + parameter->value.size(), optimizer.end());
      if (begin < end)
        std::copy(whole.begin() + (begin - parameter->offset), whole.begin() + (end - parameter->offset),
                  buffer.values.begin() + (begin - optimizer.begin()));
    }
  optimizer.set_steps(state.optimizer_steps);
}

void read_average(const CheckpointReader& reader, const ParameterStore<float>& parameters,
                  MovingAverage<float>& average) {
  for (const Parameter<float>* parameter : parameters.parameters())
    check_entry(reader, average_name(parameter->name), parameter->value.shape);
  for (const Parameter<float>* parameter : parameters.parameters())
    reader.read(average_name(parameter->name), std::as_writable_bytes(slice_of(average.average(), *parameter)));
}

namespace {

void hash_entries(Sha256& hash, const CheckpointReader& reader, EntryKind kind) {
  for (const CheckpointEntry& entry : reader.entries()) {
    if (entry.kind != kind) continue;
    hash.update(fmt::format("{}\n{}\n", entry.name, name_of(entry.dtype)));
    for (const std::uint64_t dim : entry.dims) hash.update(fmt::format("{} ", dim));
    hash.update(reader.read(entry.name));
  }
}

}  // namespace

std::string parameters_sha256(const CheckpointReader& reader) {
  Sha256 hash;
  hash_entries(hash, reader, EntryKind::parameter);
  return hash.hex_digest();
}

std::string state_sha256(const CheckpointReader& reader) {
  Sha256 hash;
  hash_entries(hash, reader, EntryKind::parameter);
  hash_entries(hash, reader, EntryKind::moment);
  hash_entries(hash, reader, EntryKind::buffer);
  TrainingState state = read_training_state(reader);
  state.config.clear();
  state.seconds = 0;
  state.log_loss = 0;
  state.log_tokens = 0;
  hash.update(to_bytes(state));
  return hash.hex_digest();
}

}  // namespace glossa
