#pragma once

#include "autograd/cases/layouts.h"

namespace glossa {

/// Row layouts of a source batch and a target batch.
struct CaseLayouts {
  const char* name;
  RowLayout source, target;
};

/// Two sequences, packed or padded. The first has 4 source rows and 2 target rows, the second has 1 source row and 3
/// target rows. The padded source box is two columns wider than its longest sequence; the padded target box is one
/// column wider. The sequences have indices 9 and 4 in their corpus.
inline const CaseLayouts& packed_layouts() {
  static constexpr std::uint32_t ids[] = {9, 4};
  static constexpr RowSpan source[] = {{0, 4}, {4, 1}}, target[] = {{0, 2}, {2, 3}};
  static const CaseLayouts layouts{"packed", {5, source, ids}, {5, target, ids}};
  return layouts;
}
inline const CaseLayouts& padded_layouts() {
  static constexpr std::uint32_t ids[] = {9, 4};
  static constexpr RowSpan source[] = {{0, 4}, {6, 1}}, target[] = {{0, 2}, {4, 3}};
  static const CaseLayouts layouts{"padded", {12, source, ids}, {8, target, ids}};
  return layouts;
}
inline const CaseLayouts* const case_layouts[] = {&packed_layouts(), &padded_layouts()};

}  // namespace glossa
