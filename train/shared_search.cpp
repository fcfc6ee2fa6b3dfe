#include "train/shared_search.h"

#include "train/checkpoint/bounded_archive.h"

namespace glossa {

template <class A>
void serialize(A& a, Hypothesis& h) {
  a(h.tokens, h.score, h.log_probability, h.finished, h.token_log_probabilities);
}

template <class A>
void serialize(A& a, Gap& gap) {
  a(gap.spaces, gap.extra);
}

template <class A>
void serialize(A& a, Translator::Sources& sources) {
  a(sources.count, sources.in_pieces, sources.numbers, sources.lines, sources.gaps, sources.ids);
}

namespace {

/// The hypotheses for the source at this index.
struct FoundFor {
  std::size_t source = 0;
  std::vector<Hypothesis> hypotheses;

  template <class A>
  void serialize(A& a) {
    a(source, hypotheses);
  }
};

}  // namespace

SearchDivision divided_among(const Job& job) {
  if (!job.is_several()) return {};
  return {.index = job.rank(), .count = job.count(), .complete = [&job](std::vector<std::vector<Hypothesis>>& found) {
            std::vector<FoundFor> own;
            for (std::size_t i = 0; i < found.size(); ++i)
              if (!found[i].empty()) own.push_back({i, std::move(found[i])});
            for (const std::string& bytes : job.gather(to_bytes(own)))
              for (FoundFor& of_process : from_bytes<std::vector<FoundFor>>(bytes, "mpi"))
                found[of_process.source] = std::move(of_process.hypotheses);
          }};
}

std::optional<Translator::Sources> sources_of_first(const Job& job, const Translator::Sources* own) {
  const std::string bytes = job.broadcast(own ? to_bytes(*own) : "");
  if (bytes.empty()) return std::nullopt;
  return from_bytes<Translator::Sources>(bytes, "mpi");
}

}  // namespace glossa
