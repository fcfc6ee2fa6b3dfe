#include "train/scores/references.h"

#include "base/check.h"

namespace glossa {

void check_references(std::string_view where, std::size_t hypotheses, const References& references) {
  check(!references.empty(), where, "expected at least one reference; got none");
  for (const std::span<const std::string> reference : references)
    check(reference.size() == hypotheses, where, "expected as many hypotheses as references; got {} and {}", hypotheses,
          reference.size());
}

}  // namespace glossa
