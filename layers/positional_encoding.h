#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autograd/ops.h"

namespace glossa {

/// Order and frequencies of the sines and cosines along the width D. If D is odd, `halves` rounds D/2 down and ends
/// with a column of zeros, as tensor2tensor and fairseq do. The other orders omit the last cosine.
enum class Sinusoid {
  /// sin, cos, sin, cos, ...: PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i + 1) = cos(p / 10000^(2i/D)) (Vaswani et al.
  /// 2017, section 3.5)
  interleaved,
  halves,     ///< all sines, then all cosines; frequencies 10000^(-i/(D/2 - 1)) (tensor2tensor, fairseq, Marian)
  raw_index,  ///< sin, cos, sin, cos, ...; column i (not the pair of columns 2i and 2i + 1) has frequency 10000^(-2i/D)
  sorted,     ///< the columns of `interleaved`, but all sines before all cosines (MarianMTModel of transformers)
};

/// The table of sinusoids [positions, width], row-major, starting with position 0. Throws if width < 1.
std::vector<double> sinusoidal_positions(Index positions, Index width, Sinusoid order);

/// Throws Error `[where] ...` if a sequence is longer than `available` positions.
void check_positions(const char* where, const RowLayout& layout, Index available);

/// A table [P, D] to add to embeddings: position p of each sequence gets row p. The table holds fixed sinusoids or is a
/// learned parameter SCOPE.weight (Gehring et al. 2017).
template <class T>
class PositionalEncoding {
 public:
  static PositionalEncoding sinusoidal(Index positions, Index width, Sinusoid order = Sinusoid::interleaved);
  static PositionalEncoding learned(ParameterStore<T>& store, const std::string& scope, Index positions, Index width);

  /// The table as a variable of the step.
  Variable<T> operator()(Context<T>& context) const;

  /// Adds the table's rows to x: [N, D] -> [N, D]. For inputs that are not tokens; tokens use Embedding.
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout) const;

 private:
  std::shared_ptr<const std::vector<T>> table_;
  Shape shape_;
  Parameter<T>* weight_ = nullptr;
};

}  // namespace glossa
