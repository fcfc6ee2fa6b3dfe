#pragma once

#include <span>
#include <string_view>

namespace glossa {

/// Names that other programs use for one option or section, and glossa's name for it. The programs are PyTorch,
/// transformers, Marian, fairseq, JoeyNMT and OpenNMT. A name with a section, such as decode.length_penalty, matches
/// only in that section. It may equal a glossa key whose values differ. A name without a section is never the name of a
/// glossa option.
struct ForeignNames {
  std::string_view names;    ///< names in lower case with underscores, separated by spaces
  std::string_view meaning;  ///< a key or a section; a sentence if the values differ or glossa has no equivalent

  bool is_sentence() const { return meaning.find(' ') != meaning.npos; }
};

/// True if `names`, a list separated by spaces, contains `name`.
bool has_name(std::string_view names, std::string_view name);

/// Returns all rows for configuration keys.
std::span<const ForeignNames> foreign_names();

/// Returns the row for `name`, or null if it is not a known name from another program. `name` may have a section and
/// hyphens. A row with the full name, including the section, takes precedence.
const ForeignNames* find_foreign(std::string_view name);

/// Returns the options of glossa's commands that correspond to another program's option. They have no dashes and are
/// separated by spaces. Empty if glossa has no equivalent.
std::string_view foreign_options(std::string_view name);

}  // namespace glossa
