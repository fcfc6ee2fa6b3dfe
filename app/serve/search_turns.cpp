#include "app/serve/search_turns.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/stopwatch.h"

namespace glossa::serve {

namespace {

/// The limit N for the shortest range of lengths (see may_begin).
constexpr std::size_t max_short_searches = 16;

/// Number of batches after which a search is replaced, so that the memory of a rare large batch is freed.
constexpr int max_batches = 32;

/// Returns a piece's range of lengths: 0 for up to 64 ids, 1 for up to 128, 2 for up to 256 and so on.
int length_range(const Piece& piece) { return std::bit_width((piece.ids.size() - 1) / 64); }

}  // namespace

SearchTurns::SearchTurns(const ServedRun& run, PreparedWeights<float>& weights)
    : run_(run), translator_(*run.model, run.tokenizers, run.data, run.decode) {
  context_.set_prepared_weights(&weights);
}

/// True if the piece's client already has a piece in a search of the same range of lengths.
bool SearchTurns::has_search(const Piece& piece) const {
  const auto is_same = [&](const std::optional<Piece>& each) {
    return each && each->request->caller.client == piece.request->caller.client;
  };
  return std::ranges::any_of(searches_, [&](const Search& search) {
    return search.length_range == length_range(piece) &&
           (std::ranges::any_of(search.pieces, is_same) || std::ranges::any_of(search.alone, is_same));
  });
}

bool SearchTurns::may_begin(const Piece& piece) const {
  const int range = length_range(piece);
  const auto places = std::max<std::size_t>(1, max_short_searches >> std::min(range, 8));
  const auto taken =
      std::ranges::count_if(searches_, [&](const Search& search) { return search.length_range >= range; });
  return static_cast<std::size_t>(taken) < places && !has_search(piece);
}

bool SearchTurns::joins(const std::vector<Piece>& batch, const Piece& piece) const {
  const Piece& first = batch.front();
  if (piece.wanted != first.wanted || length_range(piece) != length_range(first) || has_search(piece)) return false;
  std::size_t ids = piece.ids.size();
  for (const Piece& each : batch) ids += each.ids.size();
  return static_cast<std::int64_t>(ids) * std::max<Index>(run_.decode.beam, piece.wanted) <= run_.decode.max_tokens;
}

void SearchTurns::begin(std::vector<Piece> batch) {
  std::erase_if(batch, [](const Piece& piece) { return !piece.request->waits(); });
  if (batch.empty()) return;
  const Stopwatch watch;
  if (idle_.empty()) idle_.emplace_back(context_);
  searches_.splice(searches_.end(), idle_, idle_.begin());
  Search& search = searches_.back();
  search.length_range = length_range(batch.front());
  search.alone.reserve(batch.size());  // allocates now because `fail` must not need memory
  search.pieces.assign(std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
  try {
    start(search);
  } catch (...) {
    fail(search);
  }
  search.seconds = clock_ + watch.seconds();
}

void SearchTurns::step() {
  const auto search = std::ranges::min_element(searches_, {}, &Search::seconds);
  if (search == searches_.end()) return;
  const Stopwatch watch;
  try {
    advance(*search);
  } catch (...) {
    fail(*search);
  }
  if (search->is_done()) begin_next_alone(*search);
  search->seconds += watch.seconds();
  clock_ = std::ranges::min_element(searches_, {}, &Search::seconds)->seconds;
  if (!search->is_done()) return;
  if (idle_.empty() && ++search->batches < max_batches)
    idle_.splice(idle_.begin(), searches_, search);
  else
    searches_.erase(search);
}

void SearchTurns::start(Search& search) const {
  std::vector<std::vector<int>> sources;
  std::vector<std::int64_t> numbers;
  for (const std::optional<Piece>& piece : search.pieces) {
    sources.push_back(piece->ids);
    numbers.push_back(piece->number);
  }
  std::vector<Index> order(sources.size());
  std::iota(order.begin(), order.end(), Index{0});
  const Index wanted = search.pieces.front()->wanted;
  DecodeOptions options = run_.decode;
  options.beam = std::max<Index>(options.beam, wanted);
  search.batch.begin(*run_.model, run_.tokenizers.target->specials(), options, wanted, order, sources, numbers);
}

void SearchTurns::advance(Search& search) const {
  for (std::size_t place = 0; place < search.pieces.size(); ++place) {
    std::optional<Piece>& piece = search.pieces[place];
    if (!piece || piece->request->waits()) continue;
    search.batch.drop(static_cast<Index>(place));
    piece.reset();
  }
  if (search.is_done()) return;
  search.batch.step();
  for (const Index place : search.batch.finished()) {
    std::vector<Hypothesis> found;
    for (Index rank = 0; rank < search.batch.found(place); ++rank)
      found.push_back(search.batch.hypothesis(place, rank));
    std::optional<Piece>& piece = search.pieces[static_cast<std::size_t>(place)];
    piece->found.set_value(translator_.translations(found));
    piece.reset();
  }
}

/// Call it in an exception handler. A piece searched alone gets the exception. Pieces of a batch are queued, to be
/// searched alone.
void SearchTurns::fail(Search& search) const noexcept {
  if (search.pieces.size() == 1 && search.pieces.front())
    search.pieces.front()->found.set_exception(std::current_exception());
  else
    for (std::optional<Piece>& piece : search.pieces)
      if (piece) search.alone.push_back(std::move(piece));
  search.pieces.clear();
}

/// Starts the next piece that is to be searched alone, if any.
void SearchTurns::begin_next_alone(Search& search) const {
  while (search.is_done() && !search.alone.empty()) {
    search.pieces.clear();
    search.pieces.push_back(std::move(search.alone.back()));
    search.alone.pop_back();
    try {
      start(search);
    } catch (...) {
      fail(search);
    }
  }
}

}  // namespace glossa::serve
