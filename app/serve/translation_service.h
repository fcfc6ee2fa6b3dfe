#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/serve/fair_queue.h"
#include "app/serve/messages.h"
#include "app/serve/server_metrics.h"
#include "train/decoding/translator.h"

namespace glossa::serve {

/// A trained model and its settings. The model is not owned and must outlive the service.
struct ServedRun {
  const Transformer<float>* model;
  Tokenizers tokenizers;
  DataConfig data;
  DecodeConfig decode;
};

/// Translates texts from many threads: cuts them into sentences and gathers these into batches, one from each text in
/// turn. Each run has its own queue and threads, each of which searches one batch after another: under load several
/// batches in parallel, each on one thread, otherwise one on all threads.
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

  /// Waits until the queues are translated.
  ~TranslationService();

  /// The translations of each text, best first: one, and any alternatives. Source "auto" means the target's only source
  /// language. A sentence is translated as a line of its own in `glossa translate`; with alternatives, as with --nbest
  /// of one more. Alternative k of a text of several sentences is the k-th best of each. Throws HttpError:
  ///   400  languages that are not served, an unreadable sentence
  ///   413  more sentences than may wait
  ///   503  no room for them now, or no answer by the deadline
  std::vector<std::vector<TranslatedText>> translate(const TranslationRequest& request, Clock::time_point deadline);

  /// The run's attention when it reads `text` and writes `translation`, each as one sentence. Throws HttpError as
  /// `translate`, also for empty text, and 413 if it is too long to show.
  AttentionMaps attention(std::string_view source, std::string_view target, const std::string& text,
                          const std::string& translation, Clock::time_point deadline);

  /// One entry per source language, in the order of the runs, then one for each other language, without targets.
  std::vector<ServedLanguage> languages() const;

  /// Sentences now waiting.
  std::size_t waiting() const;

 private:
  class Lane;
  Lane& lane(std::string_view source, std::string_view target) const;

  std::atomic<int> at_work_ = 0;  // searches, over all runs
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace glossa::serve
