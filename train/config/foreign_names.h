#pragma once

#include <span>
#include <string_view>

namespace glossa {

/// Names of other programs for one thing, and its name here. The programs are PyTorch, transformers, Marian, fairseq,
/// JoeyNMT and OpenNMT. No name is a name of glossa's own options, which may mean something else there.
struct ForeignNames {
  std::string_view names;    ///< separated by spaces, in lower case, with underscores
  std::string_view meaning;  ///< a key, a section, or a sentence if values differ or glossa has no such option

  bool is_sentence() const { return meaning.find(' ') != meaning.npos; }
};

/// The whole table.
std::span<const ForeignNames> foreign_names();

/// Returns the row for `name`, which may have a section and hyphens; null if no other program is known to use the name.
const ForeignNames* find_foreign(std::string_view name);

}  // namespace glossa
