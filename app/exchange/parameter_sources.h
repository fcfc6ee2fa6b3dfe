#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "autograd/parameter.h"
#include "train/tensor_files/tensor_file.h"

namespace glossa {

/// Where the numbers of a parameter lie in a file.
struct ParameterSource {
  std::string parameter;
  std::vector<std::uint64_t> shape;             ///< of the parameter
  std::vector<std::vector<std::string>> parts;  ///< their rows follow each other; each has one of its names, or several
                                                ///< that are equal
  bool transposed = false;                      ///< the file has columns for rows
  bool as_row = false;                          ///< a vector [n] may be [1, n] in the file
  std::uint64_t zero_rows = 0;                  ///< that the parameter has at its end and the file has not
};

/// Throws an Error that lists what is missing, what is in the file beside the sources and `others`, and what has
/// another shape or is no float; and if parameters would take more than the file can hold, because they lie over each
/// other in it. `hint` ends the error.
void check_sources(const TensorFile& file, const std::vector<ParameterSource>& sources,
                   const std::set<std::string>& others, std::string_view hint);

/// Reads all parameters of a store, each of which must have its source, after check_sources. Numbers of other types are
/// rounded to float. Throws for a number that is not finite and for copies that differ; nothing is changed then.
void read_parameters(const TensorFile& file, const std::vector<ParameterSource>& sources,
                     ParameterStore<float>& parameters);

/// A tensor as it goes into a file.
struct FileTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> values;
};

/// The tensors that the source reads, of the numbers of its parameter: the inverse of reading them. A part that may
/// have several names has the first.
std::vector<FileTensor> file_tensors(const ParameterSource& source, std::span<const float> values);

}  // namespace glossa
