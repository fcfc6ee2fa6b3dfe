#pragma once

#include <string_view>

namespace glossa {

/// True if a period between `sentence` and `rest` may belong to the last word of `sentence` instead of ending the
/// sentence. Such last words are:
/// - dotted words such as `p.m` and `z.B`,
/// - words without a vowel such as `Hr` and `str`, except units after a number,
/// - single letters (initials, or parts of an abbreviation such as `z. B.`), except lower-case vowels, which are words,
/// - doubled capitals, as in `EE. UU.`,
/// - listed words of European languages and of Hindi; some only before a number, as in `No. 5`,
/// - a number that begins the sentence, as in `2.1. Methods`,
/// - a number that may be an ordinal or a date, as in `3. Oktober`, unless `language` has no such form.
/// `language` is a code or an English name; any other text means an unknown language.
bool may_be_abbreviation(std::string_view sentence, std::string_view rest, std::string_view language);

}  // namespace glossa
