#include "exchange/parameter_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "train/checkpoint/checkpoint.h"

namespace glossa {

namespace {

using Dims = std::vector<std::uint64_t>;

/// Formats names as "KIND: a, b and 3 more"; lists at most 12.
std::string listed(std::string_view kind, std::vector<std::string> names) {
  constexpr std::size_t max_names = 12;
  const std::size_t more = names.size() - std::min(max_names, names.size());
  names.resize(names.size() - more);
  return fmt::format("{}: {}{}", kind, fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Returns the number of a parameter's rows in each of its parts.
std::size_t part_rows(const ParameterSource& source) {
  return (source.shape.at(0) - source.zero_rows) / source.parts.size();
}

/// Returns the shape of each of a source's parts in the file.
Dims part_shape(const ParameterSource& source) {
  Dims shape = source.shape;
  shape.at(0) = part_rows(source);
  if (source.transposed) std::ranges::reverse(shape);
  return shape;
}

bool fits(const ParameterSource& source, const TensorEntry& entry) {
  Dims shape = part_shape(source);
  if (entry.dtype.find('F') == std::string::npos) return false;
  if (entry.shape == shape) return true;
  shape.insert(shape.begin(), 1);
  return source.as_row && entry.shape == shape;
}

/// Reads a part under any of its names; throws if copies differ.
std::vector<float> read_part(const TensorFile& file, const std::vector<std::string>& names) {
  std::vector<float> values;
  std::string first;
  for (const std::string& name : names) {
    if (!file.entries().contains(name) || (!first.empty() && file.same_bytes(first, name))) continue;
    std::vector<float> own = file.read<float>(name);
    const auto bad = std::ranges::find_if_not(own, [](float x) { return std::isfinite(x); });
    if (bad != own.end())
      fail(file.path().string(), "expected finite numbers in '{}'; got {} as number {}", name, *bad, bad - own.begin());
    check(first.empty() || own == values, file.path().string(),
          "expected '{}' and '{}' to be equal, as the model ties them; got different numbers", first, name);
    if (first.empty()) {
      first = name;
      values = std::move(own);
    }
  }
  return values;
}

/// Appends a part's rows to the parameter. If transposed, the `rows` rows are columns in the file.
void append_rows(std::vector<float>& values, const std::vector<float>& part, std::size_t rows, bool transposed) {
  if (!transposed) {
    values.insert(values.end(), part.begin(), part.end());
    return;
  }
  const std::size_t begin = values.size(), columns = part.size() / rows;
  values.resize(begin + part.size());
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t r = 0; r < rows; ++r) values[begin + r * columns + c] = part[c * rows + r];
}

std::vector<float> read_parameter(const TensorFile& file, const ParameterSource& source) {
  std::size_t count = 1;
  for (const std::uint64_t dim : source.shape) count *= dim;
  std::vector<float> values;
  values.reserve(count);
  const std::size_t rows = part_rows(source);
  for (const auto& names : source.parts) append_rows(values, read_part(file, names), rows, source.transposed);
  values.resize(count);
  return values;
}

}  // namespace

void check_sources(const TensorFile& file, const std::vector<ParameterSource>& sources,
                   const std::set<std::string>& others, Error::Kind kind, std::string_view hint) {
  std::vector<std::string> missing, unexpected, misshapen;
  std::set<std::string> known = others;
  std::uint64_t bytes = 0;
  for (const ParameterSource& source : sources)
    for (const auto& names : source.parts) {
      const TensorEntry* found = nullptr;
      for (const std::string& name : names) {
        const auto entry = file.entries().find(name);
        if (entry == file.entries().end()) continue;
        found = &entry->second;
        known.insert(name);
        if (!fits(source, *found))
          misshapen.push_back(fmt::format("{} {} {} (the model's: {})", name, found->dtype, shape_text(found->shape),
                                          shape_text(part_shape(source))));
      }
      if (found == nullptr)
        missing.push_back(fmt::format("{}", fmt::join(names, " or ")));
      else
        bytes += found->count() * dtype_size(found->dtype);
    }
  for (const auto& [name, entry] : file.entries())
    if (!known.contains(name)) unexpected.push_back(name);
  std::vector<std::string> differences;
  for (const auto& [what, names] :
       {std::pair("missing", missing), {"not in the model", unexpected}, {"of another shape or type", misshapen}})
    if (!names.empty()) differences.push_back(listed(what, names));
  if (!differences.empty())
    throw Error(kind, file.path().string(),
                "expected the parameters of the configured model; got others ({}). Hint: {}",
                fmt::join(differences, "; "), hint);
  const std::uint64_t file_size = std::filesystem::file_size(file.path()), max_bytes = 2 * file_size + (8 << 20);
  check(bytes <= max_bytes, file.path().string(),
        "expected parameters that do not overlap; got {} bytes of them in a file of {}", bytes, file_size);
}

void read_parameters(const TensorFile& file, const std::vector<ParameterSource>& sources,
                     ParameterStore<float>& parameters) {
  std::map<std::string, const ParameterSource*> by_name;
  for (const ParameterSource& source : sources) by_name[source.parameter] = &source;
  std::vector<std::vector<float>> values;
  for (const Parameter<float>* parameter : parameters.parameters()) {
    const auto found = by_name.find(parameter->name);
    check(found != by_name.end() && found->second->shape == dims_of(parameter->value.shape), parameter->name,
          "expected a source of its shape {}; got none", parameter->value.shape.str());
    values.push_back(read_parameter(file, *found->second));
  }
  for (std::size_t i = 0; i < values.size(); ++i) std::ranges::copy(values[i], parameters.parameters()[i]->value.data);
  parameters.mark_changed();
}

std::vector<FileTensor> file_tensors(const ParameterSource& source, std::span<const float> values) {
  std::size_t columns = 1;
  for (const std::uint64_t dim : std::span(source.shape).subspan(1)) columns *= dim;
  const std::size_t rows = part_rows(source);
  std::vector<FileTensor> tensors;
  for (const auto& names : source.parts) {
    FileTensor& tensor = tensors.emplace_back();
    tensor.name = names.front();
    tensor.shape = part_shape(source);
    if (source.as_row) tensor.shape.insert(tensor.shape.begin(), 1);
    const std::span<const float> own = values.first(rows * columns);
    tensor.values.assign(own.begin(), own.end());
    if (source.transposed)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) tensor.values[c * rows + r] = own[r * columns + c];
    values = values.subspan(rows * columns);
  }
  return tensors;
}

}  // namespace glossa
