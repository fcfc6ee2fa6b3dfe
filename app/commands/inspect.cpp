#include <cmath>
#include <cstdio>
#include <cstring>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "base/console/print.h"
#include "base/counted.h"
#include "base/json_line.h"
#include "base/tensor_file.h"
#include "config/options.h"
#include "train/checkpoint/checkpoint.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

struct InspectArguments {
  std::string run, checkpoint;
  bool json = false;
};

/// Returns the root mean square of a tensor of floats or codes, as an indication of its scale.
double root_mean_square(Dtype dtype, const std::vector<std::byte>& bytes) {
  double sum = 0;
  if (dtype == Dtype::i8) {
    for (const std::byte byte : bytes) sum += std::pow(static_cast<std::int8_t>(byte), 2);
    return std::sqrt(sum / static_cast<double>(bytes.size()));
  }
  const std::size_t count = bytes.size() / sizeof(float);
  for (std::size_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    sum += double{value} * double{value};
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

int run(const InspectArguments& arguments) {
  const RunName name(arguments.run, arguments.checkpoint);
  if (const std::string note = name.note(); !note.empty()) print_note("note: {}\n", note);
  const CheckpointReader reader(name.file());
  const TrainingState state = read_training_state(reader);
  const std::string host = text_in_checkpoint(reader, host_entry).value_or("");
  const std::string_view kind = bf16_kind_of(host);
  const std::string build = fmt::format("{}{}{}", describe_build(state.build), kind.empty() ? "" : ", bf16 by ", kind);
  const std::string version = text_in_checkpoint(reader, version_entry).value_or("");
  std::uint64_t parameters = 0;
  for (const CheckpointEntry& entry : reader.entries())
    if (entry.kind == EntryKind::parameter) parameters += entry.length / size_of(entry.dtype);
  const std::optional<std::string> count = text_in_checkpoint(reader, "parameters");  // panels have filler
  if (count) parameters = static_cast<std::uint64_t>(parse_whole(*count).value_or(0));
  const std::string origin = text_in_checkpoint(reader, "made_from").value_or("");

  // The displayed epoch is counted from 1, as in the log.
  if (arguments.json) {
    std::vector<JsonLine> tensors;
    for (const CheckpointEntry& entry : reader.entries()) {
      if (entry.kind == EntryKind::state) continue;
      JsonLine& tensor = tensors.emplace_back();
      tensor.add("name", entry.name).add("kind", name_of(entry.kind)).add("dtype", name_of(entry.dtype));
      tensor.add("shape", entry.dims);
    }
    JsonLine json;
    json.add("checkpoint", reader.path().string()).add("update", state.update).add("epoch", state.epoch + 1);
    json.add("batch", state.batch).add("target_tokens", state.target_tokens).add("parameters", parameters);
    json.add("version", version).add("build", build);
    if (!origin.empty()) json.add("made_from", origin);
    json.add("sha256", parameters_sha256(reader)).add("state_sha256", state_sha256(reader));
    json.add("tensors", tensors);
    std::puts(json.text().c_str());
    return 0;
  }
  fmt::print("{:<10} {:<5} {:>10}  {:<16} {}\n", "kind", "type", "rms", "shape", "name");
  for (const CheckpointEntry& entry : reader.entries()) {
    if (entry.kind == EntryKind::state) continue;
    fmt::print("{:<10} {:<5} {:>10.4g}  {:<16} {}\n", name_of(entry.kind), name_of(entry.dtype),
               root_mean_square(entry.dtype, reader.read(entry.name)), shape_text(entry.dims), entry.name);
  }
  fmt::print("\n{}: update {}, epoch {} (counted from 1), {} of it done, {}\n", reader.path().string(), state.update,
             state.epoch + 1, counted(state.batch, "batch"), counted(state.target_tokens, "target token"));
  if (!origin.empty()) fmt::print("made from {}\n", origin);
  fmt::print("written by glossa{}, built by {}\n{} parameters\nsha256       {}\nstate_sha256 {}\n",
             version.empty() ? "" : " " + version, build, parameters, parameters_sha256(reader), state_sha256(reader));
  return 0;
}

}  // namespace

void add_inspect(CommandTable& table) {
  const auto [command, arguments] = table.add<InspectArguments>(
      {.name = "inspect", .help = "Show the contents of a checkpoint", .group = "Look"}, run);
  add_checkpoint(command, arguments.run, arguments.checkpoint, "best, last or an update (default: best)");
  command.add_flag("--json", arguments.json, "one JSON object");
}

}  // namespace glossa::commands
