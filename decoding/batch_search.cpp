#include "decoding/batch_search.h"

#include <algorithm>
#include <cmath>

namespace glossa {

template <class T>
void BatchSearch<T>::begin(const Ensemble<T>& models, const SpecialIds& specials, const DecodeOptions& options, Index n,
                           std::span<const Index> batch, std::span<const std::vector<int>> sources,
                           std::span<const std::int64_t> numbers, SampleRange samples) {
  models_ = models;
  specials_ = specials;
  options_ = options;
  wanted_ = n;
  n_ = options.search == Search::huggingface ? options.beam : n;
  excluded_ = ExcludedTokens(options, specials, models.vocabulary());
  step_options_ = {.training = false, .recording = false, .precision = options.precision};
  source_ids_.clear();
  source_spans_.clear();
  sentences_.clear();
  live_.clear();
  survivors_.clear();
  finished_.clear();
  nodes_.assign(1, {.token = specials_.bos, .before = 0, .log_probability = 0});
  Index capacity = 0;
  for (const Index input : batch) {
    const std::vector<int>& source = sources[input];
    check(!source.empty(), "decode", "expected at least one token in source {}; got none", input);
    const double limit = options_.max_length_factor * source.size() + options_.max_length_extra;
    const double max_positions = static_cast<double>(models_->max_positions());
    for (Index k = 0; k < samples.count; ++k) {
      survivors_.push_back(std::ssize(live_) * options_.beam);
      live_.push_back({.sentence = std::ssize(sentences_), .node = 0, .log_probability = 0});
      sentences_.push_back({.limit = static_cast<Index>(std::clamp(limit, 1.0, max_positions)),
                            .number = numbers.empty() ? input : numbers[input],
                            .sample = samples.first + k});
    }
    source_spans_.push_back({std::ssize(source_ids_), std::ssize(source)});
    source_ids_.insert(source_ids_.end(), source.begin(), source.end());
    capacity = std::max(capacity, sentences_.back().limit);
  }
  found_.resize(sentences_.size() * static_cast<std::size_t>(n_));
  context_.begin(step_options_);
  const RowLayout layout{.rows = std::ssize(source_ids_), .sequences = source_spans_};
  // The cache has room for full beams, although each sentence begins with one hypothesis.
  const Index rows = std::ssize(live_) * options_.beam;
  models_->start(context_, caches_, source_ids_, layout, rows, capacity);
  caches_.select(survivors_);
}

template <class T>
void BatchSearch<T>::step() {
  tokens_.clear();
  for (const Live& live : live_) tokens_.push_back(nodes_[live.node].token);
  context_.begin(step_options_);
  choose(models_->advance(context_, tokens_, caches_));

  next_.clear();
  survivors_.clear();
  finished_.clear();
  for (Index begin = 0, end = 0; begin < std::ssize(live_); begin = end) {
    const Index place = live_[begin].sentence, before = std::ssize(next_);
    while (end < std::ssize(live_) && live_[end].sentence == place) ++end;
    if (sentences_[place].is_dropped) continue;
    advance(place, begin, end);
    if (std::ssize(next_) == before) finished_.push_back(place);
  }
  live_.swap(next_);
  if (!live_.empty()) caches_.select(survivors_);
}

/// Fills top_ from the decoder's last states.
template <class T>
void BatchSearch<T>::choose(const typename Ensemble<T>::States& states) {
  const std::span<const int> never = excluded_.at(caches_.position());
  const Index rows = std::ssize(live_), vocabulary = models_->vocabulary();
  const Index of_each = std::min(choices(), vocabulary - std::ssize(never));
  check(of_each >= 1, "decode.forbidden", "expected some of {} tokens to be allowed; got none", vocabulary);
  top_.resize(static_cast<std::size_t>(rows * of_each));
  if (!options_.sample) {
    top_tokens_.begin(rows, vocabulary, never, of_each, options_.renormalize);
    if (models_->is_single())
      models_->models().front()->project_tiles(states.front(),
                                               [&](const kernels::Tile<T>& tile) { top_tokens_.add(tile); });
    else
      top_tokens_.add(models_->project(states).value());
    return top_tokens_.finish(top_);
  }
  uniforms_.clear();
  for (const Live& live : live_)
    uniforms_.push_back(sampling_uniform(
        static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(sentences_[live.sentence].number),
        static_cast<std::uint32_t>(caches_.position()), static_cast<std::uint32_t>(sentences_[live.sentence].sample)));
  sample_tokens(models_->project(states).value(), never, options_, uniforms_, top_, sampling_);
}

/// Scores the hypothesis that ends in `node`, at the current length.
template <class T>
auto BatchSearch<T>::scored(Index node, double log_probability, bool finished) const -> Found {
  return {node, penalized(log_probability, caches_.position(), options_), log_probability, finished};
}

/// Performs one step of a sentence, from rows [begin, end) of live_ to the end of next_.
template <class T>
void BatchSearch<T>::advance(Index place, Index begin, Index end) {
  Sentence& sentence = sentences_[place];
  const bool is_huggingface = options_.search == Search::huggingface;
  const bool at_limit = caches_.position() >= sentence.limit;
  if (is_huggingface && at_limit) {
    for (Index r = begin; r < end; ++r) keep(place, scored(live_[r].node, live_[r].log_probability, false));
    return;
  }
  candidates_.clear();
  const std::size_t of_each = top_.size() / live_.size();
  for (Index r = begin; r < end; ++r)
    for (const TokenScore& next : std::span(top_).subspan(r * of_each, of_each))
      candidates_.push_back({live_[r].log_probability + next.log_probability, r, next.token});
  const Index looked_at = std::min(std::ssize(candidates_), choices());
  std::partial_sort(candidates_.begin(), candidates_.begin() + looked_at, candidates_.end(),
                    [](const Candidate& a, const Candidate& b) {
                      if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
                      return a.row != b.row ? a.row < b.row : a.token < b.token;
                    });

  const Index first = std::ssize(next_);
  for (Index rank = 0; rank < looked_at; ++rank) {
    const Candidate& c = candidates_[rank];
    if (c.token == specials_.eos) {
      if (is_huggingface && rank >= options_.beam) continue;
      ++sentence.ended;
      keep(place, scored(live_[c.row].node, c.log_probability, true));
    } else if (std::ssize(next_) - first < options_.beam) {
      next_.push_back({place, std::ssize(nodes_), c.log_probability});
      nodes_.push_back({c.token, live_[c.row].node, c.log_probability});
      survivors_.push_back(c.row);
    }
  }
  if (std::ssize(next_) == first) return;

  for (Index i = first; at_limit && i < std::ssize(next_) && sentence.found < n_; ++i)
    found_[place * n_ + sentence.found++] = scored(next_[i].node, next_[i].log_probability, false);
  if (at_limit || settle(place, next_[first].log_probability)) {
    next_.resize(first);
    survivors_.resize(first);
  }
}

/// True if a sentence's list is final, given the log-probability of its best live hypothesis.
template <class T>
bool BatchSearch<T>::settle(Index place, double log_probability) {
  Sentence& sentence = sentences_[place];
  if (sentence.found < n_) return false;
  const auto stays = [&](Index rank, Index length) {
    return found_[place * n_ + rank].score >= penalized(log_probability, length, options_);
  };
  const Index last = n_ - 1, now = caches_.position(), next = now + 1;
  if (options_.search == Search::huggingface) return stays(last, now);
  // A hypothesis's log-probability never rises. Its future scores are therefore at most the current log-probability
  // divided by the largest length penalty ahead.
  if (sentence.ended < options_.beam) return stays(last, options_.alpha < 0 ? next : sentence.limit);
  const bool first_stays = stays(0, next);
  if (first_stays) sentence.is_first_final = true;
  return sentence.is_first_final && (!first_stays || stays(last, next));
}

/// Inserts an ended hypothesis into its sentence's list of the best, after those with an equal score.
template <class T>
void BatchSearch<T>::keep(Index place, const Found& ended) {
  Index& found = sentences_[place].found;
  const auto first = found_.begin() + place * n_;
  const auto at = std::find_if(first, first + found, [&](const Found& other) { return ended.score > other.score; });
  if (at == first + n_) return;
  found = std::min(found + 1, n_);
  std::move_backward(at, first + found - 1, first + found);
  *at = ended;
}

template <class T>
Hypothesis BatchSearch<T>::hypothesis(Index place, Index rank) const {
  const Found& found = found_[place * n_ + rank];
  Hypothesis result{
      .tokens = {}, .score = found.score, .log_probability = found.log_probability, .finished = found.finished};
  Index length = 0;
  for (Index node = found.node; node != 0; node = nodes_[node].before) ++length;
  result.tokens.reserve(static_cast<std::size_t>(length));
  std::vector<double>& each = result.token_log_probabilities;
  each.reserve(static_cast<std::size_t>(length) + 1);
  if (found.finished) each.push_back(found.log_probability - nodes_[found.node].log_probability);
  for (Index node = found.node; node != 0; node = nodes_[node].before) {
    result.tokens.push_back(nodes_[node].token);
    each.push_back(nodes_[node].log_probability - nodes_[nodes_[node].before].log_probability);
  }
  std::reverse(result.tokens.begin(), result.tokens.end());
  std::reverse(each.begin(), each.end());
  return result;
}

template class BatchSearch<float>;
template class BatchSearch<double>;

}  // namespace glossa
