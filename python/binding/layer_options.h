#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "decoding/decoding.h"
#include "layers/stack_options.h"
#include "layers/transformer.h"
#include "python/binding/arguments.h"

namespace glossa::python {

namespace nb = nanobind;

template <class T>
concept Enum = std::is_enum_v<T>;

/// The kind of positions that an embedding adds.
enum class Positions { none, sinusoidal, learned };

/// The keyword options of a layer, named as in the structs of layers/. Omitted options keep their C++ defaults.
class LayerOptions {
 public:
  LayerOptions(std::string layer, NamedOptions given) : layer_(std::move(layer)), given_(std::move(given)) {}

  /// Replaces `value` with the option, if given. Throws an Error that names the option if its type or range is wrong.
  template <class T>
  LayerOptions& read(const char* name, T& value) {
    known_.push_back(name);
    if (given_.contains(name)) convert((layer_ + "." + name).c_str(), given_[name], value);
    return *this;
  }

  /// Throws an Error for options that have not been read.
  void check_names() const;

 private:
  static void convert(const char* where, nb::handle given, Index& value);
  static void convert(const char* where, nb::handle given, bool& value);
  static void convert(const char* where, nb::handle given, double& value);
  static void convert(const char* where, nb::handle given, Initializer& value);
  template <Enum E>
  static void convert(const char* where, nb::handle given, E& value);

  template <class T>
  static void convert(const char* where, nb::handle given, std::optional<T>& value) {
    if (given.is_none())
      value.reset();
    else
      convert(where, given, value.emplace());
  }

  std::string layer_;
  NamedOptions given_;
  std::vector<std::string> known_;
};

// Each function reads all options of one struct.

LinearOptions to_linear_options(const NamedOptions& given);
NormOptions to_norm_options(const char* layer, const NamedOptions& given);
AttentionLayerOptions to_attention_options(const char* layer, const NamedOptions& given);
FeedForwardOptions to_feed_forward_options(const NamedOptions& given);
StackOptions to_stack_options(const char* layer, const NamedOptions& given);
TransformerOptions to_transformer_options(const NamedOptions& given);
DecodeOptions to_decode_options(const NamedOptions& given);

/// Returns the precision of products that a string names. Throws a misuse error at `where` for anything else.
glossa::Precision to_product_precision(const char* where, nb::handle given);

}  // namespace glossa::python
