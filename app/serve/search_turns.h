#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/caller.h"
#include "train/decoding/batch_search.h"
#include "train/decoding/translator.h"

namespace glossa::serve {

/// A trained model and its settings. The model is not owned and must outlive its users.
struct ServedRun {
  const Transformer<float>* model;
  Tokenizers tokenizers;
  DataConfig data;
  DecodeConfig decode;
};

/// A request that is being answered. The request's pieces share its Pending, so they are no longer searched once nobody
/// waits for the answer.
struct Pending {
  Caller caller;
  std::shared_ptr<const std::atomic<bool>> service_ends;
  std::atomic<bool> is_over = false;  ///< answered, or given up

  bool waits() const { return !is_over && !*service_ends && caller.waits(); }
};

/// A sentence, or part of an overlong one, on its way through the search.
struct Piece {
  std::vector<int> ids;
  std::int64_t number;  ///< identifies the piece for sampling
  Index wanted;         ///< number of translations
  std::shared_ptr<const Pending> request;
  std::promise<std::vector<Translation>> found;  ///< broken if the request no longer waits
};

/// The searches of one thread. They advance in turn, token by token; the search that has used the least time comes
/// next. So a batch of long sentences delays a short sentence by only a few tokens. Not thread-safe.
class SearchTurns {
 public:
  /// `weights` stores the transposed weights of the run's model; several threads may share it. `run` and `weights` must
  /// outlive the searches.
  SearchTurns(const ServedRun& run, TransposedWeights<float>& weights);

  bool empty() const { return searches_.empty(); }

  /// True if a batch may begin with a piece. Lengths are divided into ranges, and a client may have pieces in at most
  /// one search per range. The searches of a range and all longer ranges together are limited: to 16 for the shortest
  /// range, and for each next range to half the previous limit, but at least 1. So neither one client nor long
  /// sentences can take all searches.
  bool may_begin(const Piece& piece) const;

  /// True if a piece fits into a batch: it wants the same number of translations, its length is in the same range, the
  /// batch's source tokens times the beam would not exceed decode.max_tokens, and its client has no piece in another
  /// search of that range.
  bool joins(const std::vector<Piece>& batch, const Piece& piece) const;

  /// Begins the search of a batch.
  void begin(std::vector<Piece> batch);

  /// Extends one search by a token. Fulfills the promises of finished pieces, and drops pieces whose requests no longer
  /// wait. If a search throws, each of its pieces is searched again alone, so that only the one at fault fails.
  void step();

 private:
  struct Search {
    explicit Search(Context<float>& context) : batch(context) {}

    BatchSearch<float> batch;
    std::vector<std::optional<Piece>> pieces;  // by index in the batch; each empty once answered or given up
    std::vector<std::optional<Piece>> alone;   // from a batch that threw; searched one after another
    int length_range = 0;
    int batches = 0;     // searched so far
    double seconds = 0;  // time spent, plus `clock_` when the search began

    bool is_done() const { return std::ranges::none_of(pieces, &std::optional<Piece>::has_value); }
  };

  bool has_search(const Piece& piece) const;
  void start(Search& search) const;
  void advance(Search& search) const;
  void fail(Search& search) const;
  void begin_next_alone(Search& search) const;

  const ServedRun& run_;
  const Translator translator_;
  Context<float> context_;             // shared by the searches
  std::list<Search> searches_, idle_;  // the idle one, if any, keeps its memory for the next batch
  double clock_ = 0;                   // smallest `seconds` of all searches; a new search starts with it
};

}  // namespace glossa::serve
