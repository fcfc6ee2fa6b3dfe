#pragma once

#include <span>
#include <string_view>

namespace glossa {

/// Names of other programs for one thing, and its name here. The programs are PyTorch, transformers, Marian, fairseq,
/// JoeyNMT and OpenNMT. A name with a section only counts in this section; it may be a key of glossa whose values are
/// others. Names without a section are not names of glossa's own options, which may mean something else there.
struct ForeignNames {
  std::string_view names;    ///< separated by spaces, in lower case, with underscores
  std::string_view meaning;  ///< a key, a section, or a sentence if values differ or glossa has no such option

  bool is_sentence() const { return meaning.find(' ') != meaning.npos; }
};

/// True if a list of names separated by spaces has `name`.
bool has_name(std::string_view names, std::string_view name);

/// The whole table of keys.
std::span<const ForeignNames> foreign_names();

/// Returns the row for `name`, which may have a section and hyphens; null if no other program is known to use the name.
/// A row for the name with its section has precedence.
const ForeignNames* find_foreign(std::string_view name);

/// Returns the options of glossa's commands for an option of another program, without dashes and separated by spaces;
/// empty if it has none.
std::string_view foreign_options(std::string_view name);

}  // namespace glossa
