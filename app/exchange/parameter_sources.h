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
  std::vector<std::vector<std::string>> parts;  ///< stacked row by row; each has one of its names, or several
                                                ///< that are equal
  bool transposed = false;                      ///< it is transposed in the file
  bool as_row = false;                          ///< a vector [n] may be [1, n] in the file
  std::uint64_t zero_rows = 0;                  ///< at the parameter's end, absent from the file
};

/// Throws an Error listing missing tensors, those beyond the sources and `others`, and those with another shape or not
/// of floats. Also throws if the parameters would exceed the file's size because they overlap in it. `hint` ends the
/// error.
void check_sources(const TensorFile& file, const std::vector<ParameterSource>& sources,
                   const std::set<std::string>& others, std::string_view hint);

/// Reads all parameters of a store, each of which needs a source; call check_sources first. Other number types are
/// rounded to float. Throws for a non-finite number and for copies that differ; nothing is changed then.
void read_parameters(const TensorFile& file, const std::vector<ParameterSource>& sources,
                     ParameterStore<float>& parameters);

/// A tensor to write to a file.
struct FileTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> values;
};

/// The tensors that the source reads, from its parameter's numbers: the inverse of reading. A part with several names
/// gets the first.
std::vector<FileTensor> file_tensors(const ParameterSource& source, std::span<const float> values);

}  // namespace glossa
