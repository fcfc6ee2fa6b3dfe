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

/// Translates texts from many threads: cuts them into sentences and gathers these into batches, one from each client in
/// turn. Each run has its own queue and threads. Under load each thread searches batches of its own, in turns; a single
/// thread with work uses all threads for it.
class TranslationService {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::size_t queue;       ///< waiting sentences, per run
    std::size_t searches;    ///< at once, per run
    std::size_t batch;       ///< sentences searched together
    Clock::duration gather;  ///< how long to wait for more
  };

  /// Throws misuse if two runs translate the same pair of languages.
  TranslationService(std::vector<ServedRun> runs, const Limits& limits, ServerMetrics& metrics);
  TranslationService(const TranslationService&) = delete;
  TranslationService& operator=(const TranslationService&) = delete;

  /// Waits until the queues are translated, unless `cancel` was called.
  ~TranslationService();

  /// Refuses and ends all work: waiting calls throw HttpError 503 within moments.
  void cancel();

  /// The translations of each text, best first: one, and any alternatives. Source "auto" means the target's only source
  /// language. A sentence is translated as a line of its own in `glossa translate`; with alternatives, as with --nbest
  /// of one more. Alternative k of a text of several sentences is the k-th best of each. Throws HttpError:
  ///   400  languages that are not served, an unreadable sentence
  ///   413  more sentences than may wait
  ///   503  no room for them now, or no answer while the caller waits
  std::vector<std::vector<TranslatedText>> translate(const TranslationRequest& request, const Caller& caller);

  /// The run's attention when it reads `text` and writes `translation`, each as one sentence. Throws HttpError as
  /// `translate`, also for empty text, and 413 if it is too long to show.
  AttentionMaps attention(std::string_view source, std::string_view target, const std::string& text,
                          const std::string& translation, const Caller& caller);

  /// One entry per source language, in the order of the runs, then one for each other language, without targets.
  std::vector<ServedLanguage> languages() const;

  /// Sentences now waiting.
  std::size_t waiting() const;

 private:
  class Lane;
  Lane& lane(std::string_view source, std::string_view target) const;

  const std::shared_ptr<std::atomic<bool>> ends_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<int> at_work_ = 0;  // threads that search, over all runs
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace glossa::serve
