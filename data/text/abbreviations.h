#pragma once

#include <string_view>

namespace glossa {

/// True if a period between `sentence` and `rest` may belong to the last word of `sentence`, instead of ending it:
/// - dotted words such as `p.m` and `z.B`, and words without a vowel such as `Hr` and `str`, except units after a
/// number,
/// - single letters: initials, or parts of an abbreviation such as `z. B.`, but not lower-case vowels, which are words,
/// - doubled capitals, as in `EE. UU.`,
/// - listed words of European languages and of Hindi; some only before a number, as in `No. 5`,
/// - a number that begins the sentence, as in `2.1. Methods`,
/// - a number that may be an ordinal or a date, as in `3. Oktober`, unless `language` writes none like that.
/// `language` is a code or English name; any other text stands for an unknown language.
bool may_be_abbreviation(std::string_view sentence, std::string_view rest, std::string_view language);

}  // namespace glossa
