#pragma once

#include <string_view>

namespace glossa {

/// True if a period after `word` rather belongs to an abbreviation than ends a sentence: titles such as `Mr`, dotted
/// words such as `p.m` and `z.B`, single letters, and short numbers, which may be ordinals. `before_number` is true if
/// a number follows, as in `No. 5`. The words are those of several European languages and of Hindi, in any letter case.
bool may_be_abbreviation(std::string_view word, bool before_number);

}  // namespace glossa
