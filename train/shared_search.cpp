#include "train/shared_search.h"

#include "train/processes/packed.h"

namespace glossa {

SearchDivision divided_among(const Job& job) {
  if (!job.is_several()) return {};
  return {.index = job.rank(), .count = job.count(), .complete = [&job](std::vector<std::vector<Hypothesis>>& found) {
            Packed own;
            for (std::size_t i = 0; i < found.size(); ++i) {
              if (found[i].empty()) continue;
              own.put(i).put(found[i].size());
              for (const Hypothesis& h : found[i])
                own.put(h.tokens).put(h.score).put(h.log_probability).put(h.finished).put(h.token_log_probabilities);
            }
            for (const std::string& bytes : job.gather(own.bytes()))
              for (Unpacked from(bytes); !from.is_empty();) {
                std::size_t i = 0, count = 0;
                from.take(i).take(count);
                found[i].resize(count);
                for (Hypothesis& h : found[i])
                  from.take(h.tokens)
                      .take(h.score)
                      .take(h.log_probability)
                      .take(h.finished)
                      .take(h.token_log_probabilities);
              }
          }};
}

std::optional<Translator::Sources> sources_of_first(const Job& job, const Translator::Sources* own) {
  Packed packed;
  if (own) {
    packed.put(own->count).put(own->in_pieces).put(own->numbers).put(own->lines);
    for (const Gap& gap : own->gaps) packed.put(gap.spaces).put(gap.extra);
    for (const std::vector<int>& piece : own->ids) packed.put(piece);
  }
  const std::string bytes = job.broadcast(packed.bytes());
  if (bytes.empty()) return std::nullopt;
  Translator::Sources sources;
  Unpacked from(bytes);
  from.take(sources.count).take(sources.in_pieces).take(sources.numbers).take(sources.lines);
  sources.gaps.resize(sources.numbers.size());
  for (Gap& gap : sources.gaps) from.take(gap.spaces).take(gap.extra);
  sources.ids.resize(sources.numbers.size());
  for (std::vector<int>& piece : sources.ids) from.take(piece);
  return sources;
}

}  // namespace glossa
