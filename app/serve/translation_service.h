#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/serve/caller.h"
#include "app/serve/messages.h"
#include "app/serve/search_turns.h"
#include "app/serve/server_metrics.h"

namespace glossa::serve {

/// Translates texts for many threads: cuts them into sentences and gathers the sentences into batches, taking one from
/// each client in turn. Each run has its own queue and searching threads. Under load, each searching thread alternates
/// between batches of its own; if only one thread has work, its loops run on runtime.threads cores.
class TranslationService {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::size_t queue;       ///< maximum sentences waiting, per run
    std::size_t searches;    ///< searching threads, per run
    std::size_t batch;       ///< maximum sentences searched together
    Clock::duration gather;  ///< how long a sentence waits for others to share its batch
  };

  /// Throws a misuse error if two runs translate the same pair of languages.
  TranslationService(std::vector<ServedRun> runs, const Limits& limits, ServerMetrics& metrics);
  TranslationService(const TranslationService&) = delete;
  TranslationService& operator=(const TranslationService&) = delete;

  /// Waits until all queued sentences are translated, unless `cancel` was called.
  ~TranslationService();

  /// Refuses and ends all work: waiting calls throw HttpError 503 within moments.
  void cancel();

  /// Returns each text's translations, best first: one, plus any requested alternatives. Source "auto" means the
  /// target's only source language. Each sentence is translated like a line of `glossa translate`; with N alternatives,
  /// as with `--nbest` of N + 1. The k-th best translation of a text joins the k-th best of each sentence, or the best
  /// if a sentence has fewer. Throws HttpError:
  ///   400  languages that are not served, an unreadable sentence
  ///   413  more lines or sentences than the queue can hold
  ///   503  no room in the queue now, or no answer while the caller waits
  std::vector<std::vector<TranslatedText>> translate(const TranslationRequest& request, const Caller& caller);

  /// Returns the attention of the model for these languages while it reads `text` and writes `translation`, each as one
  /// sentence. Throws HttpError as `translate`, 400 for empty texts, and 413 for texts too long to show.
  AttentionMaps attention(std::string_view source, std::string_view target, const std::string& text,
                          const std::string& translation, const Caller& caller);

  /// One entry per source language, in the order of the runs; then, for each other language, an entry without targets.
  std::vector<ServedLanguage> languages() const;

  /// Number of sentences waiting now.
  std::size_t waiting() const;

 private:
  class Lane;
  Lane& lane(std::string_view source, std::string_view target) const;

  const std::shared_ptr<std::atomic<bool>> ends_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<int> at_work_ = 0;  // number of threads that have work, over all runs
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace glossa::serve
