#include "train/scores/references.h"

#include <set>

#include "autograd/check.h"

namespace glossa {

std::vector<std::string> references_of(References references, std::size_t line) {
  std::vector<std::string> present;
  for (const std::span<const std::string> reference : references)
    if (reference[line].find_first_not_of(' ') != std::string::npos) present.push_back(reference[line]);
  if (present.empty()) present.push_back(references.front()[line]);
  return present;
}

std::string reference_count(References references) {
  std::set<std::size_t> counts;
  for (std::size_t i = 0; i < references.front().size(); ++i) counts.insert(references_of(references, i).size());
  return counts.size() > 1 ? "var" : std::to_string(counts.empty() ? references.size() : *counts.begin());
}

void check_references(std::string_view where, std::size_t hypotheses, References references) {
  check(!references.empty(), where, "expected at least one reference; got none");
  for (const std::span<const std::string> reference : references)
    check(reference.size() == hypotheses, where, "expected as many hypotheses as references; got {} and {}", hypotheses,
          reference.size());
}

}  // namespace glossa
