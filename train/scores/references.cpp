#include "train/scores/references.h"

#include "base/check.h"

namespace glossa {

std::vector<std::string> references_of(References references, std::size_t line) {
  std::vector<std::string> of_line;
  for (const std::span<const std::string> reference : references) of_line.push_back(reference[line]);
  return of_line;
}

void check_references(std::string_view where, std::size_t hypotheses, References references) {
  check(!references.empty(), where, "expected at least one reference; got none");
  for (const std::span<const std::string> reference : references)
    check(reference.size() == hypotheses, where, "expected as many hypotheses as references; got {} and {}", hypotheses,
          reference.size());
}

}  // namespace glossa
