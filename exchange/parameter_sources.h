#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "autograd/parameter.h"
#include "base/check.h"
#include "base/tensor_file.h"

namespace glossa {

/// Location of a parameter's numbers in a file.
struct ParameterSource {
  std::string parameter;
  std::vector<std::uint64_t> shape;  ///< shape of the parameter
  /// The file's tensors whose stacked rows form the parameter. Each element of `parts` lists the possible names of one
  /// such tensor. The file may have equal copies of the tensor under several of these names.
  std::vector<std::vector<std::string>> parts;
  bool transposed = false;      ///< true: the file has the transpose of each part
  bool as_row = false;          ///< true: the file may have a vector [n] as [1, n]
  std::uint64_t zero_rows = 0;  ///< number of zero rows at the parameter's end, which the file does not have
};

/// Throws an Error of this kind unless the file has all tensors of `sources`. It may have no others, except those named
/// in `others`. Each tensor needs the right shape and a float type. The error lists all differences and ends with
/// `hint`. The kind is misuse if options describe the model, and failure if a file does. Also throws a failure if the
/// parameters are much larger than the file, because the file's tensors must then overlap.
void check_sources(const TensorFile& file, const std::vector<ParameterSource>& sources,
                   const std::set<std::string>& others, Error::Kind kind, std::string_view hint);

/// Reads all parameters of a store; each parameter needs a source. Call check_sources first. Rounds other number types
/// to float. Throws for a non-finite number and for copies that differ; `parameters` is then unchanged.
void read_parameters(const TensorFile& file, const std::vector<ParameterSource>& sources,
                     ParameterStore<float>& parameters);

/// A tensor to write to a file.
struct FileTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> values;
};

/// Makes a source's tensors from the parameter's `values`; the inverse of read_parameters. Each tensor gets the first
/// of its possible names.
std::vector<FileTensor> file_tensors(const ParameterSource& source, std::span<const float> values);

}  // namespace glossa
