#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "autograd/parameter.h"
#include "train/tensor_files/tensor_file.h"

namespace glossa {

/// Location of a parameter's numbers in a file.
struct ParameterSource {
  std::string parameter;
  std::vector<std::uint64_t> shape;             ///< of the parameter
  std::vector<std::vector<std::string>> parts;  ///< stacked by rows; each part lists its possible names, of
                                                ///< which the file may have several, with equal values
  bool transposed = false;                      ///< the file has the transpose
  bool as_row = false;                          ///< the file may have a vector [n] as [1, n]
  std::uint64_t zero_rows = 0;                  ///< at the parameter's end; the file does not have them
};

/// Throws misuse listing missing tensors, tensors that are neither sources nor in `others`, and tensors of another
/// shape or not of floats; `hint` ends the message. Also throws an Error if the parameters exceed the file's size
/// because tensors in it overlap.
void check_sources(const TensorFile& file, const std::vector<ParameterSource>& sources,
                   const std::set<std::string>& others, std::string_view hint);

/// Reads all parameters of a store, each of which needs a source; call check_sources first. Rounds other number types
/// to float. Throws for a non-finite number and for copies that differ; `parameters` is then unchanged.
void read_parameters(const TensorFile& file, const std::vector<ParameterSource>& sources,
                     ParameterStore<float>& parameters);

/// A tensor to write to a file.
struct FileTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> values;
};

/// Makes a source's tensors from its parameter's `values`: the inverse of reading. A part gets the first of its names.
std::vector<FileTensor> file_tensors(const ParameterSource& source, std::span<const float> values);

}  // namespace glossa
