#pragma once

#include <bit>
#include <span>
#include <vector>

namespace glossa::testing {

/// Sums terms in a tree. In a node with n terms, the left subtree has the first p, where p is the largest power of two
/// below n.
inline std::vector<float> sum_in_tree(std::span<const std::vector<float>> terms) {
  if (terms.size() == 1) return terms[0];
  const std::size_t first = std::bit_floor(terms.size() - 1);
  std::vector<float> left = sum_in_tree(terms.first(first));
  const std::vector<float> right = sum_in_tree(terms.subspan(first));
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
  return left;
}

}  // namespace glossa::testing
