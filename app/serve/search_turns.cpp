#include "app/serve/search_turns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "autograd/stopwatch.h"

namespace glossa::serve {

namespace {

/// Searches at once: each has a cache of its own.
constexpr std::size_t max_searches = 16;

/// Idle searches that keep their memory for the next batches.
constexpr std::size_t max_idle = 2;

/// Ids from which transposing the model's weights pays, as in `Searcher`.
constexpr std::size_t ids_worth_transposing = 1024;

/// Ranges of lengths that share batches: up to 64 ids, 128, 256 and so on.
int length_range(const Piece& piece) { return std::bit_width((piece.ids.size() - 1) / 64); }

}  // namespace

SearchTurns::SearchTurns(const ServedRun& run)
    : run_(run), translator_(*run.model, run.tokenizers, run.data, run.decode) {}

bool SearchTurns::may_begin(const Piece& piece) const {
  return searches_.size() < max_searches && std::ranges::none_of(searches_, [&](const Search& search) {
           return search.client == piece.request->caller.client && search.length_range == length_range(piece);
         });
}

bool SearchTurns::joins(const std::vector<Piece>& batch, const Piece& piece) const {
  const Piece& first = batch.front();
  if (piece.wanted != first.wanted || length_range(piece) != length_range(first)) return false;
  std::size_t ids = piece.ids.size();
  for (const Piece& each : batch) ids += each.ids.size();
  return static_cast<std::int64_t>(ids) * std::max<Index>(run_.decode.beam, piece.wanted) <= run_.decode.max_tokens;
}

void SearchTurns::begin(std::vector<Piece> batch) {
  std::erase_if(batch, [](const Piece& piece) { return !piece.request->waits(); });
  if (batch.empty()) return;
  const auto least = std::ranges::min_element(searches_, {}, &Search::seconds);
  const double seconds = least == searches_.end() ? 0 : least->seconds;
  if (idle_.empty()) idle_.emplace_back();
  searches_.splice(searches_.end(), idle_, idle_.begin());
  Search& search = searches_.back();
  search.client = batch.front().request->caller.client;
  search.length_range = length_range(batch.front());
  search.seconds = seconds;
  search.pieces.assign(std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
  try {
    start(search);
  } catch (...) {
    retry_alone(search);
  }
}

void SearchTurns::step() {
  const auto search = std::ranges::min_element(searches_, {}, &Search::seconds);
  if (search == searches_.end()) return;
  const Stopwatch watch;
  try {
    advance(*search);
  } catch (...) {
    retry_alone(*search);
  }
  search->seconds += std::ldexp(watch.seconds(), search->length_range);
  if (std::ranges::any_of(search->pieces, [](const auto& piece) { return piece.has_value(); })) return;
  search->weights.reset();
  if (idle_.size() < max_idle)
    idle_.splice(idle_.begin(), searches_, search);
  else
    searches_.erase(search);
}

void SearchTurns::start(Search& search) const {
  std::vector<std::vector<int>> sources;
  std::vector<std::int64_t> numbers;
  std::size_t ids = 0;
  for (const std::optional<Piece>& piece : search.pieces) {
    sources.push_back(piece->ids);
    numbers.push_back(piece->number);
    ids += piece->ids.size();
  }
  std::vector<Index> order(sources.size());
  std::iota(order.begin(), order.end(), Index{0});
  const Index wanted = search.pieces.front()->wanted;
  DecodeOptions options = decode_options(run_.decode);
  options.beam = std::max<Index>(options.beam, wanted);
  if (ids >= ids_worth_transposing) search.weights.emplace();
  search.batch.begin(*run_.model, run_.tokenizers.target->specials(), options,
                     search.weights ? &*search.weights : nullptr, wanted, order, sources, numbers);
}

void SearchTurns::advance(Search& search) const {
  bool is_needed = false;
  for (std::size_t place = 0; place < search.pieces.size(); ++place) {
    std::optional<Piece>& piece = search.pieces[place];
    if (piece && !piece->request->waits()) {
      search.batch.drop(static_cast<Index>(place));
      piece.reset();
    }
    is_needed = is_needed || piece;
  }
  if (!is_needed) return;
  search.batch.step();
  for (const Index place : search.batch.finished()) {
    std::vector<Translation> found;
    for (Index rank = 0; rank < search.batch.found(place); ++rank)
      found.push_back(translator_.translation(search.batch.hypothesis(place, rank)));
    std::optional<Piece>& piece = search.pieces[static_cast<std::size_t>(place)];
    piece->found.set_value(std::move(found));
    piece.reset();
  }
}

/// Called in a handler. A piece that fails alone gets its own error.
void SearchTurns::retry_alone(Search& search) const {
  std::vector<std::optional<Piece>> pieces = std::exchange(search.pieces, {});
  const bool is_alone = pieces.size() == 1;
  for (std::optional<Piece>& piece : pieces) {
    if (!piece) continue;
    if (is_alone) {
      piece->found.set_exception(std::current_exception());
      continue;
    }
    search.pieces.clear();
    search.pieces.push_back(std::move(piece));
    try {
      start(search);
      while (search.pieces.front()) advance(search);
    } catch (...) {
      search.pieces.front()->found.set_exception(std::current_exception());
    }
  }
  search.pieces.clear();
}

}  // namespace glossa::serve
