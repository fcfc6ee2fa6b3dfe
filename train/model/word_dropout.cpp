#include "train/model/word_dropout.h"

#include <cmath>

#include "base/random.h"

namespace glossa {

void drop_words(Batch& batch, double p, const SpecialIds& of_source, std::size_t before_text,
                const SpecialIds& of_target, std::uint64_t seed, std::uint64_t update) {
  if (p == 0) return;
  const PhiloxKey key = philox_key(seed, hash_name("train.word_dropout") + update);
  const double below = std::ldexp(p, 32);
  const auto drop = [&](std::vector<int>& ids, const RowLayout& layout, const SpecialIds& specials, std::size_t before,
                        std::uint32_t side) {
    for (std::size_t k = 0; k < layout.sequences.size(); ++k)
      for (auto t = static_cast<Index>(before); t < layout.sequences[k].length; ++t) {
        int& id = ids[static_cast<std::size_t>(layout.sequences[k].offset + t)];
        const PhiloxCounter bits = philox({static_cast<std::uint32_t>(t), layout.sequence_ids[k], side, 0}, key);
        if (bits[0] < below && !specials.contains(id)) id = specials.unk;
      }
  };
  drop(batch.source, batch.source_layout(), of_source, before_text, 0);
  drop(batch.target_in, batch.target_layout(), of_target, 0, 1);
}

}  // namespace glossa
