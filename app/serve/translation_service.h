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

/// Translates texts for many threads. Cuts the texts into sentences and collects the sentences in batches, taking one
/// sentence from each client in turn. Each run has a separate queue and separate search threads. Under load, each
/// search thread alternates between several batches. If only one thread has work, its loops run on runtime.threads
/// cores.
class TranslationService {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::size_t queue;       ///< maximum number of waiting sentences per run
    std::size_t searches;    ///< number of search threads per run
    std::size_t batch;       ///< maximum number of sentences searched together
    Clock::duration gather;  ///< how long a sentence waits for others to share its batch
  };

  /// Throws a misuse error if two runs translate the same pair of languages.
  TranslationService(std::vector<ServedRun> runs, const Limits& limits, ServerMetrics& metrics);
  TranslationService(const TranslationService&) = delete;
  TranslationService& operator=(const TranslationService&) = delete;

  /// Waits until all queued sentences are translated, unless `cancel` was called.
  ~TranslationService();

  /// Ends all work and refuses new work. Waiting calls throw HttpError 503 within moments.
  void cancel();

  /// Returns each text's best translation and any requested alternatives. A run that samples has no alternatives. The
  /// source "auto" means the only source language that is served with the target. Each sentence is translated as by
  /// `glossa translate`; for N alternatives, as with `--nbest` N + 1. A text's k-th best translation joins each
  /// sentence's k-th best. If a sentence has fewer than k, its last is used. Throws HttpError:
  ///   400  languages that are not served, an unreadable sentence
  ///   413  more lines or sentences than the queue can hold
  ///   503  no room in the queue now, or no answer by the caller's deadline
  std::vector<TextTranslations> translate(const TranslationRequest& request, const Caller& caller);

  /// Returns the model's attention while it reads `text` and writes `translation`, each as one sentence. The languages
  /// select the model. Throws HttpError as `translate` does. Also throws 400 for an empty text and 413 for a text too
  /// long to show.
  AttentionMaps attention(std::string_view source, std::string_view target, const std::string& text,
                          const std::string& translation, const Caller& caller);

  /// Returns one entry per source language, in the order of the runs. These are followed by languages that are only
  /// targets; their entries have no targets.
  std::vector<ServedLanguage> languages() const;

  /// Returns the current number of waiting sentences.
  std::size_t waiting() const;

 private:
  class Lane;
  Lane& lane(std::string_view source, std::string_view target) const;

  const std::shared_ptr<std::atomic<bool>> ends_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<int> at_work_ = 0;  // number of threads that have work, over all runs
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace glossa::serve
