#pragma once

#include <span>
#include <string_view>

namespace glossa {

/// Names that other programs use for one thing, and glossa's name for it. The programs are PyTorch, transformers,
/// Marian, fairseq, JoeyNMT and OpenNMT. A name with a section matches only in that section; it may be a key of glossa
/// whose values differ. A name without a section is never the name of an option of glossa.
struct ForeignNames {
  std::string_view names;    ///< separated by spaces, in lower case, with underscores
  std::string_view meaning;  ///< a key, a section, or a sentence if values differ or glossa has no such option

  bool is_sentence() const { return meaning.find(' ') != meaning.npos; }
};

/// True if `names`, a list separated by spaces, contains `name`.
bool has_name(std::string_view names, std::string_view name);

/// The whole table of keys.
std::span<const ForeignNames> foreign_names();

/// Returns the row for `name`, or null if no other program is known to use it. `name` may have a section and hyphens. A
/// row with the full name, including the section, takes precedence.
const ForeignNames* find_foreign(std::string_view name);

/// Returns the options of glossa's commands that correspond to an option of another program. They have no dashes and
/// are separated by spaces. Empty if glossa has no such option.
std::string_view foreign_options(std::string_view name);

}  // namespace glossa
