#include "train/decoding/shared_search.h"

#include "train/processes/job.h"
#include "train/processes/packed.h"

namespace glossa {

void share_found(std::vector<std::vector<Hypothesis>>& found) {
  if (!job().is_several()) return;
  Packed own;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].empty()) continue;
    own.put(i).put(found[i].size());
    for (const Hypothesis& h : found[i])
      own.put(h.tokens).put(h.score).put(h.log_probability).put(h.finished).put(h.token_log_probabilities);
  }
  for (const std::string& bytes : job().gather(own.bytes()))
    for (Unpacked from(bytes); !from.is_empty();) {
      std::size_t i = 0, count = 0;
      from.take(i).take(count);
      found[i].resize(count);
      for (Hypothesis& h : found[i])
        from.take(h.tokens).take(h.score).take(h.log_probability).take(h.finished).take(h.token_log_probabilities);
    }
}

}  // namespace glossa
