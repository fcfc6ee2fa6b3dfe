#include "train/checkpoint/int8_file.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/tensor_file.h"

namespace glossa {

namespace {

using Dims = std::vector<std::uint64_t>;

struct EntryNames {
  std::string codes, scales;
};

/// Names the entries of a piece of a matrix.
EntryNames entries_of(const Parameter<float>& matrix, std::size_t piece) {
  const std::string name = matrix.parts.empty() ? matrix.name : fmt::format("{}#{}", matrix.name, piece);
  return {"int8:" + name, "scale:" + name};
}

Dims dims_of_codes(const Parameter<float>& piece) {
  const Index outputs = piece.value.rows(), quads = kernels::int8::quads(piece.value.cols());
  Dims dims;
  for (const Index extent : {kernels::panels(outputs), quads, kernels::panel_columns, Index{4}})
    dims.push_back(static_cast<std::uint64_t>(extent));
  return dims;
}

Dims dims_of_scales(const Parameter<float>& piece) { return {static_cast<std::uint64_t>(piece.value.rows())}; }

/// Returns the bytes of an entry in the mapped file. Throws unless it has this type and these dimensions.
const std::byte* bytes_of(const CheckpointReader& reader, const MappedFile& mapped, const std::string& name,
                          Dtype dtype, const Dims& dims) {
  const CheckpointEntry* const entry = reader.find(name);
  check(entry && entry->dtype == dtype && entry->dims == dims, reader.path().string(),
        "expected {} to be {} {}; got {}. Hint: the model or its vocabulary differs from the file's", name,
        name_of(dtype), shape_text(dims),
        entry ? fmt::format("{} {}", name_of(entry->dtype), shape_text(entry->dims)) : "no such entry");
  return mapped.bytes().data() + entry->offset;
}

}  // namespace

std::filesystem::path int8_file(const std::filesystem::path& run) { return run / "int8.weights"; }

bool is_in_int8(const std::filesystem::path& run) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(int8_file(run), ignored);
}

void check_is_in_float(const std::filesystem::path& run) {
  if (!is_in_int8(run)) return;
  misuse(run.string(),
         "expected a run with checkpoints; got one that glossa quantize made, which has weights in int8 only. Hint: {}",
         hint_at_origin(run));
}

std::string hint_at_origin(const std::filesystem::path& run) {
  const std::string origin = origin_of_int8(run);
  return fmt::format("name the run that it was made from{}{}", origin.empty() ? "" : ": ", origin);
}

std::string origin_of_int8(const std::filesystem::path& run) {
  try {
    return text_in_checkpoint(CheckpointReader(int8_file(run)), "made_from").value_or("");
  } catch (const Error&) {  // a damaged file has no origin
    return "";
  }
}

void add_int8_model(CheckpointWriter& writer, const ParameterStore<float>& parameters, const std::string& origin) {
  writer.add_owned("made_from", EntryKind::state, origin);
  writer.add_owned("parameters", EntryKind::state, fmt::format("{}", parameters.count()));
  for (Parameter<float>* parameter : parameters.parameters()) {
    if (!parameter->is_matrix) {
      writer.add(parameter->name, EntryKind::parameter, Dtype::f32, dims_of(parameter->value.shape),
                 std::as_bytes(parameter->value.span()));
      continue;
    }
    const std::vector<Parameter<float>*> pieces = pieces_of(*parameter);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Parameter<float>& piece = *pieces[i];
      const kernels::int8::Weight& weight = *piece.in_int8;
      const EntryNames names = entries_of(*parameter, i);
      const auto units = static_cast<std::size_t>(kernels::int8::panel_units(weight.outputs, weight.inputs));
      writer.add(names.codes, EntryKind::parameter, Dtype::i8, dims_of_codes(piece),
                 std::as_bytes(std::span(weight.panels, units)));
      writer.add(names.scales, EntryKind::parameter, Dtype::f32, dims_of_scales(piece),
                 std::as_bytes(std::span(weight.scales, static_cast<std::size_t>(weight.outputs))));
    }
  }
}

void map_int8_model(const CheckpointReader& reader, ParameterStore<float>& parameters, QuantizedMatrices& matrices) {
  const std::shared_ptr<const MappedFile> mapped = reader.map();
  matrices.keep(mapped);
  for (Parameter<float>* parameter : parameters.parameters()) {
    if (!parameter->is_matrix) {
      bytes_of(reader, *mapped, parameter->name, Dtype::f32, dims_of(parameter->value.shape));
      reader.read(parameter->name, std::as_writable_bytes(parameter->value.span()));
      continue;
    }
    const std::vector<Parameter<float>*> pieces = pieces_of(*parameter);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      Parameter<float>& piece = *pieces[i];
      const EntryNames names = entries_of(*parameter, i);
      const std::byte* const codes = bytes_of(reader, *mapped, names.codes, Dtype::i8, dims_of_codes(piece));
      const std::byte* const scales = bytes_of(reader, *mapped, names.scales, Dtype::f32, dims_of_scales(piece));
      matrices.take(piece, reinterpret_cast<const std::uint32_t*>(codes), reinterpret_cast<const float*>(scales),
                    reader.path().string());
    }
  }
}

}  // namespace glossa
