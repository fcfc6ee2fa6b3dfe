#pragma once

#include <string_view>
#include <vector>

namespace glossa {

/// Splits a line into sentences, without the white space between them. A sentence ends at an end mark, with any closing
/// quotes and brackets, if white space follows. Dandas and the wide end marks of Chinese and Japanese need no white
/// space. A sentence does not end
/// - before a lower-case letter,
/// - at a period after an abbreviation, an initial or an ordinal (see may_be_abbreviation),
/// - at an ellipsis after white space, which marks an omission,
/// - at a wide end mark within quotes if the text continues directly after them,
/// - in other doubtful cases.
/// `language` is the line's language, such as `de`. If it is unknown, more cases are doubtful, such as `He is 25. Tom`,
/// which is split if the language is `en`.
std::vector<std::string_view> split_sentences(std::string_view line, std::string_view language = {});

/// Splits text without capital letters. As split_sentences, but a sentence may begin with a lower-case letter, except
/// after closing quotes and ellipses.
std::vector<std::string_view> split_lowercased(std::string_view line, std::string_view language = {});

/// Splits a line wherever a sentence may end, even in doubtful cases.
std::vector<std::string_view> split_at_end_marks(std::string_view line);

}  // namespace glossa
