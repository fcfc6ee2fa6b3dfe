#include "data/pair_store.h"

#include "data/text/fingerprint.h"

namespace glossa {

void PairStore::use_specials(const SpecialIds& source, const SpecialIds& target) {
  specials = target;
  if (source.pad != target.pad) source_pad = source.pad;
}

std::uint64_t PairStore::fingerprint() const {
  Fingerprint hash;
  for (const auto side : {&IdPair::source, &IdPair::target})
    for (int i = 0; i < size(); ++i) {
      const std::span<const int> ids = pair(i).*side;
      hash.add(ids.size());
      for (const int id : ids) hash.add(static_cast<std::uint64_t>(id));
    }
  return hash.value();
}

}  // namespace glossa
