#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/caller.h"
#include "app/serve/promise.h"
#include "decoding/batch_search.h"
#include "decoding/translator.h"

namespace glossa::serve {

/// A trained model and its settings. The struct does not own the model, which must outlive every user of the struct.
struct ServedRun {
  const Transformer<float>* model;
  Tokenizers tokenizers;
  DataConfig data;
  DecodeOptions decode;
  std::int64_t usual_words = 0;  // value of TextStatistics::usual_words
  bool splits_sentences = true;  // setting of Translator::split_sentences
  std::string name = {};         // name given by the user
};

/// A request that is being answered. All pieces of a request share one Pending. Once no caller waits for the answer,
/// the pieces are no longer searched.
struct Pending {
  Caller caller;
  std::shared_ptr<const std::atomic<bool>> service_ends;
  std::atomic<bool> is_over = false;  ///< true: answered or given up

  bool waits() const { return !is_over && !*service_ends && caller.waits(); }
};

/// A sentence to translate, or a part of a sentence that is too long for the model.
struct Piece {
  std::vector<int> ids;
  std::int64_t number;  ///< identifies the piece for sampling
  Index wanted;         ///< number of translations to return
  std::shared_ptr<const Pending> request;
  Promise<std::vector<Translation>> found;  ///< the result; broken if no caller waits for it
};

/// The searches of one thread. They advance in turn, token by token. The search that has used the least time comes
/// next. A new search starts with the smallest time of the running searches. A batch of long sentences therefore delays
/// a short sentence by only a few tokens. Not thread-safe.
class SearchTurns {
 public:
  /// `weights` caches the prepared weights of the run's model; several threads may share the cache. `run` and `weights`
  /// must outlive this object.
  SearchTurns(const ServedRun& run, PreparedWeights<float>& weights);

  bool empty() const { return searches_.empty(); }

  /// True if a batch may begin with this piece. Lengths are divided into ranges, and two limits apply:
  ///   - A client may have pieces in at most one search of each range.
  ///   - Fewer than N searches of the piece's range and of all longer ranges may be running. N is 16 for the shortest
  ///     range, 8 for the next, 4 for the third and so on, but at least 1.
  /// Therefore, neither a single client nor long sentences can take all searches.
  bool may_begin(const Piece& piece) const;

  /// True if a piece may be added to a batch. All of these conditions must hold:
  ///   - It wants the same number of translations as the batch's other pieces.
  ///   - Its length is in the same range.
  ///   - With it, the batch's source tokens times the beam do not exceed decode.max_tokens.
  ///   - Its client does not have a piece in another search of that range.
  bool joins(const std::vector<Piece>& batch, const Piece& piece) const;

  /// Begins the search of a batch.
  void begin(std::vector<Piece> batch);

  /// Extends one search by a token. Fulfills the promises of finished pieces, and drops pieces for which no caller
  /// waits. If the search throws, each of its pieces is searched again alone. Only the piece at fault then fails.
  void step();

 private:
  struct Search {
    explicit Search(Context<float>& context) : batch(context) {}

    BatchSearch<float> batch;
    std::vector<std::optional<Piece>> pieces;  // indexed by place in the batch; answered and dropped pieces are empty
    std::vector<std::optional<Piece>> alone;   // pieces of a batch that threw, to be searched one by one
    int length_range = 0;
    int batches = 0;     // number of batches searched so far
    double seconds = 0;  // time spent, plus the value of `clock_` at the search's start

    bool is_done() const { return std::ranges::none_of(pieces, &std::optional<Piece>::has_value); }
  };

  bool has_search(const Piece& piece) const;
  void start(Search& search) const;
  void advance(Search& search) const;
  void fail(Search& search) const noexcept;
  void begin_next_alone(Search& search) const;

  const ServedRun& run_;
  const Translator translator_;
  Context<float> context_;             // shared by all searches
  std::list<Search> searches_, idle_;  // idle_ has at most one search, which keeps its memory
  double clock_ = 0;                   // smallest `seconds` of all searches; initial value for a new search
};

}  // namespace glossa::serve
